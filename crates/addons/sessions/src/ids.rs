//! The form of session ids.

/// Returns whether the text is a UUID in the hyphenated form, in either case.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36 && uuid::Uuid::try_parse(text).is_ok()
}
