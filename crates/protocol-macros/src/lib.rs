#![doc = include_str!("../README.md")]

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Declares a wire struct: non-exhaustive, with the derives `Clone`, `Debug`, `PartialEq`, `Deserialize` and `Serialize`.
///
/// An `Option` field that is `None` and a `Nullable` field that is absent are left out when the struct is serialized.
/// A field with `#[serialize_always]` is written as `null` instead.
///
/// Arguments are further derives, and:
/// - `camelCase`: names in JSON are in camel case;
/// - `default`: missing fields have the struct's default;
/// - `nulls`: every `None` is written as `null`;
/// - `hidden`: `Debug` is written by hand.
#[proc_macro_attribute]
pub fn wire(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (mut derives, mut serde) = (String::new(), String::new());
    let (mut debug, mut skips_none) = ("Debug,", true);
    for argument in arguments {
        match argument.to_string().as_str() {
            "camelCase" => serde.push_str(r#"#[serde(rename_all = "camelCase")]"#),
            "default" => serde.push_str("#[serde(default)]"),
            "nulls" => skips_none = false,
            "hidden" => debug = "",
            "," => {}
            derive => derives.extend([derive, ", "]),
        }
    }
    let attributes = format!(
        "#[derive({derives} Clone, {debug} PartialEq, ::serde::Deserialize, ::serde::Serialize)] {serde} #[non_exhaustive]"
    );
    let fields = item.into_iter().map(|token| match token {
        TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => {
            let mut fields = Group::new(Delimiter::Brace, with_skips(body.stream(), skips_none));
            fields.set_span(body.span());
            fields.into()
        }
        other => other,
    });
    attributes.parse::<TokenStream>().into_iter().flatten().chain(fields).collect()
}

/// Adds the attribute to each optional field of a struct.
fn with_skips(fields: TokenStream, skips_none: bool) -> TokenStream {
    let mut written = TokenStream::new();
    let mut field = Vec::new();
    let mut open_angles = 0_usize;
    for token in fields {
        let symbol = if let TokenTree::Punct(punct) = &token { punct.as_char() } else { ' ' };
        field.push(token);
        match symbol {
            '<' => open_angles += 1,
            '>' => open_angles = open_angles.saturating_sub(1),
            ',' if open_angles == 0 => written.extend(with_skip(std::mem::take(&mut field), skips_none)),
            _ => {}
        }
    }
    written.extend(with_skip(field, skips_none));
    written
}

/// Adds the attribute to one field if it is optional and not marked with `#[serialize_always]`.
fn with_skip(mut field: Vec<TokenTree>, skips_none: bool) -> TokenStream {
    let marker = field.iter().position(
        |token| matches!(token, TokenTree::Group(group) if group.stream().to_string() == "serialize_always"),
    );
    if let Some(marker) = marker {
        field.drain(marker.saturating_sub(1)..=marker);
        return field.into_iter().collect();
    }
    let colon =
        field.iter().position(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':'));
    let skip = match colon.and_then(|colon| field.get(colon + 1)).and_then(first_name).as_deref() {
        Some("Option") if skips_none => r#"#[serde(skip_serializing_if = "Option::is_none")]"#,
        Some("Nullable") => r#"#[serde(default, skip_serializing_if = "Nullable::is_absent")]"#,
        _ => "",
    };
    skip.parse::<TokenStream>().into_iter().flatten().chain(field).collect()
}

/// Returns the first name of a type; a type that a declarative macro passed on is in an invisible group.
fn first_name(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Ident(name) => Some(name.to_string()),
        TokenTree::Group(group) => group.stream().into_iter().next().as_ref().and_then(first_name),
        _ => None,
    }
}
