//! Protocol v3 on every route: edits that land at once, after a repair, and the way down to v2 and v1.

use serde_json::{Value, json};

use crate::judges::assert_vendor_accepts;
use crate::mock::{Mock, Route};
use crate::project::{PARSER, Project, Run};
use crate::replies::{self, BAD, GOOD, PATH, base};

const IN_V3: [(&str, &str); 1] = [("PAPAYU_PROTOCOL_VERSION", "3")];

/// The edits that mend it: a piece of a line, and lines beside one.
const MENDS: [[&str; 4]; 2] = [
    ["replace", "def parse(text):", "text.splitlines()", "(text or \"\").splitlines()"],
    ["insert_before", "", "def parse(text):\n", "# No text is no setting."],
];
/// Edits of a file that is not this one, and of text that stands there more than once.
const LOST: [[&str; 4]; 1] = [["replace", "def load(rows):", "rows.all()", "rows or ()"]];
const TWICE: [[&str; 4]; 1] = [["replace", "", "key", "name"]];

fn protocol(run: &Run) -> Value {
    let told = &run.outcome["protocol"];
    json!([told["attempts"], told["repair_reason"], told["fallback_reason"]])
}

#[test]
fn edits_go_the_straight_way_in_the_vendors_own_form() {
    for (route, place) in [
        (Route::OpenAi, "/response_format/json_schema/schema"),
        (Route::Anthropic, "/output_config/format/schema"),
        (Route::Ollama, "/format"),
    ] {
        let mock = Mock::start(&[replies::plan(), replies::edits(&base(), &MENDS)]);
        let project = Project::new();
        let run = project.fix_with(route, &mock, &[], &IN_V3);
        assert_eq!(run.end(), (0, "fixed"), "{run:?}");
        assert_eq!(protocol(&run), json!([["v3"], null, null]));
        assert_eq!(run.traces[1]["patch_strategy"], json!({ PATH: ["edit_exact", "edit_exact"] }));
        assert_eq!(run.traces[1]["protocol_version_used"], 3);
        for sent in mock.sent() {
            let schema = sent.body.pointer(place).expect("the wire schema").to_string();
            assert!(schema.contains("\"EDIT_FILE\""), "{route:?}: {schema}");
            assert!(sent.prompt().contains("Actions (protocol v3)"), "{route:?}");
        }
        assert_vendor_accepts(route, &mock);
        project.assert_patch_mends(&run);
    }
}

#[test]
fn an_edit_that_is_not_found_is_asked_for_again_beside_the_real_lines() {
    for route in Route::ALL {
        for (bad, code) in [(LOST, "ERR_EDIT_ANCHOR_NOT_FOUND"), (TWICE, "ERR_EDIT_AMBIGUOUS")] {
            let mock = Mock::start(&[
                replies::plan(),
                replies::edits(&base(), &bad),
                replies::edits(&base(), &MENDS),
            ]);
            let project = Project::new();
            let run = project.fix_with(route, &mock, &[], &IN_V3);
            assert_eq!(run.end(), (0, "fixed"), "{run:?}");
            assert_eq!(protocol(&run), json!([["v3"], code, null]));
            let repair = mock.sent()[2].prompt();
            let right = format!("The right base_sha256 of {PATH} is {}.", base());
            for expected in [code, "The edit:\n", "The file's real lines there:\n", &right] {
                assert!(repair.contains(expected), "{expected}: {repair}");
            }
            assert_vendor_accepts(route, &mock);
            project.assert_patch_mends(&run);
        }
    }
}

#[test]
fn v3_goes_down_to_v2_and_to_v1_with_each_protocols_own_schema() {
    let mended = PARSER.replace("in text.", "in (text or \"\").");
    let down = [
        replies::plan(),
        replies::edits(&base(), &LOST),
        replies::edits(&base(), &TWICE),
        replies::patch(&base(), BAD),
        replies::patch(&base(), BAD),
        replies::whole_file(&mended),
    ];
    let to_v2 = [&down[..3], &[replies::patch(&base(), GOOD)]].concat();
    for route in Route::ALL {
        for (answers, versions) in [(&to_v2[..], &[3, 3, 3, 2][..]), (&down, &[3, 3, 3, 2, 2, 1])] {
            let mock = Mock::start(answers);
            let project = Project::new();
            let run = project.fix_with(route, &mock, &[], &IN_V3);
            assert_eq!(run.end(), (0, "fixed"), "{run:?}");
            let mut asked: Vec<_> = versions.iter().map(|version| format!("v{version}")).collect();
            asked.dedup();
            let (first, second) = ("ERR_EDIT_ANCHOR_NOT_FOUND", "ERR_EDIT_AMBIGUOUS");
            assert_eq!(protocol(&run), json!([asked, first, second]));
            for (sent, version) in mock.sent().iter().zip(versions) {
                let title = format!("Actions (protocol v{version})");
                assert!(sent.prompt().contains(&title), "{title}: {}", sent.prompt());
                // The conversation keeps the rules of the earlier protocol, the schema is the new one.
                let schema = sent.settings().to_string();
                assert_eq!(schema.contains("insert_before"), *version == 3, "{schema}");
            }
            assert_eq!(mock.statuses(), vec![200; versions.len()]);
            assert_vendor_accepts(route, &mock);
            project.assert_patch_mends(&run);
        }
    }
}
