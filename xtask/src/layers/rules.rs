//! The rules as data: the one file to edit when the architecture changes.

/// The crates, bottom to top; each may use only those before it, and those in [`BESIDE`] even fewer.
pub(super) const ORDER: &[&str] = &[
    "agentwire-protocol-macros",
    "agentwire-protocol",
    "agentwire-transport",
    TESTKIT,
    "agentwire-codec",
    "agentwire-control",
    "agentwire-hooks",
    "agentwire-mcp",
    SESSIONS,
    FACADE,
    "agentwire-net",
    "agentwire-store-object",
    "agentwire-store-redis",
    "agentwire-store-postgres",
    "agentwire-remote",
    "agentwire-eventlog",
    "agentwire-board",
    "agentwire-worker",
    "agentwire-restate",
    "agentwire-hub-config",
    "agentwire-hub-names",
    "agentwire-hub-transport",
    "agentwire-hub",
    "agentwire-chat",
    "agentwire-fetch-mcp",
    "agentwire-jupyter-mcp",
    "agentwire-acp",
    VIEWER,
    "agentwire-inspect",
];

/// Crates beside the stack, each with our crates that it may use.
pub(super) const BESIDE: &[(&str, &[&str])] = &[
    ("agentwire-protocol-macros", &[]),
    (SESSIONS, &["agentwire-protocol"]),
    ("agentwire-net", &[]),
    ("agentwire-store-object", &["agentwire-protocol", SESSIONS]),
    ("agentwire-store-redis", &["agentwire-protocol", SESSIONS]),
    ("agentwire-store-postgres", &["agentwire-protocol", SESSIONS]),
    ("agentwire-remote", &["agentwire-transport"]),
    ("agentwire-eventlog", &["agentwire-protocol"]),
    ("agentwire-board", &["agentwire-protocol", "agentwire-eventlog"]),
    ("agentwire-worker", &[FACADE, "agentwire-net", "agentwire-eventlog"]),
    ("agentwire-restate", &[FACADE, "agentwire-net", "agentwire-worker"]),
    ("agentwire-hub-config", &[]),
    ("agentwire-hub-names", &["agentwire-net", "agentwire-hub-config"]),
    (
        "agentwire-hub-transport",
        &["agentwire-net", "agentwire-protocol", "agentwire-transport", "agentwire-codec"],
    ),
    (
        "agentwire-hub",
        &[
            "agentwire-net",
            "agentwire-hub-config",
            "agentwire-hub-names",
            "agentwire-hub-transport",
            "agentwire-transport",
            "agentwire-mcp",
        ],
    ),
    ("agentwire-chat", &["agentwire-net", "agentwire-hub"]),
    ("agentwire-fetch-mcp", &["agentwire-net"]),
    ("agentwire-jupyter-mcp", &["agentwire-transport"]),
    ("agentwire-acp", &[FACADE, SESSIONS]),
    (TESTKIT, &["agentwire-protocol", "agentwire-transport"]),
    (VIEWER, &["agentwire-protocol", TESTKIT]),
    ("agentwire-inspect", &["agentwire-protocol", "agentwire-codec"]),
];

/// Reads the sessions that the CLI stores, and keeps sessions in other stores.
const SESSIONS: &str = "agentwire-sessions";

/// The crate on top of the stack.
pub(super) const FACADE: &str = "agentwire";

/// For tests: a normal dependency of the viewer and of unpublished crates only.
pub(super) const TESTKIT: &str = "agentwire-testkit";

/// Renders transcripts, whose format the testkit defines.
pub(super) const VIEWER: &str = "agentwire-viewer";

/// Not published, and on top of the facade: a dependency of tests, the command and the chores only.
pub(super) const JUDGE: &str = "agentwire-judge";

/// Clusters of durable sessions for checks, and the servers of tests: a dependency of the chores only.
pub(super) const CLUSTER: &str = "agentwire-cluster";

/// The command; unpublished, since it uses the judge.
pub(super) const COMMAND: &str = "agentwire-cli";

/// On top of everything, and used by nothing.
pub(super) const XTASK: &str = "xtask";

/// Measures the layers, and is used by nothing.
pub(super) const BENCHES: &str = "agentwire-benches";

/// The limits on the number of crates that are not ours, in `cargo tree -e normal,build`: the package, the default feature
/// that is off, and the limit.
pub(super) const BUDGETS: &[(&str, Option<&str>, usize)] = &[
    ("agentwire-protocol", None, 15),
    ("agentwire-codec", None, 15),
    (FACADE, Some("mcp"), 35),
    (FACADE, None, 89),
];

/// All that a low crate may use directly with its default features, besides the layers under it.
pub(super) const DIRECT: &[(&str, &[&str])] = &[
    ("agentwire-protocol-macros", &[]),
    ("agentwire-protocol", &["serde", "serde_json"]),
    ("agentwire-transport", &["serde", "serde_json", "bytes", "thiserror"]),
    ("agentwire-codec", &["serde", "serde_json", "bytes", "thiserror", "memchr"]),
    ("agentwire-control", &["serde", "serde_json", "bytes", "thiserror", "memchr"]),
    (
        SESSIONS,
        &[
            "serde",
            "serde_json",
            "thiserror",
            "memchr",
            "unicode-normalization",
            "unicode-properties",
            "blocking",
            "jiff",
            "tempfile",
            "uuid",
        ],
    ),
];

/// What those crates may not even use indirectly, unless a feature asks for it.
pub(super) const NO_RUNTIME: &[&str] = &["tokio", "tokio-util", "async-std", "smol", "futures-executor"];

/// Crates that are too heavy to be built before an example of the facade runs.
pub(super) const HEAVY_IN_TESTS: &[&str] = &["axum", "proptest"];

/// The edges between top modules that close today's cycles: crate, from, to. Remove an edge when it is broken; add
/// none.
pub(super) const KNOWN_CYCLES: &[(&str, &str, &str)] = &[
    // Kinds of messages use each other's values.
    ("agentwire-protocol", "content", "message"),
    ("agentwire-protocol", "message", "control"),
    ("agentwire-protocol", "permission", "control"),
    ("agentwire-protocol", "settings", "control"),
    // The schemas of a server are checked on the way to it, and come from it.
    ("agentwire-mcp", "check", "service"),
    ("agentwire-mcp", "tool", "server"),
    // A session makes turns, which hold the session.
    (FACADE, "turn", "session"),
];
