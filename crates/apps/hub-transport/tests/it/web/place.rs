//! Addresses that are reserved for a server while it does not run.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use tokio::net::{TcpListener, TcpSocket};

/// A reserved address that refuses connections.
#[derive(Debug)]
pub(crate) struct Place {
    socket: TcpSocket,
    address: SocketAddr,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self::at(SocketAddr::from(([127, 0, 0, 1], 0)))
    }

    /// Returns the place of a server that has ended.
    pub(super) fn at(address: SocketAddr) -> Self {
        let limit = Instant::now() + PATIENCE;
        let socket = loop {
            let socket = TcpSocket::new_v4().unwrap();
            // Connections of the ended server may still be closing.
            socket.set_reuseaddr(true).unwrap();
            match socket.bind(address) {
                Ok(()) => break socket,
                // A process that is just being started holds the descriptors of this one for a moment.
                Err(error) => assert!(Instant::now() < limit, "{address}: {error}"),
            }
            std::thread::yield_now();
        };
        Self { address: socket.local_addr().unwrap(), socket }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts connections from now on. Must be called in a runtime, to which the listener belongs.
    pub(super) fn listen(self) -> TcpListener {
        self.socket.listen(BACKLOG).unwrap()
    }
}

const BACKLOG: u32 = 1024;
const PATIENCE: Duration = Duration::from_secs(20);
