//! Unique URIs for the resources of all servers.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
};

use super::Misnamed;
use crate::ServerName;

/// The URIs of the resources and templates of all servers.
///
/// A URI that only one server lists stays unchanged, so references in other texts of that server work.
/// A URI that several servers list gets the server as prefix: `mcp-hub:SERVER/URI`.
/// The prefix form works for any URI, listed or not.
#[derive(Clone, Debug, Default)]
pub struct Uris {
    servers: BTreeSet<ServerName>,
    listed: HashMap<Box<str>, BTreeSet<ServerName>>,
    templates: Vec<(ServerName, Box<str>)>,
}

impl Uris {
    /// Adds a server with readable resources.
    pub fn add(&mut self, server: &ServerName) {
        self.servers.insert(server.clone());
    }

    /// Adds a resource of a server.
    pub fn add_resource(&mut self, server: &ServerName, uri: &str) {
        self.add(server);
        self.listed.entry(uri.into()).or_default().insert(server.clone());
    }

    /// Adds a resource template of a server.
    pub fn add_template(&mut self, server: &ServerName, template: &str) {
        self.add_resource(server, template);
        self.templates.push((server.clone(), template.into()));
    }

    /// Returns the unique URI of a resource or template of a server.
    pub fn unique<'a>(&self, server: &ServerName, uri: &'a str) -> Cow<'a, str> {
        match self.find(uri) {
            Ok((found, inner)) if found == *server && inner == uri => Cow::Borrowed(uri),
            _ => Cow::Owned(qualified(server, uri)),
        }
    }

    /// Returns the URI for a resource in a result of a server.
    ///
    /// An unlisted URI that is accessible without a server stays unchanged.
    pub fn linked<'a>(&self, server: &ServerName, uri: &'a str) -> Cow<'a, str> {
        let is_common = COMMON.iter().any(|scheme| uri.starts_with(scheme));
        match self.find(uri) {
            Err(Misnamed::Unknown { .. }) if is_common => Cow::Borrowed(uri),
            _ => self.unique(server, uri),
        }
    }

    /// Does the same as [`find`](Self::find), but assigns an unlisted URI to the only server that lists resources.
    pub fn find_unlisted<'a>(&self, uri: &'a str) -> Result<(ServerName, &'a str), Misnamed> {
        self.find(uri).or_else(|error| {
            let mut servers = self.listed.values().flatten();
            let first = servers.next().filter(|_| matches!(error, Misnamed::Unknown { .. }));
            match first {
                Some(only) if servers.all(|server| server == only) => Ok((only.clone(), uri)),
                _ => Err(error),
            }
        })
    }

    /// Returns the server of a URI, and the URI on that server.
    ///
    /// An unlisted URI belongs to the server with a matching template.
    pub fn find<'a>(&self, uri: &'a str) -> Result<(ServerName, &'a str), Misnamed> {
        if let Some((server, rest)) = uri.strip_prefix(SCHEME).and_then(|rest| rest.split_once('/'))
            && let Some(server) = self.servers.iter().find(|known| encoded(known.as_str()) == server)
        {
            return Ok((server.clone(), rest));
        }
        let fitting = || {
            let fits = self.templates.iter().filter(|(_, template)| fits(template, uri));
            fits.map(|(server, _)| server.clone()).collect()
        };
        let servers = self.listed.get(uri).cloned().unwrap_or_else(fitting);
        let qualified: Vec<_> = servers.iter().map(|server| qualified(server, uri)).collect();
        match servers.into_iter().next() {
            Some(one) if qualified.len() == 1 => Ok((one, uri)),
            Some(_) => Err(Misnamed::ambiguous(uri, qualified.iter().map(|uri| &**uri))),
            None => {
                let mut all: Vec<_> = self.listed.keys().map(|uri| (&**uri, &**uri)).collect();
                all.sort_unstable();
                Err(Misnamed::unknown(uri, all.into_iter()))
            }
        }
    }
}

/// Returns a URI with its server as prefix.
fn qualified(server: &ServerName, uri: &str) -> String {
    format!("{SCHEME}{}/{uri}", encoded(server.as_str()))
}

