//! What each tag does to the text.

mod blocks;
mod lines;

use std::convert::Infallible;

use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};
use reqwest::Url;

use super::inline::{self, Inline, Kind};
use super::table::{self, Table};
use super::writer::Writer;
use super::{Converted, Format};

/// The state between two tokens.
#[derive(Debug)]
pub(super) struct Converter {
    base: Url,
    markdown: bool,
    limit: usize,
    out: Writer,
    inlines: Vec<Inline>,
    lists: Vec<List>,
    tables: Vec<Table>,
    /// For each table in the page, whether it is shown as one.
    kinds: std::vec::IntoIter<bool>,
    /// An element whose content is not shown, and how many of its name are open.
    skipped: Option<(Vec<u8>, usize)>,
    /// Text that is kept as it is, until its end.
    verbatim: Option<Verbatim>,
    title: Option<String>,
    in_title: bool,
}

#[derive(Debug)]
struct List {
    /// The next item's number.
    number: Option<u64>,
    /// How deep the writer was before.
    depth: usize,
}

#[derive(Debug)]
struct Verbatim {
    is_block: bool,
    language: String,
    text: String,
}

impl Converter {
    pub(super) fn new(page: &str, base: &Url, format: Format, limit: usize) -> Self {
        Self {
            base: base.clone(),
            markdown: format == Format::Markdown,
            limit,
            out: Writer::default(),
            inlines: Vec::new(),
            lists: Vec::new(),
            tables: Vec::new(),
            kinds: table::kinds(tokens(page)).into_iter(),
            skipped: None,
            verbatim: None,
            title: None,
            in_title: false,
        }
    }

    pub(super) fn run(mut self, page: &str) -> Converted {
        let mut cut = false;
        for token in tokens(page) {
            match token {
                Token::StartTag(tag) => self.start(&tag),
                Token::EndTag(tag) => self.end(&tag.name),
                Token::String(text) => self.text(&String::from_utf8_lossy(&text)),
                _ => {}
            }
            if self.out.len() > self.limit {
                cut = true;
                break;
            }
        }
        self.end_verbatim();
        self.close_above(0);
        let title = self.title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "));
        Converted { text: self.out.finish(), title: title.filter(|title| !title.is_empty()), cut }
    }

    fn text(&mut self, text: &str) {
        if self.in_title {
            self.title.get_or_insert_default().push_str(text);
        } else if self.skipped.is_some() {
        } else if let Some(verbatim) = &mut self.verbatim {
            verbatim.text.push_str(text);
        } else {
            self.words(text);
        }
    }

    fn words(&mut self, text: &str) {
        for word in text.split_inclusive(|c: char| c.is_ascii_whitespace()) {
            let bare = word.trim_end_matches(|c: char| c.is_ascii_whitespace());
            if !bare.is_empty() {
                if self.markdown {
                    let escaped = inline::escape(bare, !self.out.in_line(), self.in_cell());
                    self.out.word(&escaped);
                } else {
                    self.out.word(bare);
                }
            }
            if bare.len() < word.len() {
                self.out.space();
            }
        }
    }

    fn start(&mut self, tag: &StartTag<()>) {
        let name: &[u8] = &tag.name;
        if let Some((skipped, depth)) = &mut self.skipped {
            *depth += usize::from(skipped.as_slice() == name && !tag.self_closing);
            return;
        }
        if SKIPPED.contains(&name) && !(tag.self_closing && matches!(name, b"svg" | b"math")) {
            self.skipped = Some((name.to_vec(), 1));
            return;
        }
        match name {
            b"title" => self.in_title = self.title.is_none(),
            b"base" => self.rebase(tag),
            b"br" => self.line_break(),
            b"hr" => self.rule(),
            b"img" => self.picture(tag),
            b"pre" => self.start_pre(tag),
            b"code" | b"kbd" | b"samp" | b"tt" => self.start_code(tag),
            b"a" => self.start_link(tag),
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => self.start_heading(usize::from(name[1] - b'0')),
            b"ul" | b"ol" | b"menu" => self.start_list(tag),
            b"li" => self.start_item(),
            b"blockquote" => self.start_quote(),
            b"table" => self.start_table(),
            b"tr" => self.start_row(),
            b"td" | b"th" => self.start_cell(),
            _ if PARAGRAPHS.contains(&name) => self.block(2),
            _ if BLOCKS.contains(&name) => self.block(1),
            _ => self.start_emphasis(name),
        }
    }

