//! Checks that entries are loaded as the same JSON values.

use super::parts::{entries, key, saying};
use super::tested_store::{Stop, TestedStore, Verdict, chain};
use crate::RawEntry;

pub(super) async fn numbers_keep_their_value(store: TestedStore<'_>) -> Verdict {
    let batch = entries(&[
        r#"{"n":[0,-1,9007199254740993,-9223372036854775808,18446744073709551615]}"#,
        r#"{"n":[12345678901234567890123,-340282366920938463463374607431768211456]}"#,
        r#"{"n":[0.1,1.5e3,2E-7,0.1000000000000000055511151231257827021181583404541015625]}"#,
        r#"{"n":[1.7976931348623157e308,5e-324]}"#,
    ])?;
    round_trip(store, &batch).await
}

pub(super) async fn unicode_is_kept(store: TestedStore<'_>) -> Verdict {
    let texts = [
        "é",
        "e\u{301}",
        "한국어",
        "😀👨‍👩‍👧",
        "\u{feff}",
        "\u{2028}\u{2029}\u{85}",
        "\u{202e}abc",
        "\u{fffd}\u{ffff}\u{10ffff}",
    ];
    let mut batch = texts.iter().map(|text| saying(text)).collect::<Result<Vec<_>, Stop>>()?;
    batch.extend(entries(&[r#"{"text":"\ud83d\ude00 \u00e9"}"#, r#"{"ключ":"значение","😀":1}"#])?);
    round_trip(store, &batch).await
}

pub(super) async fn escapes_are_kept(store: TestedStore<'_>) -> Verdict {
    let controls: String = (1_u8..0x20).chain([0x7f]).map(char::from).collect();
    let texts =
        [&controls, "\"\\/", "a\\nb", "\r\n", "\\u0041", "'; drop table x; --", "%s {} $1 ${x}", "</script>"];
    let batch = texts.iter().map(|text| saying(text)).collect::<Result<Vec<_>, Stop>>()?;
    round_trip(store, &batch).await
}

pub(super) async fn zero_characters_are_kept(store: TestedStore<'_>) -> Verdict {
    let batch =
        entries(&[r#"{"text":"\u0000","uuid":"a"}"#, r#"{"text":"a\u0000b\u0000"}"#, r#"{"\u0000":1}"#])?;
    round_trip(store, &batch).await
}

pub(super) async fn lone_surrogates_are_kept_or_refused(store: TestedStore<'_>) -> Verdict {
    let batch = entries(&[r#"{"text":"a\ud83d"}"#, r#"{"text":"\ude00\ud83d z"}"#])?;
    if let Err(error) = store.0.append(&key(1)?, &batch).await {
        return Err(Stop::Skipped(format!("the store refuses them: `append` failed: {}", chain(&error))));
    }
    store.keeps(&key(1)?, &batch).await
}

pub(super) async fn shapes_are_kept(store: TestedStore<'_>) -> Verdict {
    let deep = format!(r#"{{"deep":{}1{}}}"#, r#"[{"a":"#.repeat(45), "}]".repeat(45));
    let batch = entries(&[
        "{}",
        r#"{"type":"user","empty":[{},[],"",null,false,0]}"#,
        r#"{"type":null,"uuid":null}"#,
        r#"{"":1,"a.b":2,"$set":{"$ref":"x"},"__proto__":{"a":1},"constructor":3,"type ":4,"TYPE":5}"#,
        r#"{ "spaced" : [ 1 , 2 ] }"#,
        &deep,
    ])?;
    round_trip(store, &batch).await
}

async fn round_trip(store: TestedStore<'_>, batch: &[RawEntry]) -> Verdict {
    store.append(&key(1)?, batch).await?;
    store.keeps(&key(1)?, batch).await
}
