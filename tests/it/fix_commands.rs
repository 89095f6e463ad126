//! Commands that do more than look: what they make of the change, of our folder and of each other.

use serde_json::json;

use crate::fix::{RIGHT, WRONG, red};
use crate::model::{Model, patch, plan};

fn good_twice() -> Model {
    let good = || [plan("write 42"), patch("answer.py", RIGHT)];
    Model::serve([good(), good()].concat())
}

#[test]
fn a_command_that_passes_and_takes_the_change_back_has_fixed_nothing() {
    for takes in ["cp old answer.py", "rm answer.py", "rm answer.py && mkdir answer.py"] {
        for emit in ["worktree", "patch"] {
            let (env, model) = (red(), good_twice());
            env.write("old", WRONG);
            let check = format!("sh check.sh && {takes}");
            let arguments = ["fix", "--run", &check, "--emit", emit];
            let outcome = env.outcome(&arguments, &model.variables());
            assert_eq!(outcome["outcome"], "not_fixed", "{check} {emit}");
            assert_eq!(outcome["exit_code"], 1, "{check} {emit}");
            assert_eq!(outcome["verified"], false, "{check} {emit}");
            let reason = outcome["reason"].as_str().unwrap();
            if takes.contains("mkdir") {
                let said = "the change is still in the tree, at `answer.py`";
                assert!(reason.contains(said), "{reason}");
                continue;
            }
            let said = "ends with exit code 0 but has taken the change of `answer.py` back itself";
            assert!(reason.contains(said), "{reason}");
            assert_eq!(env.read("answer.py"), WRONG, "{check} {emit}");
            assert_eq!(env.run(&["undo"]).code, 1, "{check} {emit}");
        }
    }
}

#[test]
fn edits_of_the_command_itself_are_taken_back() {
    let (env, model) = (red(), good_twice());
    let check = "sh check.sh && echo '# formatted' >> answer.py";
    let outcome = env.outcome(&["fix", "--run", check, "--emit", "worktree"], &model.variables());
    assert_eq!((&outcome["outcome"], &outcome["verified"]), (&json!("fixed"), &json!(true)));
    let hint = outcome["hint"].as_str().unwrap();
    assert!(
        hint.contains("files changed while the command ran") && hint.contains("`answer.py`"),
        "{hint}"
    );
    assert!(!env.read("answer.py").contains("# formatted"));
    let undone = env.run(&["undo"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(env.read("answer.py"), WRONG);
}

#[test]
fn a_command_that_replaces_our_folder_and_fails_leaves_the_tree_as_it_was() {
    let (env, model) = (red(), good_twice());
    let check = "sh check.sh && rm -rf .papa-yu && touch .papa-yu && exit 1; exit 1";
    let ran = env.run_with(&["fix", "--run", check, "--emit", "worktree"], &model.variables());
    assert_ne!(ran.code, 0, "{ran:?}");
    assert_eq!(env.read("answer.py"), WRONG, "{ran:?}");
}
