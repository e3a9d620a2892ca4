//! Cuts a part of a long text.

/// Returns `length` characters of `text` from `start`; the last line names the start of the next part.
pub(crate) fn cut(text: &str, start: usize, length: usize) -> String {
    let total = text.chars().count();
    if start == 0 && total <= length {
        return text.to_owned();
    }
    if start >= total {
        return format!("[No characters from {start} on: there are {total}.]");
    }
    let end = total.min(start.saturating_add(length));
    let shown: String = text.chars().skip(start).take(end - start).collect();
    let more = if end < total { format!(" Go on with start_index {end}.") } else { String::new() };
    format!("{shown}\n\n[Characters {start} to {end} of {total}.{more}]")
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_short_text_stays() {
        assert_eq!(cut("abc", 0, 3), "abc");
        assert_eq!(cut("", 0, 3), "");
    }

    #[test]
    fn pages_follow_one_another_in_characters() {
        assert_eq!(cut("añb", 0, 2), "añ\n\n[Characters 0 to 2 of 3. Go on with start_index 2.]");
        assert_eq!(cut("añb", 2, 2), "b\n\n[Characters 2 to 3 of 3.]");
        assert_eq!(cut("añb", 3, 2), "[No characters from 3 on: there are 3.]");
        assert_eq!(cut("añb", 1, usize::MAX), "ñb\n\n[Characters 1 to 3 of 3.]");
    }
}
