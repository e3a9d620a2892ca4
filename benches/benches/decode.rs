//! Every way to read, over the recorded sessions and over a long stream of partial messages.

#![expect(clippy::expect_used, reason = "a benchmark without its recordings can only stop")]

use agentwire_benches::{fixtures, input::Input, ways};
use agentwire_testkit::bench::stream::{Tags, generate};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

fn decode(criterion: &mut Criterion) {
    let fixtures = fixtures::inbound().expect("the recordings can be read");
    for (name, bytes) in [
        ("fixtures", fixtures),
        ("partial messages", generate(Tags::First, 1)),
        ("partial messages, tags last", generate(Tags::Last, 1)),
    ] {
        let input = Input::new(bytes);
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(input.bytes().len() as u64));
        group.sampling_mode(SamplingMode::Flat).sample_size(10);
        for way in ways::ALL {
            group.bench_function(way.name, |bencher| bencher.iter(|| (way.read)(&input)));
        }
        group.finish();
    }
}

criterion_group!(benches, decode);
criterion_main!(benches);
