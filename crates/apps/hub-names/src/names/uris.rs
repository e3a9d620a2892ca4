//! Unique URIs for the resources of all servers.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use super::Misnamed;
use crate::ServerName;

/// The URIs of the resources and templates of all servers.
///
/// A URI that only one server lists stays unchanged, so references in other texts of that server work.
/// URIs are the same if they differ only in a final slash and in the percent-encoding of characters that are not reserved,
/// because some clients change these.
/// A URI that several servers list gets the server as prefix: `mcp-hub:SERVER/URI`, or `ui://mcp-hub/SERVER/URI` if it starts
/// with `ui://`, because hosts of MCP Apps refuse views with another scheme.
/// Both prefix forms work for any URI, listed or not.
#[derive(Clone, Debug, Default)]
pub struct Uris {
    servers: BTreeSet<ServerName>,
    /// By [`key`], the servers that list such a URI, each with its spelling.
    listed: HashMap<Vec<u8>, BTreeSet<(ServerName, Box<str>)>>,
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
        self.listed.entry(key(uri)).or_default().insert((server.clone(), uri.into()));
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
            let mut servers = self.listed.values().flatten().map(|(server, _)| server);
            let first = servers.next().filter(|_| matches!(error, Misnamed::Unknown { .. }));
            match first {
                Some(only) if servers.all(|server| server == only) => Ok((only.clone(), uri)),
                _ => Err(error),
            }
        })
    }

    /// Returns the server of a URI, and the URI on that server.
    ///
    /// An unlisted URI belongs to the server with a matching template. The returned URI keeps the client's spelling.
    pub fn find<'a>(&self, uri: &'a str) -> Result<(ServerName, &'a str), Misnamed> {
        let prefixed =
            [SCHEME, UI_PREFIX].iter().find_map(|prefix| uri.strip_prefix(prefix)?.split_once('/'));
        if let Some((server, rest)) = prefixed
            && let Some(server) = self.servers.iter().find(|known| encoded(known.as_str()) == server)
        {
            return Ok((server.clone(), rest));
        }
        let spelt: BTreeMap<&ServerName, &str> = match self.listed.get(&key(uri)) {
            Some(listed) => listed.iter().map(|(server, spelling)| (server, &**spelling)).collect(),
            None => {
                let fitting = self.templates.iter().filter(|(_, template)| fits(template, uri));
                fitting.map(|(server, _)| (server, uri)).collect()
            }
        };
        let qualified: Vec<_> = spelt.iter().map(|(server, spelling)| qualified(server, spelling)).collect();
        match spelt.into_keys().next() {
            Some(one) if qualified.len() == 1 => Ok((one.clone(), uri)),
            Some(_) => Err(Misnamed::ambiguous(uri, qualified.iter().map(|uri| &**uri))),
            None => {
                let all: BTreeSet<&str> = self.listed.values().flatten().map(|(_, uri)| &**uri).collect();
                Err(Misnamed::unknown(uri, all.into_iter().map(|uri| (uri, uri))))
            }
        }
    }

    /// Returns a URI in the spelling that its server lists, or unchanged if the server does not list it.
    pub fn as_listed<'a>(&'a self, server: &ServerName, uri: &'a str) -> &'a str {
        let listed = self.listed.get(&key(uri)).into_iter().flatten();
        let spellings = listed.filter(|(lister, _)| lister == server).map(|(_, spelling)| &**spelling);
        spellings.max_by_key(|spelling| *spelling == uri).unwrap_or(uri)
    }
}

/// Returns a URI with its server as prefix.
fn qualified(server: &ServerName, uri: &str) -> String {
    let prefix = if uri.starts_with("ui://") { UI_PREFIX } else { SCHEME };
    format!("{prefix}{}/{uri}", encoded(server.as_str()))
}

/// Returns the bytes of a URI without a final slash, and with percent-encoding only of reserved characters: a server may
/// distinguish `%2F` from `/`.
fn key(uri: &str) -> Vec<u8> {
    let mut rest = uri.strip_suffix('/').unwrap_or(uri).as_bytes();
    let mut key = Vec::with_capacity(rest.len());
    while let [first, after @ ..] = rest {
        let decoded = match after {
            [high, low, ..] if *first == b'%' => hex_digit(*high).zip(hex_digit(*low)),
            _ => None,
        };
        let byte = decoded.map_or(*first, |(high, low)| (high << 4) | low);
        if byte == b'%' || decoded.is_some() && RESERVED.contains(&byte) {
            key.extend(format!("%{byte:02X}").bytes());
        } else {
            key.push(byte);
        }
        rest = if decoded.is_some() { &after[2..] } else { after };
    }
    key
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

/// The reserved characters of RFC 3986.
const RESERVED: &[u8] = b":/?#[]@!$&'()*+,;=";
const SCHEME: &str = "mcp-hub:";
const UI_PREFIX: &str = "ui://mcp-hub/";
const COMMON: &[&str] = &["http:", "https:", "file:", "data:"];

#[cfg(test)]
mod tests {
    use super::{Misnamed, Uris, fits};
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
        let other = "file:///v/my%20Note.md";
        assert_eq!(uris.find(other).unwrap(), (b.clone(), other));
        for uri in ["file:///both", "file:///b%6Fth", "file:///%62oth/"] {
            let error = uris.find(uri).unwrap_err().to_string();
            assert!(
                error.contains("`mcp-hub:a/file:///both`") && error.contains("`mcp-hub:b/file:///b%6Fth`"),
                "{error}"
            );
        }
        assert_eq!(uris.unique(&a, "file:///both"), "mcp-hub:a/file:///both");
        assert_eq!(uris.unique(&b, "file:///b%6Fth"), "mcp-hub:b/file:///b%6Fth");
    }

    #[test]
    fn encoded_reserved_character_differs_from_the_character() {
        let [a, b] = ["a", "b"].map(ServerName::from);
        let mut uris = Uris::default();
        for uri in ["repo://x/src/main.rs", "repo://x/a%2fb"] {
            uris.add_resource(&a, uri);
        }
        uris.add_template(&b, "repo://x/{path}");
        for (uri, server) in [
            ("repo://x/src%2Fmain.rs", &b),
            ("repo://x/src/m%61in.rs", &a),
            ("repo://x/a%2Fb", &a),
            ("repo://x/a%252Fb", &b),
            ("repo://x/a/b", &b),
        ] {
            assert_eq!(uris.find(uri).unwrap(), (server.clone(), uri));
        }
        uris.add_template(&a, "repo://x/{path}");
        let error = uris.find("repo://x/src%2Fmain.rs").unwrap_err();
        assert!(matches!(error, Misnamed::Ambiguous { .. }), "{error}");
    }

    #[test]
    fn server_may_list_a_uri_in_two_spellings() {
        let [a, b] = ["a", "b"].map(ServerName::from);
        let mut uris = Uris::default();
        for uri in ["demo://x", "demo://x/", "demo://y z"] {
            uris.add_resource(&a, uri);
            assert_eq!(uris.unique(&a, uri), uri);
            assert_eq!(uris.as_listed(&a, uri), uri);
        }
        assert_eq!(uris.as_listed(&a, "demo://y%20z"), "demo://y z");
        assert_eq!(uris.as_listed(&a, "demo://other"), "demo://other");
        assert_eq!(uris.as_listed(&b, "demo://y%20z"), "demo://y%20z");
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
