//! `browser_state`: what a browser tool tells the model of the browser, within a tool's result.

use serde::{Deserialize, Serialize};

use super::CacheControl;
use crate::tagged::tagged;

/// The browser's tabs after a tool was used (`browser_state`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct BrowserState {
    /// All tabs.
    pub tabs: Vec<BrowserTab>,
    /// What changed; absent where nothing did.
    pub state_changes: Option<Vec<BrowserChange>>,
    /// A mark that the prompt up to here be cached; only on its way to the model.
    pub cache_control: Option<Box<CacheControl>>,
}

/// A tab of a browser.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct BrowserTab {
    /// Its id.
    pub tab_id: Box<str>,
    /// The page's title.
    pub title: String,
    /// The page's address.
    pub url: Box<str>,
    /// Whether it is the one in front.
    pub active: Option<bool>,
}

tagged! {
    /// What changed in a browser.
    pub enum BrowserChange by "type" {
        /// A tab was opened.
        TabOpened(TabOpened) = "tab_opened",
        /// A download began.
        DownloadStarted(Download) = "download_started",
        /// A download is there.
        DownloadCompleted(Download) = "download_completed",
        /// A download failed.
        DownloadFailed(Download) = "download_failed",
    }
}

/// A tab was opened (`tab_opened`).
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct TabOpened {
    /// The tab.
    pub tab_id: Box<str>,
}

/// A download, at its start or its end.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Download {
    /// Its id, the same at its start and its end.
    pub download_id: Box<str>,
    /// The address that it comes from.
    pub url: Box<str>,
    /// Where it was saved; only of one that is there.
    pub path: Option<Box<str>>,
    /// How large it is, in bytes; only of one that is there.
    pub size_bytes: Option<u64>,
    /// What went wrong; only of one that failed.
    pub error: Option<String>,
}
