//! Connections that must be encrypted.

use agentwire_store_postgres::PostgresStore;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};
use tokio_postgres::NoTls;

#[tokio::test]
async fn connection_without_tls_is_refused_by_default() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("postgres://me:secret@{}/mine", listener.local_addr().unwrap());
    let store = PostgresStore::with_tls(url.parse().unwrap(), NoTls);
    let refuse = async {
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut request = [0; 8];
        connection.read_exact(&mut request).await.unwrap();
        assert_eq!(request, *b"\0\0\0\x08\x04\xd2\x16\x2f", "no request for TLS");
        connection.write_all(b"N").await.unwrap();
        connection
    };
    let (created, _connection) = tokio::join!(store.create_tables(), refuse);
    let error = format!("{:?}", created.unwrap_err());
    assert!(error.contains("TLS"), "{error}");
}
