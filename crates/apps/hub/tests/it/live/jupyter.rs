//! A model that computes and plots: the real CLI, the hub, the Jupyter server and a real Python kernel.
//!
//! `AGENTWIRE_JUPYTER` names the environment with the kernel; the server lies where cargo builds programs.

use std::{env, path::PathBuf};

use agentwire_hub::config::{ServerConfig, Sources, Stdio};
use serde_json::json;

use super::{Place, asked, hub, knows};

/// Returns the Jupyter server with the Python of the environment.
fn jupyter() -> ServerConfig {
    let kernels = env::var_os("AGENTWIRE_JUPYTER");
    let kernels = PathBuf::from(kernels.unwrap_or_else(|| panic!("AGENTWIRE_JUPYTER names no environment")));
    let mut stdio = Stdio::new(program().to_str().unwrap());
    stdio.env.insert("JUPYTER_PATH".to_owned(), kernels.join("share/jupyter").to_str().unwrap().to_owned());
    let mut config = ServerConfig::new(stdio);
    config.always_allow = ["execute_code"].into_iter().collect();
    config
}

/// Returns the program beside the tests of its own crate: cargo builds it for them.
fn program() -> PathBuf {
    let this = env::current_exe().unwrap();
    let built = this.ancestors().nth(2).unwrap().join("agentwire-jupyter-mcp");
    assert!(
        built.is_file(),
        "{} is not built: cargo test -p agentwire-jupyter-mcp --no-run",
        built.display()
    );
    built
}

#[tokio::test]
#[ignore = "needs the real CLI and a Python kernel: cargo xtask live-tests"]
async fn model_computes_and_plots_in_a_kernel() {
    let execute = |code: &str| ("mcp__hub__python__execute_code", json!({ "code": code }));
    let plot = "import matplotlib.pyplot as plt\nplt.plot(squares)\nplt.show()";
    let place = Place::calling(&[
        execute("squares = [n * n for n in range(10)]\nsum(squares)"),
        execute(plot),
        execute("squares[99]"),
    ])
    .await;
    let (hub, mut records) = hub(Sources::new().server("python", jupyter()));
    let mut session = place.session(&hub).await;
    knows(&session, "hub", "python__execute_code").await;
    let computed = asked(&mut session).await;
    assert!(computed.contains("285"), "{computed}");
    // The results of earlier code are still there.
    let plotted = asked(&mut session).await;
    assert!(plotted.contains("\"image/png\""), "no image");
    assert!(plotted.contains("iVBORw0KGgo"), "no PNG");
    let failed = asked(&mut session).await;
    assert!(failed.contains("IndexError: list index out of range"), "{failed}");
    assert!(failed.contains("\"is_error\":true"), "{failed}");
    for _ in 0..3 {
        let record = records.recv().await.unwrap();
        assert_eq!((record.server.as_str(), &*record.name), ("python", "execute_code"));
    }
    session.close().await.unwrap();
    hub.close().await;
}
