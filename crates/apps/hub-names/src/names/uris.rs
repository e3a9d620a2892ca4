//! Unique URIs for the resources of all servers.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
    iter,
};

use super::Misnamed;
use crate::ServerName;

/// The URIs of the resources and templates of all servers.
///
/// A URI that only one server lists stays unchanged, so references in other texts of that server work.
/// A URI that several servers list gets the server as prefix: `mcp-hub:SERVER/URI`, or `ui://mcp-hub/SERVER/URI` if it starts
/// with `ui://`, because hosts of MCP Apps refuse views with another scheme.
/// Both prefix forms work for any URI, listed or not.
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
    /// An unlisted URI belongs to the server that lists it with another percent-encoding or final slash, because some clients
    /// change these, or else to the server with a matching template. The returned URI keeps the client's spelling.
    pub fn find<'a>(&self, uri: &'a str) -> Result<(ServerName, &'a str), Misnamed> {
        let prefixed =
            [SCHEME, UI_PREFIX].iter().find_map(|prefix| uri.strip_prefix(prefix)?.split_once('/'));
        if let Some((server, rest)) = prefixed
            && let Some(server) = self.servers.iter().find(|known| encoded(known.as_str()) == server)
        {
            return Ok((server.clone(), rest));
        }
        let servers = self.listed.get(uri).cloned().unwrap_or_else(|| self.unlisted(uri));
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

    /// Returns the servers that an unlisted URI may belong to.
    fn unlisted(&self, uri: &str) -> BTreeSet<ServerName> {
        let alike = self.listed.iter().filter(|(listed, _)| decoded(listed).eq(decoded(uri)));
        let servers: BTreeSet<_> = alike.flat_map(|(_, servers)| servers).cloned().collect();
        if !servers.is_empty() {
            return servers;
        }
        let fitting = self.templates.iter().filter(|(_, template)| fits(template, uri));
        fitting.map(|(server, _)| server.clone()).collect()
    }
}

/// Returns a URI with its server as prefix.
fn qualified(server: &ServerName, uri: &str) -> String {
    let prefix = if uri.starts_with("ui://") { UI_PREFIX } else { SCHEME };
    format!("{prefix}{}/{uri}", encoded(server.as_str()))
}

/// Returns the bytes of a URI without percent-encoding and without a final slash.
fn decoded(uri: &str) -> impl Iterator<Item = u8> {
    let mut rest = uri.strip_suffix('/').unwrap_or(uri).as_bytes();
    iter::from_fn(move || {
        if let [b'%', high, low, after @ ..] = rest
            && let (Some(high), Some(low)) = (hex_digit(*high), hex_digit(*low))
        {
            rest = after;
            return Some((high << 4) | low);
        }
        let (first, after) = rest.split_first()?;
        rest = after;
        Some(*first)
    })
}

fn hex_digit(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
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
const UI_PREFIX: &str = "ui://mcp-hub/";
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
    fn uri_is_found_in_the_spelling_of_a_client() {
        let [a, b] = ["a", "b"].map(ServerName::from);
        let mut uris = Uris::default();
        for uri in [
            "file:///v/My Note.md",
            "file:///v/\u{e9}t\u{e9}.md",
            "https://example.com",
            "file:///both",
            "100%/",
        ] {
            uris.add_resource(&a, uri);
        }
        for uri in ["file:///b%6Fth", "file:///v/other"] {
            uris.add_resource(&b, uri);
        }
        uris.add_template(&b, "file:///v/{path}");
        for spelt in
            ["file:///v/My%20Note.md", "file:///v/%C3%a9t%C3%A9.md", "https://example.com/", "100%25"]
        {
            assert_eq!(uris.find(spelt).unwrap(), (a.clone(), spelt));
            assert_eq!(uris.unique(&a, spelt), spelt);
        }
        assert_eq!(uris.unique(&b, "file:///v/My%20Note.md"), "mcp-hub:b/file:///v/My%20Note.md");
        for (uri, server) in [("file:///both", &a), ("file:///b%6Fth", &b), ("file:///v/my%20Note.md", &b)] {
            assert_eq!(uris.find(uri).unwrap(), (server.clone(), uri));
        }
        let error = uris.find("file:///%62oth").unwrap_err().to_string();
        assert!(error.contains("mcp-hub:a/file") && error.contains("mcp-hub:b/file"), "{error}");
    }

    #[test]
    fn view_of_several_servers_keeps_its_scheme() {
        let [a, b] = ["a", "b c"].map(ServerName::from);
        let mut uris = Uris::default();
        for server in [&a, &b] {
            uris.add_resource(server, "ui://app/x.html");
        }
        assert_eq!(uris.unique(&b, "ui://app/x.html"), "ui://mcp-hub/b%20c/ui://app/x.html");
        for server in [&a, &b] {
            let unique = uris.unique(server, "ui://app/x.html");
            assert_eq!(uris.find(&unique).unwrap(), (server.clone(), "ui://app/x.html"));
        }
        assert_eq!(uris.find("mcp-hub:a/ui://app/x.html").unwrap(), (a, "ui://app/x.html"));
    }

    #[test]
    fn a_hub_behind_a_hub_keeps_its_uris() {
        let outer = ServerName::from("outer");
        let mut uris = Uris::default();
        let listed = [
            "mcp-hub:inner/demo://1",
            "mcp-hub:outer/demo://1",
            "ui://mcp-hub/inner/ui://1",
            "ui://mcp-hub/outer/ui://1",
        ];
        for uri in listed {
            uris.add_resource(&outer, uri);
        }
        for uri in listed {
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
