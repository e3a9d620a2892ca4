//! The exact command lines.

use agentwire_remote::{Container, Pod, Remote, Ssh};
use agentwire_transport::process::Launch;

/// Returns the program and its arguments, one a line, with the first line of the far script alone.
fn shown(remote: &Remote) -> String {
    let launch = remote.launch();
    let words = [launch.program.as_os_str()].into_iter().chain(launch.args.iter().map(|arg| arg.as_os_str()));
    let script = include_str!("../../src/far.sh");
    let quoted = script.replace('\'', r"'\''");
    words
        .map(|word| word.to_str().unwrap().replace(script, "SCRIPT").replace(&quoted, "SCRIPT"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn cli() -> Launch {
    Launch::new("claude")
        .args(["--model=a b", "it's"])
        .cwd("/srv/my app")
        .env("KEY", "secret")
        .user(1000, 100)
}

#[test]
fn container_is_started_and_removed() {
    insta::assert_snapshot!(shown(&Container::docker("image:1").arg("--volume=/a:/b").run(&cli())), @r"
    docker
    run
    --interactive
    --rm
    --init
    --log-driver=none
    --volume=/a:/b
    --user=1000:100
    image:1
    sh
    -c
    SCRIPT
    agentwire
    /srv/my app
    claude
    --model=a b
    it's
    ");
    assert!(shown(&Container::podman("image").run(&cli())).starts_with("podman\nrun\n"));
}

#[test]
fn command_is_started_in_a_pod() {
    insta::assert_snapshot!(shown(&Pod::new("pod/agents-0").arg("--container=cli").run(&cli())), @r"
    kubectl
    exec
    --stdin
    --container=cli
    pod/agents-0
    --
    sh
    -c
    SCRIPT
    agentwire
    /srv/my app
    claude
    --model=a b
    it's
    ");
}

#[test]
fn words_are_quoted_for_the_login_shell() {
    insta::assert_snapshot!(shown(&Ssh::new("me@host").arg("-p2222").run(&cli())), @r"
    ssh
    -p2222
    -T
    -oBatchMode=yes
    -oConnectTimeout=30
    -oServerAliveInterval=15
    -oServerAliveCountMax=2
    --
    me@host
    'sh' '-c' 'SCRIPT' 'agentwire' '/srv/my app' 'claude' '--model=a b' 'it'\''s'
    ");
}

#[test]
fn values_of_variables_are_not_shown() {
    for remote in [Container::docker("i").run(&cli()), Pod::new("p").run(&cli()), Ssh::new("h").run(&cli())] {
        assert!(!shown(&remote).contains("secret"));
        assert!(!format!("{remote:?}").contains("secret"));
    }
}
