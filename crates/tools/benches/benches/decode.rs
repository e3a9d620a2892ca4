//! Decoding a long stream of partial messages, from ignoring the values of a line to typing all of it.

use std::hint::black_box;

use agentwire_benches::cli::stream::generate;
use agentwire_codec::{Frame, Incoming, Limits, LineDecoder};
use agentwire_protocol::Message;
use bytes::Bytes;
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use serde::de::IgnoredAny;

fn decode(criterion: &mut Criterion) {
    let stream = generate(1);
    let blocks: Vec<Bytes> = stream.chunks(BLOCK).map(Bytes::copy_from_slice).collect();
    let lines = || stream.split_inclusive(|byte| *byte == b'\n');
    let mut group = criterion.benchmark_group("partial messages");
    group.throughput(Throughput::Bytes(stream.len() as u64));
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    group.bench_function("IgnoredAny", |bencher| {
        bencher.iter(|| lines().filter(|line| serde_json::from_slice::<IgnoredAny>(line).is_ok()).count());
    });
    group.bench_function("agentwire", |bencher| {
        bencher.iter(|| lines().filter(|line| black_box(Message::from_bytes(line)).is_ok()).count());
    });
    group.bench_function("through the codec", |bencher| {
        bencher.iter(|| {
            let mut decoder = LineDecoder::new(Limits::default());
            let mut messages = 0;
            for block in &blocks {
                decoder.push(block.clone());
                while let Some(Ok(line)) = decoder.next() {
                    messages +=
                        usize::from(black_box(Incoming::decode(Frame::new(line))).message().is_some());
                }
            }
            messages
        });
    });
    group.finish();
}

/// The capacity of a pipe on Linux, which limits a read.
const BLOCK: usize = 64 << 10;

criterion_group!(benches, decode);
criterion_main!(benches);
