//! Tests with a real server and the real CLI, which `cargo xtask services --proof` starts.

use std::{env, sync::Arc};

use agentwire_eventlog::{RedisLog, redis::Client};

use crate::live::durable::stream;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Redis and the real CLI: cargo xtask services --proof"]
async fn cut_readers_of_redis_get_each_message_once_and_in_order() {
    let url = env::var("AGENTWIRE_TEST_REDIS_URL")
        .expect("AGENTWIRE_TEST_REDIS_URL is not set: run this with `cargo xtask services --proof`");
    let prefix = format!("stream-{}", std::process::id());
    let log = || RedisLog::new(Client::open(&*url).unwrap()).prefix(prefix.clone());
    stream::cut_readers_get_each_message_once_and_in_order(|| Arc::new(log())).await;
}
