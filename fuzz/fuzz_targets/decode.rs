//! Any text as a reply of every protocol: decoding it and the gates without a file never panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use papayu_batch::domain::Version;
use papayu_batch::protocol::{Policy, decode_actions, decode_plan, screen};

fuzz_target!(|data: &[u8]| {
    let reply = String::from_utf8_lossy(data);
    for version in [Version::V1, Version::V2, Version::V3] {
        let _ = decode_plan(version, &reply);
        if let Ok((set, _)) = decode_actions(version, &reply) {
            let _ = screen(set, &Policy::default());
        }
    }
});
