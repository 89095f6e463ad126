//! Any text as a model's reply: getting JSON out of it never panics.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = papayu_patch::protocol::extract::extract_json(&String::from_utf8_lossy(data));
});
