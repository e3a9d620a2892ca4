//! The handshake of another host: the hooks in it, which we must answer.

use crate::{ids::Ids, json::Json};

/// Binds the hook callbacks of two handshakes by their place among those of their event; an event must have as many
/// callbacks in both.
pub(super) fn compare(expected: &Json, actual: &Json, ids: &mut Ids) -> Result<(), String> {
    for (event, _) in actual.at(&["hooks"]).map_or(&[][..], Json::fields) {
        if !callbacks(actual, event).is_empty() && callbacks(expected, event).is_empty() {
            return Err(format!("it has hooks for `{event}`, and the recorded one has none"));
        }
    }
    for (event, _) in expected.at(&["hooks"]).map_or(&[][..], Json::fields) {
        let (recorded, ours) = (callbacks(expected, event), callbacks(actual, event));
        if recorded.len() != ours.len() {
            let (recorded, ours) = (recorded.len(), ours.len());
            return Err(format!("it has {ours} hooks for `{event}`, and the recorded one has {recorded}"));
        }
        for (recorded, ours) in recorded.iter().zip(ours) {
            ids.bind_callback(recorded, ours);
        }
    }
    Ok(())
}

/// Returns the callback ids of an event, in the order of its matchers.
fn callbacks<'a>(request: &'a Json, event: &str) -> Vec<&'a str> {
    let matchers = request.at(&["hooks", event]).map_or(&[][..], Json::list);
    let ids = matchers.iter().filter_map(|matcher| matcher.field("hookCallbackIds"));
    ids.flat_map(Json::list).filter_map(Json::text).collect()
}
