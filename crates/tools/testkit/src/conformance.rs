//! Checks of transports against the contract of their trait: see [`transport`](transport()).

mod transport;

pub use transport::{
    Outcome, PEER_GAVE_UP, Part, PartKind, Step, TransportReport, TransportSuite, peer, transport,
};