/// Encodes the name of a server as part of a URI or template.
fn encoded(server: &str) -> String {
    let mut text = String::with_capacity(server.len());
    for byte in server.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                text.push(char::from(byte));
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// Returns whether a URI matches a template, for any values of its variables.
fn fits(template: &str, uri: &str) -> bool {
    let Some((first, rest)) = template.split_once('{') else { return template == uri };
    let Some(mut uri) = uri.strip_prefix(first) else { return false };
    let mut parts =
        rest.split('{').map(|part| part.split_once('}').map_or(part, |(_, text)| text)).peekable();
    while let Some(text) = parts.next() {
        if parts.peek().is_none() {
            return uri.ends_with(text);
        }
        let Some(at) = uri.find(text) else { return false };
        uri = &uri[at + text.len()..];
    }
    true
}

const SCHEME: &str = "mcp-hub:";
const COMMON: &[&str] = &["http:", "https:", "file:", "data:"];

#[cfg(test)]
mod tests {
    use super::{Uris, fits};
    use crate::ServerName;

    #[test]
    fn a_uri_of_several_servers_gets_the_server_as_prefix() {
        let [a, b] = ["a", "b c/d"].map(ServerName::from);
        let mut uris = Uris::default();
        uris.add_resource(&a, "demo://1");
        uris.add_resource(&b, "demo://1");
        uris.add_resource(&b, "demo://2");
        uris.add_template(&a, "file:///{path}");
        assert_eq!(uris.unique(&a, "demo://1"), "mcp-hub:a/demo://1");
        assert_eq!(uris.unique(&b, "demo://1"), "mcp-hub:b%20c%2Fd/demo://1");
        assert_eq!(uris.unique(&b, "demo://2"), "demo://2");
        assert_eq!(uris.unique(&a, "file:///{path}"), "file:///{path}");
        assert_eq!(uris.unique(&a, "not://listed"), "mcp-hub:a/not://listed");
        assert_eq!(uris.linked(&a, "not://listed"), "mcp-hub:a/not://listed");
        assert_eq!(uris.linked(&a, "https://example.com"), "https://example.com");
        assert_eq!(uris.linked(&b, "file:///x"), "mcp-hub:b%20c%2Fd/file:///x");
        let error = uris.find("demo://1").unwrap_err().to_string();
        assert!(
            error.contains("mcp-hub:a/demo://1") && error.contains("mcp-hub:b%20c%2Fd/demo://1"),
            "{error}"
        );
        assert!(uris.find("not://listed").unwrap_err().to_string().contains("demo://2"));
        for (server, uri) in
            [(&a, "demo://1"), (&b, "demo://1"), (&b, "demo://2"), (&a, "file:///x/y"), (&b, "no")]
        {
            assert_eq!(uris.find(&uris.unique(server, uri)).unwrap(), (server.clone(), uri));
        }
    }

    #[test]
    fn unlisted_uris_belong_to_the_only_server_that_lists_resources() {
        let [a, b] = ["a", "b"].map(ServerName::from);
        let mut uris = Uris::default();
        uris.add(&b);
        assert!(uris.find_unlisted("demo://x").is_err());
        uris.add_resource(&a, "demo://1");
        uris.add_resource(&a, "demo://2");
        assert_eq!(uris.find_unlisted("demo://x").unwrap(), (a.clone(), "demo://x"));
        uris.add_resource(&b, "demo://1");
        assert!(uris.find_unlisted("demo://x").is_err() && uris.find_unlisted("demo://1").is_err());
    }

    #[test]
    fn a_hub_behind_a_hub_keeps_its_uris() {
        let outer = ServerName::from("outer");
        let mut uris = Uris::default();
        uris.add_resource(&outer, "mcp-hub:inner/demo://1");
        uris.add_resource(&outer, "mcp-hub:outer/demo://1");
        for uri in ["mcp-hub:inner/demo://1", "mcp-hub:outer/demo://1"] {
            assert_eq!(uris.find(&uris.unique(&outer, uri)).unwrap(), (outer.clone(), uri));
        }
    }

    #[test]
    fn templates_match_any_values_of_their_variables() {
        for (template, uri) in [
            ("demo://{id}", "demo://1"),
            ("demo://{id}/text", "demo://1/text"),
            ("demo://{+path}{?query,more*}", "demo://a/b?query=1"),
            ("demo://x", "demo://x"),
        ] {
            assert!(fits(template, uri), "{template} {uri}");
        }
        for (template, uri) in [
            ("demo://{id}", "demo:/1"),
            ("demo://{id}/text", "demo://1/blob"),
            ("{a}b{c}d", "bc"),
            ("x", "y"),
        ] {
            assert!(!fits(template, uri), "{template} {uri}");
        }
    }
}
