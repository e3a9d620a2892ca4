//! Tests of displayed values: text, tables, images, and the limits of each.

use crate::real::{python, python_with};

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn plots_and_images_are_images() {
    let client = python().await;
    // The first import may take long and print messages.
    let imported = client.within(50.0, "import matplotlib.pyplot as plt").await;
    assert!(!imported.is_error, "{}", imported.text);
    let answer = client.within(50.0, "plt.plot([1, 4, 9])\nplt.show()\nprint('plotted')").await;
    assert!(!answer.is_error, "{}", answer.text);
    assert_eq!(answer.text, "plotted");
    let [(kind, data)] = &answer.images[..] else { panic!("{} images", answer.images.len()) };
    assert_eq!(kind, "image/png");
    assert!(data.starts_with("iVBORw0KGgo") && data.len() > 4_000, "{} bytes", data.len());
    let jpeg = "import io\nfrom PIL import Image as P\nfrom IPython.display import Image, SVG, display\n\
                b = io.BytesIO(); P.new('RGB', (9, 9), 'red').save(b, 'jpeg')\ndisplay(Image(data=b.getvalue(), format='jpeg'))\n\
                display(SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"><rect/></svg>'))";
    let answer = client.run(jpeg).await;
    assert_eq!(answer.images[0].0, "image/jpeg", "{}", answer.text);
    assert!(answer.text.contains("<rect/>"), "{}", answer.text);
    // It offers PNG and JPEG.
    let answer = client.run("P.new('RGB', (9, 9), 'red')").await;
    assert_eq!(answer.images.len(), 1, "{}", answer.text);
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn tables_are_markdown_with_all_columns() {
    let client = python().await;
    let answer = client
        .within(50.0, "import pandas as pd\npd.DataFrame({'city': ['Łódź', 'a|b'], 'n': [1, 2]})")
        .await;
    assert_eq!(answer.text, "|  | city | n |\n|---|---|---|\n| 0 | Łódź | 1 |\n| 1 | a\\|b | 2 |");
    let wide =
        client.text("pd.DataFrame([range(15)], columns=[f'a_long_column_{i}' for i in range(15)])").await;
    assert!((0..15).all(|number| wide.contains(&format!("a_long_column_{number} "))), "{wide}");
    assert_eq!(wide.lines().count(), 3, "{wide}");
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn other_forms_are_the_best_text() {
    let client = python().await;
    client.text("from IPython.display import *").await;
    assert_eq!(client.text("HTML('<h1>One</h1><p>two <b>three</b></p>')").await, "One\ntwo three");
    assert_eq!(client.text("Markdown('# One')").await, "# One");
    assert_eq!(client.text("Math('x^2')").await, "$\\displaystyle x^2$");
    assert_eq!(client.text("JSON({'a': 1})").await, "{\n  \"a\": 1\n}");
    assert!(client.text("len?").await.contains("Return the number of items in a container"));
    let updated = "h = display('one', display_id=True)\nprint('between')\nh.update('two')";
    assert_eq!(client.text(updated).await, "'two'\nbetween");
    assert_eq!(client.text("print('gone')\nclear_output()\nprint('stays')").await, "stays");
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn too_much_is_cut_in_the_middle() {
    let client = python_with(&["--max-chars", "2000"]).await;
    for code in
        ["for i in range(300_000): print('line', i)", "print('line 0', 'x' * 20_000_000, 'line 299999')"]
    {
        let answer = client.within(50.0, code).await;
        assert!(!answer.is_error, "{}", answer.text);
        assert!(answer.text.starts_with("line 0") && answer.text.ends_with("line 299999"), "{code}");
        assert!(answer.text.contains(" characters left out …]"), "{code}");
        assert!(answer.text.len() < 5_000, "{code}: {}", answer.text.len());
    }
    let value = client.text("'y' * 1_000_000").await;
    assert!(value.len() < 3_000 && value.contains("left out"), "{}", value.len());
    client.close().await;
}

#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn a_bar_of_progress_is_its_last_state() {
    let client = python().await;
    let code = "import sys, time\nfor i in range(101):\n    sys.stderr.write(f'\\r{i}%'); sys.stderr.flush()\nprint()";
    assert_eq!(client.text(code).await, "100%");
    client.close().await;
}

/// The kernel reads the output of its children in a thread, so the output may arrive before or after the code's end:
/// the code waits for it.
#[tokio::test]
#[ignore = "needs AGENTWIRE_JUPYTER"]
async fn output_of_child_processes_is_shown() {
    let client = python().await;
    let code = "import os, sys, threading\nseen, write = threading.Event(), sys.stdout.write\n\
                def noted(text):\n    write(text)\n    seen.set()\n\
                sys.stdout.write = noted\nos.system('echo from a shell')\n\
                assert seen.wait(30)\nsys.stdout.write = write";
    assert_eq!(client.text(code).await, "from a shell");
    client.close().await;
}