    fn end(&mut self, name: &[u8]) {
        if let Some((skipped, depth)) = &mut self.skipped {
            *depth -= usize::from(skipped.as_slice() == name);
            if *depth == 0 {
                self.skipped = None;
            }
            return;
        }
        match name {
            b"title" => self.in_title = false,
            b"pre" | b"code" | b"kbd" | b"samp" | b"tt" => {
                let ends_block = name == b"pre";
                if self.verbatim.as_ref().is_some_and(|open| open.is_block == ends_block) {
                    self.end_verbatim();
                }
            }
            b"a" => self.close(Kind::Link),
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => {
                self.out.heading(0);
                self.block(2);
            }
            b"ul" | b"ol" | b"menu" => self.end_list(),
            b"li" => self.end_item(),
            b"blockquote" => self.end_quote(),
            b"table" => self.end_table(),
            b"tr" => self.end_row(),
            _ if PARAGRAPHS.contains(&name) => self.block(2),
            _ if BLOCKS.contains(&name) => self.block(1),
            _ => {
                if let Some(inline) = Inline::emphasis(name) {
                    self.close(inline.kind);
                }
            }
        }
    }

    /// A break that a tag asks for: a space where no line may end, in a cell or in a link.
    fn block(&mut self, newlines: usize) {
        if self.verbatim.as_ref().is_some_and(|open| !open.is_block) {
            self.end_verbatim();
        }
        if self.verbatim.is_some() {
            return;
        }
        if self.in_cell() || self.in_link() {
            self.out.space();
            return;
        }
        self.close_above(0);
        self.out.break_line(newlines);
    }

    fn line_break(&mut self) {
        if let Some(verbatim) = &mut self.verbatim {
            verbatim.text.push('\n');
        } else if self.in_cell() {
            self.out.space();
        } else {
            self.out.break_line(1);
        }
    }

    fn rule(&mut self) {
        self.block(2);
        if self.markdown && !self.in_cell() && self.inlines.is_empty() {
            self.out.word("---");
            self.out.break_line(2);
        }
    }

    fn rebase(&mut self, tag: &StartTag<()>) {
        if let Some(base) = attribute(tag, b"href").and_then(|href| self.base.join(&href).ok()) {
            self.base = base;
        }
    }

    /// Whether the text belongs to a link, which is one line too.
    fn in_link(&self) -> bool {
        self.inlines.iter().any(|inline| inline.kind == Kind::Link)
    }

    /// Whether the text belongs to a cell, which is one line.
    fn in_cell(&self) -> bool {
        self.tables.last().is_some_and(|table| table.is_data && table.cells > 0)
    }
}

fn tokens(page: &str) -> impl Iterator<Item = Token> {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(page, emitter).map(|token: Result<Token, Infallible>| match token {
        Ok(token) => token,
        Err(never) => match never {},
    })
}

fn attribute(tag: &StartTag<()>, name: &[u8]) -> Option<String> {
    tag.attributes.get(name).map(|value| String::from_utf8_lossy(&value.value).into_owned())
}

/// What is in them is for the browser.
const SKIPPED: &[&[u8]] = &[
    b"audio",
    b"canvas",
    b"iframe",
    b"math",
    b"noembed",
    b"noframe",
    b"noscript",
    b"object",
    b"script",
    b"select",
    b"style",
    b"svg",
    b"template",
    b"textarea",
    b"video",
];

const PARAGRAPHS: &[&[u8]] = &[b"p", b"figure", b"dl", b"fieldset", b"details", b"section", b"article"];

const BLOCKS: &[&[u8]] = &[
    b"address",
    b"aside",
    b"body",
    b"caption",
    b"center",
    b"dd",
    b"div",
    b"dt",
    b"figcaption",
    b"footer",
    b"form",
    b"header",
    b"html",
    b"legend",
    b"main",
    b"nav",
    b"option",
    b"summary",
    b"tbody",
    b"tfoot",
    b"thead",
];
