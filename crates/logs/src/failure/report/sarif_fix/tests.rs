//! Regions of all three forms, alternatives, and fixes that cannot be read whole.

use serde_json::json;

use super::*;

fn read(fixes: &Value) -> Option<ReportedFix> {
    let at = Location { path: "file:///a%20b.py".into(), line: Some(1), column: None };
    read_fix(fixes.as_array().unwrap(), &at, ColumnUnit::Utf16)
}

fn one(uri: &str, replacement: &Value) -> Value {
    let file = json!({ "artifactLocation": { "uri": uri }, "replacements": [replacement] });
    json!([{ "description": { "text": "mend\nit" }, "artifactChanges": [file] }])
}

#[test]
fn a_fix_that_is_half_readable_is_not_read() {
    for (uri, replacement) in [
        ("a", json!({ "deletedRegion": {} })),
        (
            "a",
            json!({ "deletedRegion": { "startLine": 1 }, "insertedContent": { "binary": "eA==" } }),
        ),
        ("a", json!({ "deletedRegion": { "byteLength": 1 }, "insertedContent": { "text": "x" } })),
    ] {
        assert_eq!(read(&one(uri, &replacement)), None, "{replacement}");
    }
    let nameless = json!([{ "artifactChanges": [
        { "artifactLocation": {}, "replacements": [{ "deletedRegion": { "startLine": 1 } }] }
    ] }]);
    assert_eq!(read(&nameless), None);
    assert_eq!(read(&json!([])), None);
}

#[test]
fn regions_are_read_as_lines_characters_or_bytes_with_the_standard_s_defaults() {
    let unit = ColumnUnit::Utf16;
    for (region, expected) in [
        (
            json!({ "startLine": 2 }),
            Region::Lines { start: (2, 1), end_line: 2, end_column: None, unit },
        ),
        (
            json!({ "startLine": 2, "startColumn": 3, "endLine": 4, "endColumn": 5, "charOffset": 9 }),
            Region::Lines { start: (2, 3), end_line: 4, end_column: Some(5), unit },
        ),
        (json!({ "charOffset": 7, "charLength": 2 }), Region::Chars { offset: 7, length: 2, unit }),
        (json!({ "byteOffset": 7 }), Region::Bytes { offset: 7, length: 0 }),
    ] {
        let fix =
            read(&one("file:///r/%C3%A9%zz.py", &json!({ "deletedRegion": region }))).unwrap();
        assert_eq!((fix.description.as_str(), fix.at.path.as_str()), ("mend", "/a b.py"));
        let change = ReportedChange {
            path: "/r/é%zz.py".to_owned(),
            region: expected,
            snippet: None,
            text: String::new(),
        };
        assert_eq!(fix.changes, [change]);
    }
}

#[test]
fn several_fixes_of_one_result_are_alternatives_in_words() {
    let alternatives =
        json!([{ "description": { "text": "this" } }, { "description": { "text": "that" } }]);
    let fix = read(&alternatives).unwrap();
    assert_eq!((fix.description.as_str(), fix.changes.len()), ("this or that", 0));
}
