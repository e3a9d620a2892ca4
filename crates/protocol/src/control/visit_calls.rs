//! Names every request that we know to send, for tools and tests that treat all of them alike.

use std::fmt::Debug;

use serde::{Serialize, de::DeserializeOwned};

use super::{ControlCall, Initialize, Interrupt, McpStatus, SendMcpMessage, SetModel, SetPermissionMode};

/// What is done with each kind of request.
pub trait CallVisitor {
    /// One kind of request.
    fn call<C>(&mut self)
    where
        C: ControlCall + DeserializeOwned + PartialEq + Debug + 'static,
        C::Reply: Serialize + PartialEq + Debug;
}

/// Shows `visitor` every kind of request to the CLI that this crate has a type for, each once.
pub fn visit_calls(visitor: &mut impl CallVisitor) {
    visitor.call::<Initialize>();
    visitor.call::<Interrupt>();
    visitor.call::<SetPermissionMode>();
    visitor.call::<SetModel>();
    visitor.call::<McpStatus>();
    visitor.call::<SendMcpMessage>();
}
