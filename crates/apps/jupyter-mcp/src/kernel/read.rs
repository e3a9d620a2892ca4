//! Reads messages of a kernel.

use jupyter_protocol::{Header, JupyterMessage, JupyterMessageContent};
use jupyter_zmq_client::{Connection, RawMessage, RuntimeError};
use serde_json::Value;
use zeromq::SocketRecv;

/// Reads a message. Invalid UTF-8 in its content, as in a file name that is printed, becomes U+FFFD: the connection's own
/// method loses the message.
pub(crate) async fn read<S: SocketRecv>(from: &mut Connection<S>) -> Result<JupyterMessage, RuntimeError> {
    let RawMessage { zmq_identities, jparts } =
        RawMessage::from_multipart(from.socket.recv().await?, &from.mac)?;
    let [header, parent, metadata, content, buffers @ ..] = &jparts[..] else {
        return Err(RuntimeError::InsufficientMessageParts(jparts.len()));
    };
    let header: Header = serde_json::from_slice(header)?;
    let content: Value = serde_json::from_str(&String::from_utf8_lossy(content))?;
    let content = JupyterMessageContent::from_type_and_content(&header.msg_type, content)
        .map_err(|source| RuntimeError::ParseError { msg_type: header.msg_type.clone(), source })?;
    Ok(JupyterMessage {
        zmq_identities,
        header,
        parent_header: serde_json::from_slice(parent).ok(),
        metadata: serde_json::from_slice(metadata)?,
        content,
        buffers: buffers.to_vec(),
        channel: None,
    })
}
