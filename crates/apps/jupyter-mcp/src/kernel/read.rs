//! Reads messages of a kernel.

use jupyter_protocol::{
    ExecuteReply, Header, JupyterMessage, JupyterMessageContent, ReplyError, ReplyStatus,
};
use jupyter_zmq_client::{Connection, RawMessage, RuntimeError};
use serde::Deserialize as _;
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
    let content = decode(&header.msg_type, content)
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

/// Decodes the content of a message.
///
/// If the library can't decode a reply, the parts that say how the code ended are kept. IRkernel has a status of its own
/// for interrupted code.
fn decode(msg_type: &str, content: Value) -> serde_json::Result<JupyterMessageContent> {
    let kept = (msg_type == "execute_reply").then(|| ExecuteReply {
        status: ReplyStatus::deserialize(&content["status"]).unwrap_or(ReplyStatus::Error),
        error: ReplyError::deserialize(&content).ok().map(Box::new),
        ..ExecuteReply::default()
    });
    let decoded = JupyterMessageContent::from_type_and_content(msg_type, content);
    decoded.or_else(|error| kept.map(JupyterMessageContent::ExecuteReply).ok_or(error))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reply_that_is_partly_unknown_says_how_the_code_ended() {
        let later = json!([{"source": "later"}]);
        let failed =
            json!({"status": "error", "ename": "E", "evalue": "", "traceback": [], "payload": later});
        for (content, status, name) in [
            (json!({"status": "ok", "payload": later}), ReplyStatus::Ok, None),
            (json!({"status": "abort"}), ReplyStatus::Error, None),
            (json!({"status": "aborted", "payload": later}), ReplyStatus::Aborted, None),
            (failed, ReplyStatus::Error, Some("E")),
        ] {
            let Ok(JupyterMessageContent::ExecuteReply(reply)) = decode("execute_reply", content) else {
                panic!("it is not a reply")
            };
            assert_eq!((reply.status, reply.error.as_ref().map(|error| &*error.ename)), (status, name));
        }
    }
}
