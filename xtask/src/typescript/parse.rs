//! Reads declarations: types, interfaces and the types of constants; what else there is, is skipped.

use serde_json::Value;

use super::token::{Token, tokens};
use super::{Declarations, Field, Type};

/// The types that the text declares.
pub(crate) fn parse(text: &str) -> Declarations {
    let mut parser = Parser { tokens: tokens(text), at: 0 };
    let mut declarations = Declarations::new();
    while parser.at < parser.tokens.len() {
        if let Some((name, of)) = parser.declaration() {
            // Of the same name within a namespace, the one that came first.
            declarations.entry(name).or_insert(of);
        }
    }
    declarations
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    /// The next declaration; anything else is stepped over.
    fn declaration(&mut self) -> Option<(String, Type)> {
        let word = match self.next()? {
            Token::Name(word) => word,
            Token::Sign('{') => {
                self.skip_block('{', '}');
                return None;
            }
            _ => return None,
        };
        match word.as_str() {
            "namespace" => {
                // What is in it is declared as if it were outside.
                self.name();
                self.sign('{');
                None
            }
            "type" => {
                let name = self.name()?;
                self.generics();
                self.sign('=').then(|| (name, self.union()))
            }
            "interface" => {
                let name = self.name()?;
                self.generics();
                let mut parts = Vec::new();
                if self.word("extends") {
                    parts.push(self.postfix());
                    while self.sign(',') {
                        parts.push(self.postfix());
                    }
                }
                self.sign('{').then(|| {
                    parts.push(self.object());
                    (name, if parts.len() == 1 { parts.remove(0) } else { Type::And(parts) })
                })
            }
            "const" => {
                let name = self.name()?;
                self.sign(':').then(|| (name, self.union()))
            }
            _ => None,
        }
    }

    fn union(&mut self) -> Type {
        self.sign('|');
        let mut arms = vec![self.intersection()];
        while self.sign('|') {
            arms.push(self.intersection());
        }
        // A conditional type: nothing that a sample can be made of.
        if self.word("extends") {
            self.union();
            if self.sign('?') {
                self.union();
                self.sign(':');
                self.union();
            }
            return Type::Any;
        }
        if arms.len() == 1 { arms.remove(0) } else { Type::Union(arms) }
    }

    fn intersection(&mut self) -> Type {
        self.sign('&');
        let mut parts = vec![self.postfix()];
        while self.sign('&') {
            parts.push(self.postfix());
        }
        if parts.len() == 1 { parts.remove(0) } else { Type::And(parts) }
    }

    fn postfix(&mut self) -> Type {
        let mut of = self.primary();
        while self.sign('[') {
            if self.sign(']') {
                of = Type::List(Box::new(of));
                continue;
            }
            of = match self.union() {
                Type::Literal(Value::String(name)) => Type::Part(Box::new(of), name),
                _ => Type::Any,
            };
            self.sign(']');
        }
        of
    }

    fn primary(&mut self) -> Type {
        match self.next() {
            Some(Token::Text(text)) => Type::Literal(text.into()),
            Some(Token::Number(number)) => {
                Type::Literal(number.parse().map_or(Value::Null, |n: i64| n.into()))
            }
            Some(Token::Sign('-')) => {
                self.next();
                Type::Number
            }
            Some(Token::Sign('{')) => self.object(),
            Some(Token::Sign('(')) if self.is_function() => self.function(),
            Some(Token::Sign('(')) => {
                let of = self.union();
                self.sign(')');
                of
            }
            Some(Token::Sign('[')) => {
                let mut items = Vec::new();
                while self.at < self.tokens.len() && !self.sign(']') {
                    items.push(self.union());
                    self.sign(',');
                }
                Type::Name("tuple".to_owned(), items)
            }
            Some(Token::Sign('<')) => {
                self.skip_block('<', '>');
                self.next();
                self.function()
            }
            Some(Token::Name(name)) => self.named(name),
            _ => Type::Any,
        }
    }

    fn named(&mut self, mut name: String) -> Type {
        match name.as_str() {
            "string" => return Type::Text,
            "number" | "bigint" => return Type::Number,
            "boolean" => return Type::Bool,
            "true" | "false" => return Type::Literal((name == "true").into()),
            "null" => return Type::Literal(Value::Null),
            "undefined" | "void" | "never" => return Type::Nothing,
            "unknown" | "any" | "object" => return Type::Any,
            "readonly" => return self.postfix(),
            "typeof" => {
                let of = self.name().unwrap_or_default();
                return Type::Name("typeof".to_owned(), vec![Type::Name(of, Vec::new())]);
            }
            "keyof" | "infer" | "unique" | "new" | "abstract" => {
                self.union();
                return Type::Any;
            }
            _ => {}
        }
        while self.sign('.') {
            name = format!("{name}.{}", self.name().unwrap_or_default());
        }
        let mut arguments = Vec::new();
        if self.sign('<') {
            while self.at < self.tokens.len() && !self.sign('>') {
                arguments.push(self.union());
                self.sign(',');
            }
        }
        Type::Name(name, arguments)
    }

    /// The members of an object whose brace was read.
    fn object(&mut self) -> Type {
        let mut fields = Vec::new();
        let mut mapped = false;
        while self.at < self.tokens.len() && !self.sign('}') {
            if self.sign(';') || self.sign(',') {
                continue;
            }
            if self.peek_word("readonly") && !matches!(self.peek(1), Some(Token::Sign(':' | '?'))) {
                self.next();
                continue;
            }
            if self.sign('[') {
                mapped |= matches!(self.peek(1), Some(Token::Name(word)) if word == "in");
                self.skip_block('[', ']');
                let optional = self.sign('?');
                let of = if self.sign(':') { self.union() } else { Type::Any };
                fields.push(Field { name: None, optional, of });
                continue;
            }
            let name = match self.next() {
                Some(Token::Name(name) | Token::Text(name) | Token::Number(name)) => name,
                // A call signature, or what we do not know: to the end of the member.
                _ => {
                    self.at -= 1;
                    self.skip_member();
                    continue;
                }
            };
            let optional = self.sign('?');
            if !self.sign(':') {
                self.skip_member();
                continue;
            }
            let of = self.union();
            fields.push(Field { name: Some(name), optional, of });
        }
        if mapped { Type::Any } else { Type::Object(fields) }
    }

    /// Whether the parenthesis that was read opens the parameters of a function.
    fn is_function(&self) -> bool {
        let mut depth = 1;
        for (at, token) in self.tokens.iter().enumerate().skip(self.at) {
            match token {
                Token::Sign('(') => depth += 1,
                Token::Sign(')') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return self.tokens.get(at + 1) == Some(&Token::Arrow);
            }
        }
        false
    }

    fn function(&mut self) -> Type {
        self.skip_block('(', ')');
        if self.peek(0) == Some(&Token::Arrow) {
            self.at += 1;
        }
        Type::Function(Box::new(self.union()))
    }

    fn generics(&mut self) {
        if self.sign('<') {
            self.skip_block('<', '>');
        }
    }

    /// To behind the sign that closes a block whose opening sign was read.
    fn skip_block(&mut self, open: char, close: char) {
        let mut depth = 1;
        while depth > 0 {
            match self.next() {
                Some(Token::Sign(sign)) if sign == open => depth += 1,
                Some(Token::Sign(sign)) if sign == close => depth -= 1,
                Some(_) => {}
                None => return,
            }
        }
    }

    /// To the end of a member, or before the brace that closes its object.
    fn skip_member(&mut self) {
        loop {
            match self.next() {
                Some(Token::Sign('(')) => self.skip_block('(', ')'),
                Some(Token::Sign('{')) => self.skip_block('{', '}'),
                Some(Token::Sign(';')) | None => return,
                Some(Token::Sign('}')) => {
                    self.at -= 1;
                    return;
                }
                Some(_) => {}
            }
        }
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    fn peek_word(&self, word: &str) -> bool {
        matches!(self.peek(0), Some(Token::Name(name)) if name == word)
    }

    fn name(&mut self) -> Option<String> {
        match self.next()? {
            Token::Name(name) => Some(name),
            _ => None,
        }
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.peek_word(word);
        self.at += usize::from(found);
        found
    }

    fn sign(&mut self, sign: char) -> bool {
        let found = self.peek(0) == Some(&Token::Sign(sign));
        self.at += usize::from(found);
        found
    }
}
