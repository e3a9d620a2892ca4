//! The addresses that authorization may contact: for a public server, never a private one.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use agentwire_net::{is_public, literal};
use reqwest::{
    Url,
    dns::{Addrs, Name, Resolve, Resolving},
};

/// The network of a server.
///
/// The metadata of a server may name any host, so the hosts of a public server must be public too. The user chose the
/// server itself, so a server in a private network may have its authorization server there.
pub(crate) struct Network {
    server: Url,
    /// Whether any lookup found a public address. The owner of the name may return a private one later, to pass as a
    /// server of this network.
    seen_public: AtomicBool,
}

impl Network {
    pub(crate) fn of(server: &Url) -> Self {
        Self { server: server.clone(), seen_public: AtomicBool::new(false) }
    }

    /// Looks up the addresses for a request. The caller connects to these: another lookup may return others.
    pub(crate) async fn addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, Refused> {
        let host = url.host_str().unwrap_or_default();
        let is_private = self.is_private().await;
        match url.scheme() {
            "https" => {}
            // A public server over https never leads to an address without TLS.
            "http" if is_private || self.server.scheme() == "http" => {}
            other => return Err(Refused(format!("{other}://{host} is not https"))),
        }
        // A proxy may resolve names that are unknown here; without one, the request fails without an address.
        let mut found = self.find(host).await.unwrap_or_default();
        if !is_private {
            // Resolvers may not know all names of this machine, but browsers and proxies may.
            let is_known = !found.is_empty() || is_loopback(url);
            found.retain(|found| is_public(found.ip()));
            if is_known && found.is_empty() {
                return Err(Refused(format!("{host} has no public address")));
            }
        }
        Ok(found)
    }

    /// Checks the page that the user opens in a browser.
    ///
    /// It must be `https`, or `http` if it and the server are on this machine. Programs pass it to other programs, so
    /// it must not contain characters with a meaning in a shell.
    pub(crate) async fn check_page(&self, page: &str) -> Result<(), Refused> {
        let url = Url::parse(page).map_err(|error| Refused(format!("it is not a URL: {error}")))?;
        let is_local = || is_loopback(&self.server) && is_loopback(&url);
        match url.scheme() {
            "https" => {}
            "http" if is_local() => {}
            "http" => return Err(Refused("it is http, and not on this machine".into())),
            other => return Err(Refused(format!("its scheme is {other}"))),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refused("it has a user name or a password".into()));
        }
        if let Some(odd) = page.chars().find(|c| !c.is_ascii_alphanumeric() && !PLAIN.contains(*c)) {
            return Err(Refused(format!("it has the character {odd:?}")));
        }
        self.addresses(&url).await.map(drop)
    }

    /// Returns whether all addresses of the server are private, now and at each earlier lookup.
    async fn is_private(&self) -> bool {
        match self.find(self.server.host_str().unwrap_or_default()).await {
            Ok(found) => !found.is_empty() && !self.seen_public.load(Ordering::Relaxed),
            Err(_) => false,
        }
    }

    /// Looks up the addresses of a host.
    async fn find(&self, host: &str) -> std::io::Result<Vec<SocketAddr>> {
        let found: Vec<_> = match literal(host) {
            Some(address) => vec![(address, 0).into()],
            None => tokio::net::lookup_host((host, 0)).await?.collect(),
        };
        if self.server.host_str() == Some(host) && found.iter().any(|found| is_public(found.ip())) {
            self.seen_public.store(true, Ordering::Relaxed);
        }
        Ok(found)
    }
}

/// A resolver for connections to a server that records its addresses in its [`Network`].
pub(crate) struct RecordingResolver(pub(crate) Arc<Network>);

