#![doc = include_str!("../README.md")]

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Declares a wire type.
///
/// # Enums
///
/// Without an argument: an open set of strings, by the crate's macro `open_enum!`.
/// With `tag = "type"`: a union of objects that this field distinguishes, by the crate's macro `tagged!`, which has the
/// other arguments.
///
/// # Structs
///
/// Non-exhaustive, with the derives `Clone`, `Debug`, `PartialEq`, `Deserialize` and `Serialize`.
///
/// An `Option` field that is `None` and a `Nullable` field that is absent are left out when the struct is serialized.
/// A field with `#[serialize_always]` is written as `null` instead.
///
/// Arguments are further derives, and:
/// - `camelCase`: names in JSON are in camel case;
/// - `tolerant`: a missing field has its type's default, and numbers are read by the crate's module `lenient`; a field
///   with `#[required]` must be there;
/// - `message`: the fields of every message, `session_id` and `uuid`, behind the others;
/// - `new`: a constructor of the fields that are neither optional nor collections, and those with `#[argument]`;
/// - `nulls`: every `None` is written as `null`.
///
/// For a field with `#[shown(expression)]`, `Debug` shows that expression of `self` in its place.
#[proc_macro_attribute]
pub fn wire(arguments: TokenStream, item: TokenStream) -> TokenStream {
    if item.clone().into_iter().any(|token| token.to_string() == "enum") {
        return enumeration(&arguments, item);
    }
    let (mut derives, mut serde) = (String::new(), "");
    let (mut common_fields, mut has_new) = ("", false);
    let mut rules = Rules { skips_none: true, tolerant: false };
    for argument in arguments {
        match argument.to_string().as_str() {
            "camelCase" => serde = r#"#[serde(rename_all = "camelCase")]"#,
            "tolerant" => rules.tolerant = true,
            "message" => common_fields = MESSAGE,
            "new" => has_new = true,
            "nulls" => rules.skips_none = false,
            "," => {}
            derive => derives.extend([derive, ", "]),
        }
    }
    let (mut declared, mut implemented) = (TokenStream::new(), TokenStream::new());
    let mut last = String::new();
    for token in item {
        match token {
            TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => {
                let fields = fields(body.stream().into_iter().chain(parse(common_fields)));
                if has_new {
                    implemented.extend(parse(&constructor(&last, &fields)));
                }
                if fields.iter().any(|field| field.shown.is_some()) {
                    implemented.extend(parse(&debug(&last, &fields)));
                } else {
                    derives += "Debug, ";
                }
                let fields = fields.into_iter().flat_map(|field| field.with_attribute(rules));
                let mut fields = Group::new(Delimiter::Brace, fields.collect());
                fields.set_span(body.span());
                declared.extend([TokenTree::from(fields)]);
            }
            other => {
                last = other.to_string();
                declared.extend([other]);
            }
        }
    }
    let mut written = parse(&format!(
        "#[derive({derives} Clone, PartialEq, ::serde::Deserialize, ::serde::Serialize)] {serde} #[non_exhaustive]"
    ));
    written.extend([declared, implemented]);
    written
}

/// Passes an enum to its macro, with the arguments between its name and its body.
fn enumeration(arguments: &TokenStream, item: TokenStream) -> TokenStream {
    let declare =
        if arguments.is_empty() { "crate::open_enum::open_enum!" } else { "crate::tagged::tagged!" };
    let (mut written, mut declared) = (parse(declare), TokenStream::new());
    for token in item {
        if matches!(&token, TokenTree::Group(body) if body.delimiter() == Delimiter::Brace) {
            declared.extend(arguments.clone());
        }
        declared.extend([token]);
    }
    written.extend([TokenTree::from(Group::new(Delimiter::Brace, declared))]);
    written
}

/// The rules for the fields of a struct.
#[derive(Clone, Copy)]
struct Rules {
    skips_none: bool,
    tolerant: bool,
}

/// A field, without the markers that only this macro reads.
struct Field {
    tokens: Vec<TokenTree>,
    name: String,
    ty: String,
    is_always_written: bool,
    is_required: bool,
    is_argument: bool,
    shown: Option<String>,
}

/// Splits the body of a struct into its fields.
fn fields(body: impl IntoIterator<Item = TokenTree>) -> Vec<Field> {
    let (mut fields, mut tokens, mut open_angles) = (Vec::new(), Vec::new(), 0_usize);
    for token in body {
        let symbol = if let TokenTree::Punct(punct) = &token { punct.as_char() } else { ' ' };
        match symbol {
            '<' => open_angles += 1,
            '>' => open_angles = open_angles.saturating_sub(1),
            ',' if open_angles == 0 => {
                fields.extend(Field::read(std::mem::take(&mut tokens)));
                continue;
            }
            _ => {}
        }
        tokens.push(token);
    }
    fields.extend(Field::read(tokens));
    fields
}

