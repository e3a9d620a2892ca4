//! Tests of the R kernel, as installed by Debian's `r-cran-irkernel`.

use crate::client::{Client, program};

#[tokio::test]
#[ignore = "needs an R kernel, such as Debian's r-cran-irkernel"]
async fn r_computes_plots_and_is_interrupted() {
    let client = Client::start(program(&[], &["--kernel", "ir"])).await;
    assert_eq!(client.text("x <- 20; x + 1").await, "[1] 21");
    let table = client.text("data.frame(city = c('a', 'b'), n = 1:2)").await;
    assert!(table.contains("|") && table.contains("city"), "{table}");
    let plot = client.run("plot(1:10)").await;
    assert!(!plot.is_error, "{}", plot.text);
    assert_eq!(plot.images[0].0, "image/png", "{}", plot.text);
    let failed = client.run("stop('broken')").await;
    assert!(
        failed.is_error && failed.text.contains("broken") && !failed.text.contains('\u{1b}'),
        "{}",
        failed.text
    );
    let stopped = client.within(1.0, "Sys.sleep(30)").await;
    assert!(stopped.text.contains("[Interrupted: not finished within 1 s."), "{}", stopped.text);
    assert_eq!(client.text("x").await, "[1] 20");
    assert!(client.text("quit()").await.starts_with("[The code ended the kernel."));
    assert!(client.run("x").await.text.contains("object 'x' not found"));
    client.close().await;
}

/// As the official SDKs of MCP start a server.
#[tokio::test]
#[ignore = "needs an R kernel, such as Debian's r-cran-irkernel"]
async fn r_uses_utf_8_without_a_locale() {
    let mut command = program(&[], &["--kernel", "ir"]);
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
        command.env_remove(name);
    }
    let client = Client::start(command).await;
    assert_eq!(client.text("nchar('Köln')").await, "[1] 4");
    assert_eq!(client.text("cat('東京')").await, "東京");
    client.close().await;
}
