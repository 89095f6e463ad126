//! Shorter ways to green: a repair that lands, a second attempt, a digest that is set right.

use std::fs;

use papayu_base::domain::Sha256;
use serde_json::json;

use crate::judges::assert_vendor_accepts;
use crate::mock::{Mock, Route};
use crate::project::{PARSER, Project, SECRET_BY_FORM};
use crate::replies::{self, BAD, GOOD, PATH, WRONG, base};

#[test]
fn a_repair_that_lands_needs_no_fallback() {
    for route in Route::ALL {
        let mock = Mock::start(&[
            replies::plan(),
            replies::patch(&base(), BAD),
            replies::patch(&base(), GOOD),
        ]);
        let project = Project::new();
        let run = project.fix(route, &mock);
        assert_eq!(run.end(), (0, "fixed"), "{run:?}");
        let protocol = json!({
            "attempts": ["v2"],
            "repair": true,
            "repair_reason": "ERR_PATCH_APPLY_FAILED",
            "fallback": false,
            "fallback_reason": null,
        });
        assert_eq!(run.outcome["protocol"], protocol);
        assert_eq!(mock.statuses(), [200; 3]);
        assert_vendor_accepts(route, &mock);
        project.assert_patch_mends(&run);
    }
}

#[test]
fn a_second_attempt_is_told_what_the_first_one_did() {
    for route in Route::ALL {
        let mock = Mock::start(&[
            replies::plan(),
            replies::patch(&base(), WRONG),
            replies::plan(),
            replies::patch(&base(), GOOD),
        ]);
        let project = Project::new();
        let run = project.fix(route, &mock);
        assert_eq!(run.end(), (0, "fixed"), "{run:?}");
        assert_eq!(run.outcome["attempts"], 2);
        assert_eq!(run.outcome["protocol"]["repair"], false);
        assert_eq!(run.traces.len(), 4);
        let rolled_back = run.events().iter().filter(|name| **name == "APPLY_ROLLBACK").count();
        assert_eq!(rolled_back, 2, "{}", run.stderr);

        assert_eq!(mock.statuses(), [200; 4]);
        let prompts: Vec<_> = mock.sent().iter().map(crate::mock::Sent::prompt).collect();
        let failure = "AssertionError: {'colour': 'none'} != {'colour': 'auto'}";
        let diff = "+    if text is None:\n+        return {\"colour\": \"none\"}\n";
        for expected in ["## ATTEMPT 1", diff, failure] {
            assert!(!prompts[1].contains(expected), "{expected}: {}", prompts[1]);
            assert!(prompts[2].contains(expected), "{expected}: {}", prompts[2]);
            assert!(prompts[3].contains(expected), "{expected}: {}", prompts[3]);
        }
        // The failure to mend is still the first one: the tree is as it was.
        assert!(prompts[2].contains("AttributeError: 'NoneType'"), "{}", prompts[2]);
        assert_vendor_accepts(route, &mock);
        project.assert_patch_mends(&run);
    }
}

#[test]
fn a_self_check_is_sent_in_the_form_of_each_vendor() {
    let claims = json!({"claims": [
        {"claim": "the text may be None", "path": PATH, "start_line": 8, "end_line": 8, "quote": "text.splitlines()"},
        {"claim": "it has rows", "path": PATH, "start_line": 8, "end_line": 8, "quote": "rows"},
    ]});
    for route in Route::ALL {
        let mock =
            Mock::start(&[replies::plan(), replies::patch(&base(), GOOD), replies::says(&claims)]);
        let project = Project::new();
        let run = project.fix_with(route, &mock, &["--self-check"], &[]);
        assert_eq!(run.end(), (0, "fixed"), "{run:?}");
        let check = &run.outcome["self_check"];
        assert_eq!((&check["claims"], &check["proved"]), (&json!(2), &json!(1)), "{run:?}");
        assert_eq!(check["unproved"][0]["claim"], "it has rows");
        assert_eq!(mock.statuses(), [200; 3]);
        let body = mock.sent()[2].body.to_string();
        assert!(body.contains("\"quote\"") && body.contains("## SELF-CHECK"), "{body}");
        assert_vendor_accepts(route, &mock);
        project.assert_patch_mends(&run);
    }
}

#[test]
fn a_digest_that_was_never_shown_is_repaired_with_the_right_one() {
    for route in Route::ALL {
        let mock = Mock::start(&[
            replies::plan(),
            replies::patch(&"ab".repeat(32), GOOD),
            replies::patch(&base(), GOOD),
        ]);
        let project = Project::new();
        let run = project.fix(route, &mock);
        assert_eq!(run.end(), (0, "fixed"), "{run:?}");
        let reason = "ERR_BASE_SHA256_NOT_FROM_CONTEXT";
        assert_eq!(run.outcome["protocol"]["repair_reason"], reason);
        let apply = &run.traces[1];
        assert_eq!(apply["repair_injected_sha256"], true);
        assert_eq!(apply["repair_injected_paths"], json!([PATH]));
        let repair = mock.sent()[2].prompt();
        let right = format!("The right base_sha256 of {PATH} is {}.", base());
        assert!(repair.contains(reason) && repair.contains(&right), "{repair}");
        assert_vendor_accepts(route, &mock);
        project.assert_patch_mends(&run);
    }
}

#[test]
fn a_secret_in_a_file_is_neither_shown_nor_overwritten_by_its_mask() {
    let token = format!("TOKEN = \"{SECRET_BY_FORM}\"\n");
    let text = format!("{PARSER}{token}");
    let base = Sha256::of(text.as_bytes()).to_string();
    let masked = format!("{PARSER}TOKEN = \"***\"\n").replace("in text.", "in (text or \"\").");
    let project = Project::new();
    fs::write(project.repo().join(PATH), &text).unwrap();
    project.commit();

    let mock = Mock::start(&[
        replies::plan(),
        replies::patch(&base, BAD),
        replies::patch(&base, BAD),
        replies::whole_file(&masked),
    ]);
    let run = project.fix(Route::OpenAi, &mock);
    assert_eq!(run.end(), (1, "not_fixed"), "{run:?}");
    assert!(run.stderr.contains("`***` stands for a secret"), "{}", run.stderr);

    let mock = Mock::start(&[replies::plan(), replies::patch(&base, GOOD)]);
    let run = project.fix(Route::OpenAi, &mock);
    assert_eq!(run.end(), (0, "fixed"), "{run:?}");
    project.assert_patch_mends(&run);
}
