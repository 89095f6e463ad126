//! A value and any text around it: the masked text has the value nowhere, and masking it again changes nothing more of it.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use papayu_base::text::{Masker, mask};

#[derive(Arbitrary, Debug)]
struct Input {
    value: [u8; 12],
    before: String,
    between: String,
    after: String,
}

fuzz_target!(|input: Input| {
    let Input { value, before, between, after } = input;
    // Letters and digits, as services issue them.
    let letters = b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    let value: String =
        value.iter().map(|byte| char::from(letters[usize::from(*byte) % letters.len()])).collect();
    let text = format!("{before}{value}{between}{value}{after}");
    let masked = Masker::new([value.clone()]).mask(&text).into_owned();
    assert!(!masked.contains(&value), "{value:?} remains in {masked:?}");
    let _ = mask(&text);
});
