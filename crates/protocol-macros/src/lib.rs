#![doc = include_str!("../README.md")]

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Leaves out every `Option` field that is `None` when the struct is serialized.
///
/// Stands before the derive of `Serialize`. A field with `#[serialize_always]` is written as `null` instead.
#[proc_macro_attribute]
pub fn skip_serializing_none(_: TokenStream, item: TokenStream) -> TokenStream {
    item.into_iter()
        .map(|token| match token {
            TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => {
                let mut fields = Group::new(Delimiter::Brace, with_skips(body.stream()));
                fields.set_span(body.span());
                fields.into()
            }
            other => other,
        })
        .collect()
}

/// Adds the attribute to each `Option` field among the fields of a struct.
fn with_skips(fields: TokenStream) -> TokenStream {
    let mut written = TokenStream::new();
    let mut field = Vec::new();
    let mut open_angles = 0_usize;
    for token in fields {
        let symbol = if let TokenTree::Punct(punct) = &token { punct.as_char() } else { ' ' };
        field.push(token);
        match symbol {
            '<' => open_angles += 1,
            '>' => open_angles = open_angles.saturating_sub(1),
            ',' if open_angles == 0 => written.extend(with_skip(std::mem::take(&mut field))),
            _ => {}
        }
    }
    written.extend(with_skip(field));
    written
}

/// Adds the attribute to one field if it is an `Option` and not marked with `#[serialize_always]`.
fn with_skip(mut field: Vec<TokenTree>) -> TokenStream {
    let marker = field.iter().position(
        |token| matches!(token, TokenTree::Group(group) if group.stream().to_string() == "serialize_always"),
    );
    if let Some(marker) = marker {
        field.drain(marker.saturating_sub(1)..=marker);
        return field.into_iter().collect();
    }
    let colon =
        field.iter().position(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':'));
    let optional = colon.and_then(|colon| field.get(colon + 1)).is_some_and(starts_with_option);
    let skip = if optional { r#"#[serde(skip_serializing_if = "Option::is_none")]"# } else { "" };
    skip.parse::<TokenStream>().into_iter().flatten().chain(field).collect()
}

/// Whether a type begins with `Option`; a type that a declarative macro passed on is in an invisible group.
fn starts_with_option(token: &TokenTree) -> bool {
    match token {
        TokenTree::Ident(name) => name.to_string() == "Option",
        TokenTree::Group(group) => {
            group.stream().into_iter().next().is_some_and(|token| starts_with_option(&token))
        }
        _ => false,
    }
}
