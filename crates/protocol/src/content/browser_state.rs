//! `browser_state`: the state of a browser, within the result of a browser tool.

use super::CacheControl;

/// The browser's tabs after a tool use (`browser_state`).
#[wire(Default)]
pub struct BrowserState {
    /// All tabs.
    pub tabs: Vec<BrowserTab>,
    /// The changes; absent if there were none.
    pub state_changes: Option<Vec<BrowserChange>>,
    /// Cache breakpoint: the API caches the prompt up to this block. Only in requests.
    pub cache_control: Option<Box<CacheControl>>,
}

/// A tab of a browser.
#[wire]
pub struct BrowserTab {
    /// Its id.
    pub tab_id: Box<str>,
    /// The page's title.
    pub title: String,
    /// The page's URL.
    pub url: Box<str>,
    /// Whether this is the active tab.
    pub active: Option<bool>,
}

/// A change in a browser.
#[wire(tag = "type")]
pub enum BrowserChange {
    /// A tab was opened.
    TabOpened(TabOpened) = "tab_opened",
    /// A download began.
    DownloadStarted(Download) = "download_started",
    /// A download completed.
    DownloadCompleted(Download) = "download_completed",
    /// A download failed.
    DownloadFailed(Download) = "download_failed",
}

/// A tab was opened (`tab_opened`).
#[wire]
pub struct TabOpened {
    /// The tab.
    pub tab_id: Box<str>,
}

/// A started, completed or failed download.
#[wire]
pub struct Download {
    /// Its id, the same at its start and its end.
    pub download_id: Box<str>,
    /// The URL.
    pub url: Box<str>,
    /// The path of the saved file; only of a completed download.
    pub path: Option<Box<str>>,
    /// The size in bytes; only of a completed download.
    pub size_bytes: Option<u64>,
    /// The error; only of a failed download.
    pub error: Option<String>,
}