impl Field {
    fn read(mut tokens: Vec<TokenTree>) -> Option<Self> {
        let [is_always_written, is_required, is_argument] = ["serialize_always", "required", "argument"]
            .map(|marker| take_marker(&mut tokens, marker).is_some());
        let shown = take_marker(&mut tokens, "shown");
        let is_colon = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':');
        let colon = tokens.iter().position(is_colon)?;
        let name = tokens.get(colon.checked_sub(1)?)?.to_string();
        let ty =
            TokenStream::from_iter(tokens.get(colon + 1..)?.iter().cloned()).to_string().replace(' ', "");
        Some(Self { tokens, name, ty, is_always_written, is_required, is_argument, shown })
    }

    /// Returns whether the field has this type, with any arguments.
    fn is(&self, ty: &str) -> bool {
        self.ty.strip_prefix(ty).is_some_and(|rest| rest.is_empty() || rest.starts_with('<'))
    }

    /// Returns the field with the attribute for serde that the rules and its type require.
    fn with_attribute(self, rules: Rules) -> TokenStream {
        let mut serde = Vec::new();
        if self.is("Nullable") {
            serde.extend(["default", r#"skip_serializing_if = "Nullable::is_absent""#]);
        } else if self.is("Option") && rules.skips_none && !self.is_always_written {
            serde.push(r#"skip_serializing_if = "Option::is_none""#);
        }
        if rules.tolerant && !self.is_required && !self.is("Nullable") && !self.has_default() {
            serde.push("default");
            serde.extend(LENIENT.iter().filter(|(number, _)| self.is(number)).map(|(_, read)| *read));
        }
        let mut field = parse(&format!("#[serde({})]", serde.join(", ")));
        field.extend(self.tokens);
        field.extend(parse(","));
        field
    }

    /// Returns whether an attribute of the field names a default of its own.
    fn has_default(&self) -> bool {
        self.tokens.iter().any(|token| {
            let TokenTree::Group(group) = token else { return false };
            let attribute = group.stream().to_string();
            attribute.starts_with("serde") && attribute.contains("default")
        })
    }
}

/// Removes the attribute `#[marker]` or `#[marker(argument)]` of a field. Returns its argument if the field has it.
fn take_marker(field: &mut Vec<TokenTree>, marker: &str) -> Option<String> {
    let argument = |token: &TokenTree| {
        let TokenTree::Group(group) = token else { return None };
        let mut attribute = group.stream().into_iter();
        (attribute.next()?.to_string() == marker).then(|| attribute.collect::<TokenStream>().to_string())
    };
    let (found, argument) = field.iter().enumerate().find_map(|(at, token)| Some((at, argument(token)?)))?;
    field.drain(found.saturating_sub(1)..=found);
    Some(argument)
}

/// Returns the `Debug` of a struct with fields that it shows in another form.
fn debug(of: &str, fields: &[Field]) -> String {
    let shown = fields.iter().map(|Field { name, shown, .. }| match shown {
        Some(shown) => format!(".field({name:?}, &{shown})"),
        None => format!(".field({name:?}, &self.{name})"),
    });
    format!(
        "impl ::std::fmt::Debug for {of} {{
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {{
                f.debug_struct({of:?}){}.finish()
            }}
        }}",
        shown.collect::<String>()
    )
}

/// Returns the constructor of a struct. It takes texts in any form.
fn constructor(of: &str, fields: &[Field]) -> String {
    let (mut parameters, mut values) = (String::new(), String::new());
    for field @ Field { name, ty, is_argument, .. } in fields {
        if OPTIONAL.iter().any(|optional| field.is(optional)) && !is_argument {
            values += &format!("{name}: ::std::default::Default::default(),");
        } else if TEXTS.contains(&ty.as_str()) {
            parameters += &format!("{name}: impl Into<{ty}>,");
            values += &format!("{name}: {name}.into(),");
        } else {
            parameters += &format!("{name}: {ty},");
            values += &format!("{name},");
        }
    }
    format!(
        "impl {of} {{
            /// Creates one from these fields. The other fields are absent or empty.
            pub fn new({parameters}) -> Self {{ Self {{ {values} }} }}
        }}"
    )
}

/// Parses code of this macro, which is always valid.
fn parse(code: &str) -> TokenStream {
    code.parse().unwrap_or_default()
}

/// The fields of every message.
const MESSAGE: &str = "
    /// The session id.
    pub session_id: Option<crate::SessionId>,
    /// The id of this frame.
    pub uuid: Option<crate::Uuid>,
";
/// How a tolerant struct reads its numbers, by their type.
const LENIENT: [(&str, &str); 3] = [
    ("u64", r#"deserialize_with = "crate::lenient::count""#),
    ("Option<u64>", r#"deserialize_with = "crate::lenient::optional_count""#),
    ("f64", r#"deserialize_with = "crate::lenient::amount""#),
];
/// The types of fields that a constructor leaves out.
const OPTIONAL: [&str; 5] = ["Option", "Nullable", "Vec", "BTreeMap", "Secrets"];
/// The types of text that a constructor converts into.
const TEXTS: [&str; 5] = ["String", "Box<str>", "ToolName", "ToolUseId", "RawSettings"];
