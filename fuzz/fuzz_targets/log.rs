//! Any bytes as a log: they are read without a panic, and to the same report however they arrive.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use papayu_logs::failure::{LogReader, ReportLimits};
use papayu_logs::test_results::ResultReader;

#[derive(Arbitrary, Debug)]
struct Input {
    bytes: Vec<u8>,
    piece: u8,
}

fuzz_target!(|input: Input| {
    let Input { bytes, piece } = input;
    let mut whole = LogReader::new(ReportLimits::default());
    whole.push(&bytes);
    let mut pieces = LogReader::new(ReportLimits::default());
    let mut results = ResultReader::default();
    for part in bytes.chunks(usize::from(piece) + 1) {
        pieces.push(part);
        results.push(part);
    }
    assert_eq!(format!("{:?}", whole.finish()), format!("{:?}", pieces.finish()));
    let _ = results.finish();
});
