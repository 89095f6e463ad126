//! Any text as a patch: reading it and landing it never panics, and gives the same result twice.
//!
//! The input is a text, a zero byte, and a patch.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (before, patch) = text.split_once('\0').unwrap_or(("", &text));
    let landed = papayu_patch::apply_patch(before, patch, "src/file");
    assert_eq!(landed, papayu_patch::apply_patch(before, patch, "src/file"));
    if let Ok(landed) = landed {
        assert_ne!(landed.after, before, "no change is no success");
        assert!(!landed.strategies.is_empty());
    }
});
