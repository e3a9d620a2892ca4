//! Tests of the order and limits of output.

use jupyter_protocol::Media;
use rmcp::model::ContentBlock;
use serde_json::json;

use super::Output;

fn media(bundle: serde_json::Value) -> Media {
    serde_json::from_value(bundle).unwrap()
}

fn shown(output: Output) -> Vec<String> {
    let show = |block: &ContentBlock| match (block.as_text(), block.as_image()) {
        (Some(text), _) => text.text.clone(),
        (_, Some(image)) => format!("<{} {}>", image.mime_type, image.data),
        _ => panic!("{block:?}"),
    };
    output.into_content(&[]).iter().map(show).collect()
}

#[test]
fn texts_and_images_keep_their_order() {
    let mut output = Output::new(1_000, 1_000);
    output.print(0, "one\ntw");
    output.print(0, "o\n");
    output.print(1, "warned");
    output.show(None, &media(json!({ "image/png": "AAAA" })));
    output.show(None, &media(json!({ "text/plain": "2" })));
    output.say("end");
    assert_eq!(shown(output), ["one\ntwo\nwarned", "<image/png AAAA>", "2\nend"]);
}

#[test]
fn line_that_is_too_long_for_the_head_is_replaced_as_a_whole() {
    let mut output = Output::new(20, 0);
    output.print(0, "one\n");
    // The head has room for six more characters.
    output.print(0, "0123456789");
    output.print(0, "\rnew");
    assert_eq!(shown(output), ["one\nnew"]);
}

#[test]
fn the_beginning_and_the_end_of_much_are_kept() {
    let mut output = Output::new(100, 0);
    for number in 0..100_000 {
        output.print(number % 2, &format!("line {number}\n"));
    }
    let text = shown(output).pop().unwrap();
    assert!(text.starts_with("line 0\nline 1\n"), "{text}");
    assert!(text.ends_with("line 99999"), "{text}");
    assert!(text.contains(" characters left out …]\n"), "{text}");
    assert!(text.chars().count() < 300, "{text}");
}

#[test]
fn dropped_characters_are_counted_and_none_is_split() {
    let mut output = Output::new(10, 0);
    output.print(0, &"ñ".repeat(1_000));
    let text = shown(output).pop().unwrap();
    let kept = text.chars().filter(|c| *c == 'ñ').count();
    assert!(text.contains(&format!("[… {} characters left out …]", 1_000 - kept)), "{text}");
}

#[test]
fn one_long_value_is_cut_in_its_middle() {
    let mut output = Output::new(500, 0);
    output.say(&format!("start {} end", "x".repeat(1_000)));
    let text = shown(output).pop().unwrap();
    assert!(text.starts_with("start x") && text.ends_with("x end"), "{text}");
    assert!(text.contains(" characters left out …]\n") && text.chars().count() <= 250, "{text}");
}

#[test]
fn a_value_that_does_not_fit_the_head_is_kept_while_the_whole_fits() {
    let mut output = Output::new(300, 0);
    output.print(0, &"x".repeat(80));
    output.show(None, &media(json!({ "text/plain": "y".repeat(80) })));
    output.print(0, &"z".repeat(80));
    let text = shown(output).pop().unwrap();
    assert!(text.contains(&"y".repeat(80)) && !text.contains("left out"), "{text}");
}

#[test]
fn images_beyond_the_bounds_are_named() {
    let image = media(json!({ "image/png": "AAAA" }));
    let mut output = Output::new(1_000, 6);
    output.show(None, &image);
    output.show(None, &image);
    let note = "[An image (image/png, 3 bytes) was left out: there is no room for it.]";
    assert_eq!(shown(output), ["<image/png AAAA>", note]);
    let mut output = Output::new(100_000, 1_000);
    (0..60).for_each(|_| output.show(None, &image));
    let shown = shown(output);
    assert_eq!(shown.iter().filter(|block| block.starts_with('<')).count(), 50);
    assert_eq!(shown.last().unwrap().lines().count(), 10);
}

#[test]
fn image_is_shown_if_one_of_its_forms_has_room() {
    let mut output = Output::new(1_000, 6);
    output.show(None, &media(json!({ "image/png": "iVBORw==", "image/jpeg": "/9j/" })));
    assert_eq!(shown(output), ["<image/jpeg /9j/>"]);
}

#[test]
fn an_image_that_is_replaced_makes_room() {
    let mut output = Output::new(1_000, 4);
    output.show(Some("d".into()), &media(json!({ "image/png": "AAAA" })));
    for _ in 0..100 {
        output.update("d", &media(json!({ "image/png": "BBBB" })));
    }
    assert_eq!(shown(output), ["<image/png BBBB>"]);
}

#[test]
fn images_that_are_dropped_are_counted() {
    let mut output = Output::new(100, 1_000);
    output.print(0, &"x".repeat(60));
    output.show(None, &media(json!({ "image/png": "AAAA" })));
    output.print(0, &"y".repeat(500));
    let text = shown(output).pop().unwrap();
    assert!(text.contains(" characters and 1 images left out …]"), "{text}");
}

#[test]
fn updates_keep_to_the_bound() {
    let mut output = Output::new(1_000, 0);
    for number in 0..50 {
        output.show(Some(format!("{number}")), &media(json!({ "text/plain": "s" })));
    }
    for number in 0..50 {
        output.update(&format!("{number}"), &media(json!({ "text/plain": "x".repeat(2_000) })));
    }
    let text = shown(output).pop().unwrap();
    assert!(text.chars().count() < 1_200, "{}", text.chars().count());
}

#[test]
fn the_number_of_pieces_is_bounded() {
    let mut output = Output::new(usize::MAX / 4, 0);
    for number in 0..60_000 {
        output.print(number % 2, "x");
        output.show(Some(number.to_string()), &media(json!({})));
    }
    assert!(output.head.len() + output.tail.len() <= 40_000);
}

#[test]
fn a_bar_of_progress_is_one_line() {
    let mut output = Output::new(1_000, 0);
    output.print(0, "start\n");
    for percent in 0..=100 {
        assert_eq!(output.print(1, &format!("\r{percent}%")), format!("{percent}%"));
    }
    output.print(1, "\n");
    assert_eq!(shown(output), ["start\n100%"]);
}

#[test]
fn overwritten_lines_are_not_reported_as_progress() {
    let mut output = Output::new(1_000, 0);
    assert_eq!(output.print(1, "1\r2\n3\r4"), "2\n4");
}

#[test]
fn output_is_cleared_and_updated() {
    let mut output = Output::new(1_000, 0);
    output.print(0, "gone");
    output.clear(true);
    output.show(Some("d".into()), &media(json!({ "text/plain": "first" })));
    output.show(None, &media(json!({ "text/plain": "between" })));
    output.update("d", &media(json!({ "text/plain": "second" })));
    output.update("e", &media(json!({ "text/plain": "from before" })));
    output.clear(true);
    assert_eq!(shown(output), ["second\nbetween\nfrom before"]);
    let mut output = Output::new(1_000, 0);
    output.print(0, "gone");
    output.clear(false);
    assert!(shown(output).is_empty());
}
