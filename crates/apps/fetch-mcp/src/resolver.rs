//! Resolves names for the HTTP client, which connects only to the checked addresses.

use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::FetchOptions;
use crate::error::UnusableHost;

/// Resolves with the machine's resolver, and refuses a host if any of its addresses is not public.
///
/// A name server that answers differently each time gains nothing, because the client connects to the checked answer.
#[derive(Debug)]
pub(crate) struct Resolver {
    pub(crate) options: Arc<FetchOptions>,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let options = Arc::clone(&self.options);
        Box::pin(async move {
            let host = name.as_str();
            // The client sets the port.
            let found = tokio::net::lookup_host((host, 0)).await;
            let found: Vec<SocketAddr> = found
                .map_err(|cause| UnusableHost(format!("the host `{host}` is not found: {cause}")))?
                .collect();
            if found.is_empty() {
                return Err(UnusableHost(format!("the host `{host}` is not found")).into());
            }
            check(host, &found, &options)?;
            let addresses: Addrs = Box::new(found.into_iter());
            Ok(addresses)
        })
    }
}

fn check(host: &str, found: &[SocketAddr], options: &FetchOptions) -> Result<(), UnusableHost> {
    let special = found.iter().map(SocketAddr::ip).find(|ip| !options.permits(*ip));
    special.map_or(Ok(()), |address| Err(UnusableHost::not_public(host, address)))
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::FetchOptions;

    #[test]
    fn one_private_address_refuses_the_host() {
        let public = "93.184.216.34:0".parse().unwrap();
        let private = "10.1.2.3:0".parse().unwrap();
        let mut options = FetchOptions::default();
        check("a.example", &[public], &options).unwrap();
        let refused = check("a.example", &[public, private], &options).unwrap_err();
        assert!(refused.to_string().contains("`a.example` is 10.1.2.3"), "{refused}");
        options.allowed_addresses.push("10.1.2.3".parse().unwrap());
        check("a.example", &[public, private], &options).unwrap();
        check("a.example", &["[::ffff:10.1.2.3]:0".parse().unwrap()], &options).unwrap();
    }
}
