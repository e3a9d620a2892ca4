//! The steps that wait for something.

use agentwire_net::error_chain;
use bytes::Bytes;
use tokio::time::interval;

use super::{BETWEEN_LOOKS, Play, text::kind_of};
use crate::scenario::{pattern::Pattern, witness::Seen};
use agentwire_testkit::Transcript;

impl Play<'_> {
    pub(super) async fn until(&mut self, pattern: &Pattern) -> Result<(), String> {
        let before = self.messages.len();
        loop {
            match self.next().await? {
                Some(message) if pattern.fits(message) => return Ok(()),
                Some(_) => {}
                None => {
                    let came: Vec<String> = self.messages[before..].iter().map(kind_of).collect();
                    return Err(format!("the session ended first; there came {}", came.join(", ")));
                }
            }
        }
    }

    /// Waits until a callback was called once more than it was waited for before.
    pub(super) async fn seen(
        &mut self,
        verb: &str,
        what: &str,
        of: fn(&Seen) -> &[String],
    ) -> Result<(), String> {
        let waited = format!("{verb} {what}");
        let times = 1 + self.waited.iter().filter(|before| **before == waited).count();
        self.waited.push(waited);
        self.witness.until(|seen| of(seen).iter().filter(|seen| *seen == what).count() >= times).await;
        Ok(())
    }

    /// Waits until a matching line has been sent or received, such as a request or an answer that no step sends.
    pub(super) async fn written(
        &self,
        pattern: &Pattern,
        lines: fn(&Transcript) -> Vec<Bytes>,
    ) -> Result<(), String> {
        let mut looks = interval(BETWEEN_LOOKS);
        loop {
            let transcript = self.recorder.transcript().map_err(|error| error_chain(&error))?;
            let lines = lines(&transcript);
            let mut lines = lines.iter().filter_map(|line| serde_json::from_slice(line).ok());
            if lines.any(|line| pattern.fits(&line)) {
                return Ok(());
            }
            looks.tick().await;
        }
    }

    /// Waits until the file exists: nothing else shows what a tool does in its own process.
    pub(super) async fn file(&self, file: &str) -> Result<(), String> {
        let mut looks = interval(BETWEEN_LOOKS);
        while !self.place.file(file).exists() {
            looks.tick().await;
        }
        Ok(())
    }
}
