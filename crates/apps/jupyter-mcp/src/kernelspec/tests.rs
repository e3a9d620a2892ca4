//! Tests with specifications as they exist on real machines.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use agentwire_transport::process::Launch;

use super::{Kernels, data_folders, expand, with_encoding};

fn install(data: &Path, name: &str, spec: &str) {
    let folder = data.join("kernels").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("kernel.json"), spec).unwrap();
}

fn args(kernels: &Kernels, name: &str) -> Vec<String> {
    let launch = kernels.find(name).unwrap().launch(Path::new("/run/c.json")).unwrap();
    let program = launch.program.to_string_lossy().into_owned();
    [program].into_iter().chain(launch.args.iter().map(|arg| arg.to_string_lossy().into_owned())).collect()
}

#[test]
fn the_first_folder_wins_and_unreadable_specs_are_named() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    install(one.path(), "Same", r#"{"argv": ["a"], "display_name": "First", "language": "x"}"#);
    install(one.path(), "broken", "{");
    install(other.path(), "same", r#"{"argv": ["b"], "display_name": "Second", "language": "x"}"#);
    install(other.path(), "more", r#"{"argv": [], "display_name": "More", "language": "x"}"#);
    let folders = vec![one.path().to_owned(), "/nowhere".into(), other.path().to_owned()];
    let kernels = Kernels::in_folders(folders);
    let broken = one.path().join("kernels/broken/kernel.json");
    assert_eq!(
        kernels.to_string(),
        format!(
            "more (More), same (First), {} can't be read (EOF while parsing an object at line 1 column 1)",
            broken.display()
        )
    );
    assert_eq!(args(&kernels, "SAME"), ["a"]);
    assert!(kernels.find("more").unwrap().launch(Path::new("c")).is_none());
    assert!(kernels.find("broken").is_none());
    assert_eq!(
        Kernels::in_folders(vec!["/a".into(), "/b".into()]).to_string(),
        "no kernels are installed; looked in /a, /b"
    );
}

#[test]
fn placeholders_inside_arguments_are_replaced() {
    let prefix = tempfile::tempdir().unwrap();
    let data = prefix.path().join("share/jupyter");
    let spec = r#"{"argv": ["k", "--file={connection_file}", "{connection_file}", "{resource_dir}/x", "-e", "f({prefix})"],
                   "display_name": "K", "language": "x", "env": {"A": "${HOME}/a", "B": "b"}}"#;
    install(&data, "k", spec);
    let kernels = Kernels::in_folders(vec![data.clone()]);
    let resources = data.join("kernels/k/x");
    let prefixed = format!("f({})", prefix.path().display());
    assert_eq!(
        args(&kernels, "k"),
        ["k", "--file=/run/c.json", "/run/c.json", resources.to_str().unwrap(), "-e", &prefixed]
    );
    let launch = kernels.find("k").unwrap().launch(Path::new("c")).unwrap();
    assert_eq!(launch.env[&OsString::from("B")], "b");
}

#[test]
fn a_bare_python_is_that_of_the_environment() {
    let prefix = tempfile::tempdir().unwrap();
    let data = prefix.path().join("share/jupyter");
    for (name, program) in
        [("p", "python"), ("p3", "python3.11"), ("r", "pythonic"), ("full", "/usr/bin/python")]
    {
        install(&data, name, &format!(r#"{{"argv": ["{program}"], "display_name": "P", "language": "x"}}"#));
    }
    let kernels = Kernels::in_folders(vec![data]);
    assert_eq!(args(&kernels, "p"), ["python"]);
    let bin = prefix.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    for name in ["python", "python3.11", "pythonic"] {
        std::fs::write(bin.join(name), "").unwrap();
    }
    assert_eq!(args(&kernels, "p"), [bin.join("python").to_str().unwrap()]);
    assert_eq!(args(&kernels, "p3"), [bin.join("python3.11").to_str().unwrap()]);
    assert_eq!(args(&kernels, "r"), ["pythonic"]);
    assert_eq!(args(&kernels, "full"), ["/usr/bin/python"]);
}

#[test]
fn folders_are_those_of_jupyter() {
    let prefix = tempfile::tempdir().unwrap();
    let bin = prefix.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::write(bin.join("python3"), "").unwrap();
    let var = |name: &str| match name {
        "JUPYTER_PATH" => Some("/one:/two".into()),
        "XDG_DATA_HOME" => Some("/xdg".into()),
        "HOME" => Some("/u".into()),
        "PATH" => Some(env_path(&bin)),
        _ => None,
    };
    let own = if cfg!(target_os = "macos") { "/u/Library/Jupyter" } else { "/xdg/jupyter" };
    let venv = prefix.path().join("share/jupyter");
    let expected = [
        "/one".into(),
        "/two".into(),
        own.into(),
        venv,
        "/usr/local/share/jupyter".into(),
        "/usr/share/jupyter".into(),
    ];
    assert_eq!(data_folders(var), expected.map(|path: PathBuf| path));
}

fn env_path(bin: &Path) -> OsString {
    std::env::join_paths([Path::new("/nowhere"), bin]).unwrap()
}

#[test]
fn text_is_utf_8_unless_a_locale_is_set() {
    let encoding = |launch: Launch, set: &str, value: &str| {
        let launch = with_encoding(launch, |name| (name == set).then(|| value.into()));
        launch.env.get(OsStr::new("LC_CTYPE")).cloned()
    };
    let utf_8 = Some(OsString::from(if cfg!(target_os = "macos") { "UTF-8" } else { "C.UTF-8" }));
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
        assert_eq!(encoding(Launch::new("k"), name, ""), utf_8, "{name}");
        assert_eq!(encoding(Launch::new("k"), name, "de_DE"), None, "{name}");
        assert_ne!(encoding(Launch::new("k").env(name, "de_DE"), "", ""), utf_8, "{name}");
        // The kernel gets the empty value instead of the server's.
        assert_eq!(encoding(Launch::new("k").env(name, ""), name, "de_DE"), utf_8, "{name}");
    }
}

#[test]
fn variables_are_expanded() {
    let var = |name: &str| (name == "A").then(|| "1".into());
    assert_eq!(expand("x${A}y${B}$A${A", var), "x1y${B}$A${A");
}
