//! The server of the handlers.

use std::io;

use restate_sdk::{http_server::HttpServer, prelude::Endpoint};
use socket2::SockRef;
use tokio::net::TcpListener;

/// Serves [`handlers`](crate::handlers) to Restate, until the process gets an interrupt (SIGINT) or the future is dropped.
///
/// # Errors
///
/// If the options of the listener can't be set.
pub async fn serve(handlers: Endpoint, listener: TcpListener) -> io::Result<()> {
    send_at_once(&listener)?;
    HttpServer::new(handlers).serve(listener).await;
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

    #[tokio::test]
    async fn accepted_connection_sends_small_frames_at_once() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        send_at_once(&listener).unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        assert!(listener.accept().await.unwrap().0.nodelay().unwrap());
    }
}
