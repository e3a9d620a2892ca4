//! Reads a list of a server page by page, within bounds.

use std::{collections::HashSet, sync::Arc, time::Duration};

use agentwire_net::{error_chain, excerpt};
use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{
        ErrorCode, MetaObject, PaginatedRequestParams, Prompt, Resource, ResourceTemplate,
        ServerCapabilities, Tool,
    },
};
use serde::Serialize;
use tokio::time::{Instant, timeout};

use crate::{size::size, transport::members::unfit};

/// A list and the problem with it, if any.
#[derive(Debug, PartialEq)]
pub(super) struct Listed<T> {
    pub(super) items: Vec<T>,
    pub(super) problem: Option<Arc<str>>,
    pub(super) reply: Reply,
    /// Whether no page was missing when the items were read.
    is_complete: bool,
}

/// The result of the request for a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Reply {
    #[default]
    NotRequested,
    Received,
    Late,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self { items: Vec::new(), problem: None, reply: Reply::default(), is_complete: true }
    }
}

impl<T> Listed<T> {
    /// Returns the newer list, or a clone of this list if they are equal. If nothing of the newer list could be read, or only
    /// the first pages and these items are complete, it gets these items.
    pub(super) fn or_newer(self: &Arc<Self>, mut newer: Self) -> Arc<Self>
    where
        T: Clone + PartialEq,
    {
        let is_unread = newer.items.is_empty() || self.is_complete && !newer.is_complete;
        if is_unread && newer.problem.is_some() && !self.items.is_empty() {
            newer.items.clone_from(&self.items);
            newer.is_complete = self.is_complete;
        }
        if newer == **self { Arc::clone(self) } else { Arc::new(newer) }
    }

    fn note(&mut self, problem: String) {
        self.problem.get_or_insert_with(|| problem.into());
    }

    /// Removes items with the name of an earlier item.
    fn unique(mut self, name: impl Fn(&T) -> &str) -> Self {
        let mut seen = HashSet::new();
        let mut doubles = Vec::new();
        self.items.retain(|item| {
            let is_new = seen.insert(name(item).to_owned());
            if !is_new {
                doubles.push(name(item).to_owned());
            }
            is_new
        });
        if let Some(double) = doubles.first() {
            self.note(format!(
                "{} listed twice, of which the first counts: `{}`",
                doubles.len(),
                excerpt(double)
            ));
        }
        self
    }
}

pub(super) async fn tools(peer: &Peer<RoleClient>, limit: Duration) -> Listed<Tool> {
    if !announces(peer, |offers| offers.tools.is_some()) {
        return Listed::default();
    }
    let page = |cursor| async move {
        peer.list_tools(cursor).await.map(|page| (page.tools, page.next_cursor, page.meta))
    };
    pages(page, limit).await.unique(|tool| &tool.name)
}

pub(super) async fn resources(peer: &Peer<RoleClient>, limit: Duration) -> Listed<Resource> {
    if !announces(peer, |offers| offers.resources.is_some()) {
        return Listed::default();
    }
    let page = |cursor| async move {
        peer.list_resources(cursor).await.map(|page| (page.resources, page.next_cursor, page.meta))
    };
    pages(page, limit).await
}

pub(super) async fn templates(peer: &Peer<RoleClient>, limit: Duration) -> Listed<ResourceTemplate> {
    if !announces(peer, |offers| offers.resources.is_some()) {
        return Listed::default();
    }
    let page = |cursor| async move {
        match peer.list_resource_templates(cursor).await {
            // One capability covers both, and many servers with resources do not support templates.
            Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                Ok((Vec::new(), None, None))
            }
            page => page.map(|page| (page.resource_templates, page.next_cursor, page.meta)),
        }
    };
    pages(page, limit).await
}

pub(super) async fn prompts(peer: &Peer<RoleClient>, limit: Duration) -> Listed<Prompt> {
    if !announces(peer, |offers| offers.prompts.is_some()) {
        return Listed::default();
    }
    let page = |cursor| async move {
        peer.list_prompts(cursor).await.map(|page| (page.prompts, page.next_cursor, page.meta))
    };
    pages(page, limit).await.unique(|prompt| &prompt.name)
}

