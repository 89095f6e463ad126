//! Any text as a configuration in each format: it is read or refused, and no value has a line that the text does not have.
#![no_main]

use libfuzzer_sys::fuzz_target;
use papayu_base::config_text::{ConfigFormat, ConfigValue, MAX_DEPTH, Node, parse};

/// Checks the lines of a value and of all in it.
fn check(node: &Node, lines: usize, depth: usize) {
    assert!((1..=lines).contains(&node.line), "line {} of {lines}", node.line);
    assert!(depth <= MAX_DEPTH + 1);
    match &node.value {
        ConfigValue::List(nodes) => nodes.iter().for_each(|node| check(node, lines, depth + 1)),
        ConfigValue::Table(fields) => {
            fields.iter().for_each(|field| check(&field.value, lines, depth + 1));
        }
        _ => {}
    }
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let lines = text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).count();
    for format in [
        ConfigFormat::Toml,
        ConfigFormat::Yaml,
        ConfigFormat::Json,
        ConfigFormat::StrictJson,
        ConfigFormat::Ini,
    ] {
        let parsed = parse(format, &text);
        parsed.documents.iter().for_each(|node| check(node, lines, 0));
        assert!(parsed.faults.iter().all(|fault| fault.line >= 1));
    }
});
