//! The server of the handlers.

use std::{future::pending, io};

use restate_sdk::{http_server::HttpServer, prelude::Endpoint};
use socket2::SockRef;
use tokio::net::TcpListener;

/// Serves [`handlers`](crate::handlers) to Restate, until the future is dropped. It handles no signals.
///
/// After an error of `accept`, such as a lack of file descriptors, it takes no further connections (restate-sdk).
///
/// # Errors
///
/// If the options of the listener can't be set.
pub async fn serve(handlers: Endpoint, listener: TcpListener) -> io::Result<()> {
    send_at_once(&listener)?;
    // `HttpServer::serve` would take SIGINT from the program for good.
    HttpServer::new(handlers).serve_with_cancel(listener, pending::<()>()).await;
    Ok(())
}

/// Lets accepted connections send small frames at once (`TCP_NODELAY`), which they inherit from the listener.
///
/// Otherwise a frame waits for the acknowledgement of the one before, which the peer delays by up to 40 ms.
pub(crate) fn send_at_once(listener: &TcpListener) -> io::Result<()> {
    SockRef::from(listener).set_tcp_nodelay(true)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpStream;

    use super::*;
    use crate::{Ingress, handlers};

    #[tokio::test]
    async fn accepted_connection_sends_small_frames_at_once() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        send_at_once(&listener).unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        assert!(listener.accept().await.unwrap().0.nodelay().unwrap());
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn serving_catches_no_interrupt() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let ingress = Ingress::new(["http://127.0.0.1:1"]).unwrap();
        let server = tokio::spawn(serve(handlers(ingress, "agents"), listener));
        // The server sends the first frame of a connection, and waits for all of its events by then.
        TcpStream::connect(address).await.unwrap().readable().await.unwrap();
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        let caught = u64::from_str_radix(caught.trim(), 16).unwrap();
        // The signal 2 is the second bit.
        assert_eq!(caught & 0b10, 0, "the process catches SIGINT");
        server.abort();
    }
}