fn announces(peer: &Peer<RoleClient>, list: impl Fn(&ServerCapabilities) -> bool) -> bool {
    peer.peer_info().is_some_and(|info| list(&info.capabilities))
}

/// Reads all pages within one limit. After an error or the limit, the list contains the earlier pages.
///
/// `page` is not an `AsyncFn`, because the futures of an `AsyncFn` can't be required to be `Send`.
async fn pages<T: Serialize, F>(
    page: impl Fn(Option<PaginatedRequestParams>) -> F,
    limit: Duration,
) -> Listed<T>
where
    F: Future<Output = Result<(Vec<T>, Option<String>, Option<MetaObject>), ServiceError>>,
{
    let start = Instant::now();
    let mut listed = Listed { reply: Reply::Received, ..Listed::default() };
    let mut bytes = 0;
    let mut cursors = HashSet::new();
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let (items, next, meta) = match timeout(limit.saturating_sub(start.elapsed()), page(cursor)).await {
            Ok(Ok(page)) => page,
            Ok(Err(error)) => {
                listed.note(match error {
                    ServiceError::UnexpectedResponse => {
                        "it contains something that does not fit MCP".to_owned()
                    }
                    // Its own text names the type of the transport, and no cause.
                    ServiceError::TransportSend(error) => excerpt(&error_chain(&*error.error)).into_owned(),
                    error => excerpt(&error.to_string()).into_owned(),
                });
                listed.is_complete = false;
                return listed;
            }
            Err(_) => {
                listed.note(format!("it did not come within {:.1} s", limit.as_secs_f64()));
                (listed.reply, listed.is_complete) = (Reply::Late, false);
                return listed;
            }
        };
        match unfit(meta.as_ref()) {
            0 => {}
            count => listed.note(format!("items that do not fit MCP are left out: {count}")),
        }
        let too_large = || format!("it is larger than {MAX_BYTES} bytes, of which the first are taken");
        for item in items {
            bytes += size(&item);
            if bytes > MAX_BYTES {
                listed.note(too_large());
                return listed;
            }
            listed.items.push(item);
        }
        if listed.items.len() > MAX_ITEMS {
            listed.items.truncate(MAX_ITEMS);
            listed.note(format!("it has more than {MAX_ITEMS} items, of which the first are taken"));
            return listed;
        }
        let Some(next) = next else { return listed };
        // Cursors are kept too.
        bytes += next.len();
        if bytes > MAX_BYTES {
            listed.note(too_large());
            return listed;
        }
        if !cursors.insert(next.clone()) {
            listed.note(format!("it does not end: the cursor `{}` was sent twice", excerpt(&next)));
            return listed;
        }
        cursor = Some(PaginatedRequestParams::default().with_cursor(Some(next)));
    }
    listed.note(format!("it has more than {MAX_PAGES} pages, of which the first are taken"));
    listed
}

