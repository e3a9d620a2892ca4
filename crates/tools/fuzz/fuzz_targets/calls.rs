//! Calls in a text are in order, and calls found at the start of a text stay when the text grows.
//!
//! The first byte determines where the beginning ends.

#![no_main]

use agentwire_hub_names::llm::{CallForm, Finding, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [cut, text @ ..] = data else { return };
    let Ok(text) = str::from_utf8(text) else { return };
    for form in [CallForm::Xml, CallForm::Json] {
        let all = read(text, form);
        let mut end = 0;
        for finding in &all {
            assert!(end <= finding.span.start && finding.span.start <= finding.span.end, "{all:?}");
            assert!(text.get(finding.span.clone()).is_some(), "{all:?}");
            end = finding.span.end;
        }
        // In the JSON form a call counts from the end of its line on.
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        let Some(&beginning) = ends.get(usize::from(*cut) % ends.len().max(1)) else { continue };
        let calls: Vec<Finding> =
            read(&text[..beginning], form).into_iter().filter(|found| found.call.is_ok()).collect();
        assert!(calls.iter().all(|call| all.contains(call)), "{calls:?}\n{all:?}");
    }
});
