//! The servers of a hub, which follow its configuration.

mod trust;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub(crate) use self::trust::{Edited, Trust};
use crate::{
    Change, ServerName,
    config::{Configuration, Configured, Problem},
    connection::{Allowed, Connection, Desired, Setting, Subscriptions},
    event::Events,
    lock::locked,
};

/// The servers of a hub. Dropping it ends them.
#[derive(Debug)]
pub(crate) struct Servers {
    setting: Arc<Setting>,
    events: Events,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// In the order of the configuration.
    connections: Vec<Arc<Connection>>,
    /// The last applied configuration.
    configuration: Configuration,
    trust: Trust,
    is_enabled: bool,
    is_closed: bool,
    /// The ends of removed servers.
    leaving: HashMap<ServerName, CancellationToken>,
    /// The allowed definitions and the subscriptions of each server, also of removed ones up to a limit: a changed tool must
    /// not become allowed because its server is removed and added again.
    kept: HashMap<ServerName, (Allowed, Subscriptions)>,
    /// The tasks of all servers, including removed ones.
    tasks: JoinSet<()>,
}

impl Servers {
    pub(crate) fn new(setting: Setting, events: Events, is_enabled: bool, trust: Trust) -> Self {
        let state = State { trust, is_enabled, ..State::default() };
        Self { setting: Arc::new(setting), events, state: Mutex::new(state) }
    }

    pub(crate) fn setting(&self) -> &Setting {
        &self.setting
    }

    pub(crate) fn all(&self) -> Vec<Arc<Connection>> {
        locked(&self.state).connections.clone()
    }

    pub(crate) fn find(&self, name: &str) -> Option<Arc<Connection>> {
        locked(&self.state).connections.iter().find(|connection| connection.name().as_str() == name).cloned()
    }

    pub(crate) fn problems(&self) -> Vec<Problem> {
        locked(&self.state).configuration.problems.clone()
    }

    pub(crate) fn is_enabled(&self) -> bool {
        locked(&self.state).is_enabled
    }

    pub(crate) fn set_enabled(&self, is_enabled: bool) {
        let mut state = locked(&self.state);
        state.is_enabled = is_enabled;
        for connection in &state.connections {
            connection.want(|desired| desired.is_hub_on = is_enabled);
        }
    }

    /// Starts new servers, ends missing servers, and updates the desired state of the others.
    ///
    /// One lock covers all of it, so that concurrent calls are applied one after the other.
    pub(crate) fn apply(&self, configuration: Configuration) {
        let mut state = locked(&self.state);
        if state.is_closed {
            return;
        }
        state.configuration = configuration;
        self.reconcile(&mut state);
        drop(state);
        self.events.send(None, Change::Configuration);
    }

    /// Trusts a definition. Returns whether a server has it now.
    pub(crate) fn trust(&self, fingerprint: String) -> bool {
        let mut state = locked(&self.state);
        let is_there = state.configuration.servers.iter().any(|server| server.fingerprint() == fingerprint);
        if state.trust.fingerprints.insert(fingerprint) && !state.is_closed {
            self.reconcile(&mut state);
        }
        is_there
    }

    pub(crate) fn untrusted(&self) -> Vec<Configured> {
        let state = locked(&self.state);
        let untrusted = state.configuration.servers.iter().filter(|server| !state.trust.covers(server));
        untrusted.cloned().collect()
    }

    /// Trusts the result of the program's own edit in a configuration that is about to be applied, and returns the
    /// effective servers.
    pub(crate) fn choose(
        &self,
        configuration: &Configuration,
        edited: Option<&Edited<'_>>,
    ) -> Vec<Configured> {
        let made = edited.and_then(|edited| configuration.servers.iter().find(|made| edited.made(made)));
        let mut state = locked(&self.state);
        state.trust.fingerprints.extend(made.map(Configured::fingerprint));
        state.trust.choose(configuration)
    }

    /// Makes the servers follow the effective configuration.
    fn reconcile(&self, state: &mut State) {
        let servers = state.trust.choose(&state.configuration);
        let mut before: HashMap<_, _> =
            state.connections.drain(..).map(|connection| (connection.name().clone(), connection)).collect();
        let is_there = |name: &ServerName| servers.iter().any(|server| server.name == *name);
        for (name, connection) in before.extract_if(|name, _| !is_there(name)) {
            connection.remove();
            state.leaving.insert(name, connection.ended().clone());
        }
        for server in servers {
            let connection = match before.remove(&server.name) {
                Some(connection) => {
                    connection.configure(&server);
                    connection
                }
                None => self.start(state, server),
            };
            state.connections.push(connection);
        }
        // Servers and tasks that have ended.
        state.leaving.retain(|_, end| !end.is_cancelled());
        while state.tasks.try_join_next().is_some() {}
        let connections = &state.connections;
        if state.kept.len() > connections.len() + MAX_REMOVED {
            state.kept.retain(|name, _| connections.iter().any(|connection| connection.name() == name));
        }
    }

    /// Ends all servers. Returns the tokens that are cancelled when they are gone, also on later calls.
    pub(crate) fn close(&self) -> Vec<CancellationToken> {
        let mut state = locked(&self.state);
        state.is_closed = true;
        state.connections.iter().for_each(|connection| connection.stop());
        let ends = state.connections.iter().map(|connection| connection.ended());
        ends.chain(state.leaving.values()).cloned().collect()
    }

    fn start(&self, state: &mut State, server: Configured) -> Arc<Connection> {
        let name = server.name.clone();
        let new = || (Allowed::new(&server.config.launch), Subscriptions::default());
        let kept = state.kept.entry(name.clone()).or_insert_with(new).clone();
        let desired = Desired::new(server, state.is_enabled);
        let predecessor = state.leaving.get(&name).cloned();
        let (connection, task) =
            Connection::new(desired, Arc::clone(&self.setting), self.events.clone(), predecessor, kept);
        self.events.send(Some(name.clone()), Change::Added);
        self.events.send(Some(name), Change::State(connection.state()));
        state.tasks.spawn(task.run());
        Arc::new(connection)
    }
}

/// The maximum number of removed servers that are remembered.
const MAX_REMOVED: usize = 1000;