/// The limits for a list that never ends.
const MAX_PAGES: usize = 500;
const MAX_ITEMS: usize = 10_000;
/// The size as JSON.
const MAX_BYTES: usize = 32 << 20;

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use rmcp::ServiceError;

    use super::{Duration, Instant, Listed, MAX_BYTES, MAX_ITEMS, MAX_PAGES, Reply, pages};

    const LIMIT: Duration = Duration::from_secs(60);

    fn cursor_of(asked: Option<rmcp::model::PaginatedRequestParams>) -> usize {
        asked.and_then(|page| page.cursor).map_or(0, |cursor| cursor.parse().unwrap())
    }

    #[tokio::test]
    async fn all_pages_are_read_in_order() {
        let page = async |asked| {
            let number = cursor_of(asked);
            Ok((vec![number * 2, number * 2 + 1], (number < 3).then(|| (number + 1).to_string()), None))
        };
        let listed = pages(page, LIMIT).await;
        assert_eq!(listed.items, (0..8).collect::<Vec<_>>());
        assert_eq!(listed.problem, None);
    }

    #[tokio::test]
    async fn repeated_cursor_ends_the_list() {
        let asked = AtomicUsize::new(0);
        let page = async |_| {
            asked.fetch_add(1, Ordering::Relaxed);
            Ok((vec![1], Some("again".to_owned()), None))
        };
        let listed = pages(page, LIMIT).await;
        assert_eq!(listed.items, [1, 1]);
        assert!(listed.problem.unwrap().contains("`again`"));
        assert_eq!(asked.into_inner(), 2);
    }

    #[tokio::test]
    async fn endless_list_is_cut() {
        let listed =
            pages(async |asked| Ok((vec![0], Some((cursor_of(asked) + 1).to_string()), None)), LIMIT).await;
        assert_eq!(listed.items.len(), MAX_PAGES);
        assert!(listed.problem.is_some());
        let listed = pages(async |_| Ok((vec![0; MAX_ITEMS + 1], None, None)), LIMIT).await;
        assert_eq!(listed.items.len(), MAX_ITEMS);
        assert!(listed.problem.is_some());
        let large = "x".repeat(MAX_BYTES / 3);
        let page = async |asked| Ok((vec![large.clone()], Some((cursor_of(asked) + 1).to_string()), None));
        let listed = pages(page, LIMIT).await;
        assert_eq!(listed.items.len(), 2);
        assert!(listed.problem.is_some());
        let asked = AtomicUsize::new(0);
        let page = async |_| {
            let number = asked.fetch_add(1, Ordering::Relaxed);
            Ok((Vec::<usize>::new(), Some(format!("{number}{large}")), None))
        };
        assert!(pages(page, LIMIT).await.problem.is_some());
        assert!(asked.into_inner() <= 3, "long cursors are kept too");
        let listed = pages(async |_| Ok((vec![0; MAX_ITEMS], None, None)), LIMIT).await;
        assert_eq!(listed.problem, None);
    }

    #[tokio::test]
    async fn pages_before_a_failure_do_not_replace_a_complete_list() {
        let fails_at = async |at: usize| {
            let page = async |asked| match cursor_of(asked) {
                number if number == at => Err(ServiceError::TransportClosed),
                number => Ok((vec![number], Some((number + 1).to_string()), None)),
            };
            pages(page, LIMIT).await
        };
        let partial = fails_at(2).await;
        assert_eq!(partial.items, [0, 1]);
        assert!(partial.problem.is_some());
        let old = Arc::new(Listed { items: vec![7], ..Listed::default() });
        for page in [0, 2] {
            let kept = old.or_newer(fails_at(page).await);
            assert_eq!((&*kept.items, kept.problem.is_some()), (&[7][..], true));
        }
        assert_eq!(Arc::new(Listed::default()).or_newer(partial).items, [0, 1]);
        assert_eq!(Arc::new(fails_at(3).await).or_newer(fails_at(2).await).items, [0, 1]);
        assert!(old.or_newer(Listed::default()).items.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn all_pages_share_one_time_limit() {
        let start = Instant::now();
        let page = async |asked| match cursor_of(asked) {
            3 => std::future::pending().await,
            number => {
                tokio::time::advance(LIMIT / 4).await;
                Ok((vec![number], Some((number + 1).to_string()), None))
            }
        };
        let late = pages(page, LIMIT).await;
        assert_eq!((start.elapsed(), late.reply), (LIMIT, Reply::Late));
        assert_eq!(late.items, [0, 1, 2]);
        assert_eq!(late.problem.as_deref(), Some("it did not come within 60.0 s"));
    }

    #[test]
    fn first_of_two_items_with_one_name_is_kept() {
        let listed = Listed { items: vec!["a", "b", "a"], ..Listed::default() }.unique(|name| name);
        assert_eq!(listed.items, ["a", "b"]);
        assert!(listed.problem.unwrap().contains("`a`"));
    }
}
