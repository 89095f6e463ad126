//! From a red build to one pull request, whatever came before it and whatever the forge answers.

use serde_json::json;

use crate::forge_rig::{Rig, TOKEN};

#[test]
fn a_fix_becomes_one_branch_and_one_pull_request_and_nothing_else_moves() {
    let rig = Rig::new();
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    let branch = format!("papayu/fix-{}", run.text("fingerprint"));
    assert_eq!(rig.branches(), [branch.clone()]);
    assert_eq!(run.text("branch"), branch);
    assert_eq!(run.text("pr_url"), "https://github.example/o/r/pull/1");
    assert_eq!(run.outcome["attempt_total"], 1);
    assert_eq!(rig.remote(&["show", &format!("{branch}:value.py")]), "def two():\n    return 2");
    assert_eq!(rig.remote(&["diff", "--name-only", "main", &branch]), "value.py");
    let message = rig.remote(&["log", "-1", "--format=%B", &branch]);
    assert_eq!(
        message,
        format!(
            "Fix test_value.ValueTest.test_two_is_two\n\n`python3 -m unittest -q` failed before the change and passes after it\n\n\
             Papayu-Run: {}\nPapayu-Fingerprint: {}\nPapayu-Attempt: 1",
            run.text("run_id"),
            run.text("fingerprint")
        )
    );
    let state = rig.state();
    let pulls = state["pulls"].as_array().unwrap();
    assert_eq!(pulls.len(), 1);
    assert_eq!((&pulls[0]["base"], &pulls[0]["draft"]), (&json!("main"), &json!(false)));
    assert_eq!(rig.git(&["branch", "--list", "papayu/*"]), "", "nothing is left in the clone");
    assert_eq!(TOKEN.len(), 35);
}
