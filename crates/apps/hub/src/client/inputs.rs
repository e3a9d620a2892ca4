//! Input for servers without a handshake, and pages for the user to open.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use futures_util::future::try_join_all;
use rmcp::model::{CustomNotification, ErrorCode, ErrorData, InputRequest, InputRequests, InputResponses};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Caller, Client, Origin, questions::MAX_OPEN};
use crate::lock::locked;

impl Client {
    /// Answers the questions of a server about a request of this caller.
    pub(crate) async fn provide(
        &self,
        wanted: InputRequests,
        caller: Option<&Caller>,
    ) -> Result<InputResponses, ErrorData> {
        // All answers are kept until the last one, and lists of roots may be long.
        if wanted.len() > MAX_OPEN {
            let why = format!("it has {} questions at once, more than {MAX_OPEN}", wanted.len());
            return Err(ErrorData::invalid_request(why, None));
        }
        let answers = wanted.into_iter().map(|(key, request)| async move {
            let caller = caller.map(|caller| caller.keyed(&key));
            let answer = self.input(request, Origin::Call(caller.as_ref())).await?;
            Ok((key, answer))
        });
        Ok(try_join_all(answers).await?.into_iter().collect())
    }

    async fn input(&self, request: InputRequest, origin: Origin<'_>) -> Result<Value, ErrorData> {
        // Never cancelled: the future is dropped with the call.
        let cancelled = CancellationToken::new();
        let answer = match request {
            InputRequest::Elicitation(request) => {
                let answer = self.elicit(request.params, origin, &cancelled).await;
                // Such a server takes no error in place of the answer.
                serde_json::to_value(answer.unwrap_or_else(|_| super::questions::declined()))
            }
            InputRequest::CreateMessage(request) => {
                serde_json::to_value(self.sample(request.params, origin, &cancelled).await?)
            }
            InputRequest::ListRoots(_) => serde_json::to_value(self.roots_for(origin).await),
            _ => return Err(ErrorData::invalid_request("this kind of input is not known", None)),
        };
        answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    /// Notes the pages that an error asks the user of this caller to open (`URLElicitationRequiredError`).
    pub(crate) fn note_pages(&self, error: &ErrorData, caller: &Caller) {
        let is_one = error.code == ErrorCode(-32042) && caller.opens_pages();
        let pages = error.data.as_ref().filter(|_| is_one).and_then(|data| data["elicitations"].as_array());
        for id in pages.into_iter().flatten().filter_map(|page| page["elicitationId"].as_str()) {
            self.pages.add(id, caller);
        }
    }
}

/// The pages that clients of a gateway open. The server reports when each is done.
#[derive(Clone, Debug, Default)]
pub(super) struct Pages(Arc<Mutex<VecDeque<(String, Caller)>>>);

impl Pages {
    /// Notes a page that the user is asked to open.
    pub(super) fn add(&self, id: &str, caller: &Caller) {
        // The end of such a page is not passed on.
        if id.len() > MAX_PAGE_ID {
            return;
        }
        let mut pages = locked(&self.0);
        if pages.len() == MAX_PAGES {
            pages.pop_front();
        }
        pages.push_back((id.to_owned(), caller.clone()));
    }

    /// Returns the client of a page, if this notification reports that the page is done.
    pub(super) fn completed(&self, notification: &CustomNotification) -> Option<Caller> {
        if notification.method != "notifications/elicitation/complete" {
            return None;
        }
        let id = notification.params.as_ref()?.get("elicitationId")?.as_str()?;
        let mut pages = locked(&self.0);
        let index = pages.iter().position(|(page, _)| page == id)?;
        pages.remove(index).map(|(_, caller)| caller)
    }
}

/// The maximum number of pages of one connection. The oldest is removed first.
const MAX_PAGES: usize = 256;
const MAX_PAGE_ID: usize = 4 << 10;

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;
    use crate::{ClientHandlers, client::StaleLists};

    #[tokio::test]
    async fn round_with_too_many_questions_is_refused() {
        let handlers = ClientHandlers::new().roots(|_| Vec::new());
        let client = Client::new("s".into(), handlers.into(), StaleLists::default());
        let question = |number: usize| {
            (number.to_string(), from_value::<InputRequest>(json!({"method": "roots/list"})).unwrap())
        };
        let answers = client.provide((0..MAX_OPEN).map(question).collect(), None).await.unwrap();
        assert_eq!(answers.len(), MAX_OPEN);
        assert!(client.provide((0..=MAX_OPEN).map(question).collect(), None).await.is_err());
    }
}
