//! A program of one's own, run with the real CLI and without an account.

use agentwire::{Options, Session};
use agentwire_testkit::{Script, ScriptedModel};

#[tokio::test]
#[ignore = "needs the real CLI: cargo xtask live-tests"]
async fn options_of_a_scripted_model_run_the_cli_against_it() {
    let home = tempfile::tempdir().unwrap();
    let script = Script::from_json(r#"{"replies": [{"blocks": [{"text": "Hello."}]}]}"#).unwrap();
    let model = ScriptedModel::start(script).await.unwrap();
    let mut options = Options::new().cwd(home.path()).env_clear();
    options.env.extend(model.environment(home.path()));
    let mut session = Session::builder().options(options).connect().await.unwrap();
    let answer = session.ask("Say hello.").await.unwrap().text().await.unwrap();
    assert_eq!(answer, "Hello.");
    session.close().await.unwrap();
    assert_eq!((model.unused(), model.exhausted()), (0, 0));
    assert!(home.path().join(".claude").is_dir(), "the CLI's own folder is in the home that was given");
}
