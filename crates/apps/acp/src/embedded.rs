//! Texts that a prompt embeds, as the CLI gets and stores them.

use agent_client_protocol::v1::schema::TextResourceContents;

use crate::mention;

/// Returns an embedded text with its address, as a block before the words of the user.
pub(crate) fn written(text: &TextResourceContents) -> String {
    format!("{START}{}\">\n{}{END}", text.uri, text.text)
}

/// Returns the text that stands for an embedded text in the words of the user.
pub(crate) fn reference(uri: &str) -> String {
    mention::escaped(&format!("[{uri}]"))
}

/// Returns the embedded text that was written as the text of a block, if it was one.
pub(crate) fn read(block: &str) -> Option<TextResourceContents> {
    // The npm adapter begins the block with a line break.
    let (uri, text) = block.trim_start().strip_prefix(START)?.split_once("\">\n")?;
    Some(TextResourceContents::new(text.trim_end().strip_suffix(END)?, uri))
}

const START: &str = "<context ref=\"";
const END: &str = "\n</context>";