impl Resolve for RecordingResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let network = Arc::clone(&self.0);
        Box::pin(async move {
            let found = network.find(name.as_str()).await?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// The reason why a request is not sent, or a page is not opened.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refused(String);

/// Returns whether a URL names this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    match literal(host) {
        Some(address) => address.to_canonical().is_loopback(),
        None => {
            let name = host.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
    }
}

/// Characters in pages other than letters and digits. `*` is unescaped in the query of a form.
const PLAIN: &str = "-._~:/?[]@%&=+,*";

#[cfg(test)]
mod tests {
    use reqwest::{Url, dns::Resolve as _};

    use super::{Network, RecordingResolver};

    fn network(server: &str) -> Network {
        Network::of(&Url::parse(server).unwrap())
    }

    async fn reaches(network: &Network, url: &str) -> Result<(), String> {
        match network.addresses(&Url::parse(url).unwrap()).await {
            Ok(found) if found.is_empty() => Err("not found".into()),
            Ok(_) => Ok(()),
            Err(refused) => Err(refused.to_string()),
        }
    }

    #[tokio::test]
    async fn public_server_reaches_no_private_address() {
        let public = network("https://1.1.1.1/mcp");
        let hosts = "localhost LOCALHOST. a.localhost 127.0.0.1 127.1 0x7f000001 2130706433 0177.0.0.1 0 \
            10.1.2.3 169.254.169.254 168.63.129.16 192.0.0.192 100.100.100.200 240.0.0.1 [::1] \
            [::] [::10.0.0.1] [::ffff:10.0.0.1] [64:ff9b::a00:1] [2002:a00:1::] [2001::1] \
            [fe80::1] [fec0::1] [fd00:ec2::254]";
        for host in hosts.split(' ') {
            let why = reaches(&public, &format!("https://{host}:8443/x")).await.unwrap_err();
            assert!(why.ends_with(" has no public address"), "{host}: {why}");
        }
        reaches(&public, "https://8.8.8.8/token").await.unwrap();
        let why = reaches(&public, "http://8.8.8.8/token").await.unwrap_err();
        assert_eq!(why, "http://8.8.8.8 is not https");
        reaches(&network("http://1.1.1.1/mcp"), "http://8.8.8.8/token").await.unwrap();
    }

    #[tokio::test]
    async fn private_server_may_have_its_authorization_server_beside_it() {
        for near in ["http://localhost:80/", "http://127.0.0.1/", "https://[::1]/", "http://10.0.0.1/"] {
            for url in ["http://localhost/", "http://10.0.0.2/token", "https://8.8.8.8/token"] {
                reaches(&network(near), url).await.unwrap();
            }
        }
    }

    #[tokio::test]
    async fn server_that_was_public_once_is_not_private_later() {
        let server = network("https://localhost/mcp");
        server.seen_public.store(true, std::sync::atomic::Ordering::Relaxed);
        for url in ["https://localhost/token", "https://10.0.0.1/token"] {
            assert!(reaches(&server, url).await.is_err(), "{url}");
        }
    }

    #[tokio::test]
    async fn connections_record_public_addresses_of_their_server() {
        let network = std::sync::Arc::new(network("https://1.1.1.1/mcp"));
        let noting = RecordingResolver(std::sync::Arc::clone(&network));
        assert!(noting.resolve("localhost".parse().unwrap()).await.unwrap().count() > 0);
        assert!(!network.seen_public.load(std::sync::atomic::Ordering::Relaxed));
        assert_eq!(noting.resolve("1.1.1.1".parse().unwrap()).await.unwrap().count(), 1);
        assert!(network.seen_public.load(std::sync::atomic::Ordering::Relaxed));
    }

    #[tokio::test]
    async fn page_is_https_or_on_this_machine() {
        let public = network("https://1.1.1.1/mcp");
        let local = network("http://127.0.0.1:3000/mcp");
        for page in [
            "javascript:alert(1)",
            "JavaScript:alert(1)//https://a/",
            "file:///etc/passwd",
            "vscode://evil/run",
            "data:text/html,x",
            "http://8.8.8.8/auth",
            "https:///",
            "//8.8.8.8/auth",
            "https://accounts.example@8.8.8.8/auth",
            "https://a:b@8.8.8.8/auth",
            "https://:b@8.8.8.8/auth",
            "https://8.8.8.8/$(calc)",
            "https://8.8.8.8/a?b=`c`",
            "https://8.8.8.8/a;b",
            "https://8.8.8.8/'a'",
            "https://8.8.8.8/\"a",
            "https://8.8.8.8/a|b",
            "https://8.8.8.8/a b",
            "https://8.8.8.8/a\nb",
            "https://8.8.8.8/a\\b",
            "https://8.8.8.8/a^b",
            "https://8.8.8.8/<a>",
            "https://8.8.8.8/{a}",
            "https://8.8.8.8/!a",
            "https://8.8.8.8/a#b",
            "https://8.8.8.8/\u{202e}a",
            "https://8.8.8.8/\u{1b}[0m",
            " https://8.8.8.8/a",
        ] {
            assert!(public.check_page(page).await.is_err(), "{page}");
            assert!(local.check_page(page).await.is_err(), "{page}");
        }
        for page in [
            "http://localhost/auth",
            "https://localhost./auth",
            "http://127.0.0.1:9/auth",
            "https://10.0.0.1/auth",
            "https://[::1]/auth",
        ] {
            assert!(public.check_page(page).await.is_err(), "{page}");
        }
        for page in
            ["http://localhost:1/auth", "http://127.0.0.1:9/auth", "http://[::1]/a", "https://8.8.8.8/a"]
        {
            local.check_page(page).await.unwrap();
        }
        assert!(network("http://10.0.0.1/mcp").check_page("http://10.0.0.1/auth").await.is_err());
        public.check_page("https://8.8.8.8/a/b?scope=a%3A*+b&x=%24~y").await.unwrap();
    }
}
