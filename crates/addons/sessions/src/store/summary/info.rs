//! The information for lists in a summary.

use std::collections::BTreeMap;

use agentwire_protocol::RawJson;
use agentwire_protocol::session_info::SessionInfo;
use serde::de::DeserializeOwned;

use super::{SessionSummary, in_snake_case};

impl SessionSummary {
    /// Returns the information for lists; `None` for a sidechain, or if there is nothing to show.
    ///
    /// It matches [`Sessions::list`](crate::Sessions::list), except that there is no file size, that entries in the
    /// middle of a long session count too, and that fields inside of other fields don't.
    /// Data of the reference SDKs' stores is supported too.
    pub fn info(&self) -> Option<SessionInfo> {
        let data = self.fields()?;
        if data.read("is_sidechain") == Some(true) { None } else { self.info_in(&data) }
    }

    /// Returns the same also for a session that begins with a sidechain.
    pub(crate) fn plain_info(&self) -> Option<SessionInfo> {
        self.info_in(&self.fields()?)
    }

    fn fields(&self) -> Option<Data> {
        self.data.decode().ok().map(in_snake_case).map(Data)
    }

    fn info_in(&self, data: &Data) -> Option<SessionInfo> {
        let locked = data.read("first_prompt_locked") == Some(true);
        let first_prompt = data.text(if locked { "first_prompt" } else { "command_fallback" });
        let custom_title = data.text("custom_title").or_else(|| data.text("ai_title"));
        let summary = custom_title.clone().or_else(|| data.text("last_prompt"));
        let summary = summary.or_else(|| data.text("summary_hint")).or_else(|| first_prompt.clone());
        let summary = summary.or_else(|| data.text("media_fallback"))?;
        let mut info = SessionInfo::new(self.session_id.clone(), summary, self.modified_ms);
        info.custom_title = custom_title;
        info.first_prompt = first_prompt;
        info.git_branch = data.text("git_branch");
        info.cwd = data.text("cwd");
        info.tag = data.text("tag");
        info.archived = data.read("archived");
        info.created_at = data.read("created_at");
        Some(info)
    }
}

/// The fields of a summary; fields of an unexpected type are ignored.
struct Data(BTreeMap<String, RawJson>);

impl Data {
    fn read<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        self.0.get(name)?.decode().ok()
    }

    fn text(&self, name: &str) -> Option<String> {
        self.read(name).filter(|text: &String| !text.is_empty())
    }
}
