//! Finding the CLI, with an environment made for each test.

use std::{
    collections::HashSet,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use agentwire_transport::{
    TransportError,
    process::{AGENTWIRE_CLI, CliSearch},
};
use tempfile::TempDir;

/// The files and environment variables of a test.
struct Machine {
    root: TempDir,
    vars: Vec<(&'static str, String)>,
}

impl Machine {
    fn new() -> Self {
        Self { root: TempDir::new().unwrap(), vars: Vec::new() }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn with_file(self, path: &str, mode: u32) -> Self {
        let file = self.path(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        self
    }

    /// `@` stands for the machine's root.
    fn with_var(mut self, name: &'static str, value: &str) -> Self {
        let value = value.replace('@', &self.root.path().display().to_string());
        self.vars.push((name, value));
        self
    }

    fn search(&self) -> CliSearch {
        let mut search = CliSearch::new(|name| {
            self.vars.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        });
        // Remove the paths of CLIs that may be installed on this machine.
        search.installs.retain(|place| place.starts_with(self.root.path()));
        search
    }

    fn check(&self, search: &CliSearch, expect: &str) {
        assert_eq!(search.find().unwrap(), self.path(expect));
    }
}

#[test]
fn search_order_is_explicit_variable_path_installs() {
    let machine = Machine::new()
        .with_file("mine/claude", 0o755)
        .with_file("named/claude", 0o755)
        .with_file("bin/claude", 0o755)
        .with_file("home/.local/bin/claude", 0o755)
        .with_file("home/.claude/local/claude", 0o755)
        .with_var("HOME", "@/home");
    machine.check(&machine.search(), "home/.local/bin/claude");
    fs::remove_file(machine.path("home/.local/bin/claude")).unwrap();
    machine.check(&machine.search(), "home/.claude/local/claude");
    let machine = machine.with_var("PATH", "@/none:relative::@/bin");
    machine.check(&machine.search(), "bin/claude");
    let machine = machine.with_var(AGENTWIRE_CLI, "@/named/claude");
    machine.check(&machine.search(), "named/claude");
    let mut search = machine.search();
    search.explicit = Some(machine.path("mine/claude"));
    machine.check(&search, "mine/claude");
}

#[test]
fn bare_name_is_searched_in_path() {
    let machine = Machine::new()
        .with_file("bin/claude-next", 0o755)
        .with_var("PATH", "@/bin")
        .with_var(AGENTWIRE_CLI, "claude-next");
    machine.check(&machine.search(), "bin/claude-next");
    let mut search = machine.search();
    search.explicit = Some("claude-other".into());
    assert!(
        matches!(search.find(), Err(TransportError::NoSuchProgram { program }) if program == Path::new("claude-other"))
    );
}

#[test]
fn named_program_is_never_replaced() {
    let machine = Machine::new()
        .with_file("bin/claude", 0o755)
        .with_file("plain/claude", 0o644)
        .with_var("PATH", "@/bin")
        .with_var(AGENTWIRE_CLI, "@/missing/claude");
    let mut search = machine.search();
    assert!(
        matches!(search.find(), Err(TransportError::NoSuchProgram { program }) if program == machine.path("missing/claude"))
    );
    search.explicit = Some(machine.path("plain/claude"));
    assert!(matches!(search.find(), Err(TransportError::NotExecutable { .. })));
    search.explicit = Some(machine.path("plain"));
    assert!(matches!(search.find(), Err(TransportError::NotExecutable { .. })));
}

#[test]
fn not_found_error_lists_every_place_once() {
    let machine = Machine::new()
        .with_file("bin/claude", 0o644)
        .with_file("relative/claude", 0o755)
        .with_var("PATH", "@/bin:relative:.:@/bin:@/user/.local/bin")
        .with_var("HOME", "@/user")
        .with_var(AGENTWIRE_CLI, "");
    let Err(TransportError::NotFound { searched }) = machine.search().find() else { panic!("found") };
    assert_eq!(searched[0], machine.path("bin/claude"));
    assert_eq!(searched[1], machine.path("user/.local/bin/claude"));
    assert!(searched.iter().all(|place| place.is_absolute()));
    assert_eq!(searched.iter().collect::<HashSet<_>>().len(), searched.len(), "{searched:?}");
}

#[test]
fn empty_environment_still_searches_system_installs() {
    let search = CliSearch::new(|_| None);
    assert!(search.path.is_empty());
    assert!(search.installs.contains(&PathBuf::from("/usr/local/bin/claude")));
}
