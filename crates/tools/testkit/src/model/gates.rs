//! Named gates at which replies wait for the test, so that no test has to sleep.

use std::collections::BTreeMap;

use tokio::sync::watch;

use super::error::ModelError;

/// All gates of a script.
#[derive(Debug)]
pub(super) struct Gates {
    all: watch::Sender<BTreeMap<Box<str>, Gate>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Gate {
    reached: bool,
    open: bool,
}

impl Gates {
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let all = names.map(|name| (name.into(), Gate::default())).collect();
        Self { all: watch::Sender::new(all) }
    }

    pub(super) fn release(&self, name: &str) -> Result<(), ModelError> {
        self.known(name)?;
        self.set(name, |gate| gate.open = true);
        Ok(())
    }

    pub(super) async fn held(&self, name: &str) -> Result<(), ModelError> {
        self.known(name)?;
        self.until(name, |gate| gate.reached).await;
        Ok(())
    }

    /// Waits at a gate, as a reply.
    pub(super) async fn pass(&self, name: &str) {
        self.set(name, |gate| gate.reached = true);
        self.until(name, |gate| gate.open).await;
    }

    fn set(&self, name: &str, change: impl FnOnce(&mut Gate)) {
        self.all.send_modify(|all| {
            if let Some(gate) = all.get_mut(name) {
                change(gate);
            }
        });
    }

    /// Waits for a gate. A gate that the script does not contain never blocks.
    async fn until(&self, name: &str, met: impl Fn(&Gate) -> bool) {
        let mut all = self.all.subscribe();
        let waited = all.wait_for(|all| all.get(name).is_none_or(&met)).await;
        debug_assert!(waited.is_ok(), "the sender is borrowed, so the channel is open");
    }

    fn known(&self, name: &str) -> Result<(), ModelError> {
        let all = self.all.borrow();
        match all.contains_key(name) {
            true => Ok(()),
            false => Err(ModelError::NoSuchGate {
                name: name.to_owned(),
                known: all.keys().map(|name| name.clone().into_string()).collect(),
            }),
        }
    }
}
