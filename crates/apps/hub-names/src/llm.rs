//! Forms for programs that call a model themselves: tool definitions and results for each API, and calls read from the
//! text of a model.
//!
//! - [`messages_definition`] and [`openai_definition`] describe tools to a model that calls them natively.
//! - [`messages_content`] converts the result of a call.
//! - [`section`] describes the connected servers in a prompt.
//! - [`read`] reads calls from the text of a model that has no native tool calls.

mod definition;
mod fence;
mod form;
mod read;
mod result;
mod schema;
mod section;

pub use definition::{messages_definition, openai_definition};
pub use fence::{fenced, is_invisible};
pub use form::CallForm;
pub use read::{Finding, Misread, TextCall, Why, read};
pub use result::{messages_content, messages_contents, quoted};
pub use section::{DescribedServer, section};
