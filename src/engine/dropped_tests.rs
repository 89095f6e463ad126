//! Leaves out edits of tests that the gates refuse, if the rest of the change needs none of them.

use super::change_state::quote_paths;
use papayu_base::domain::{ActionSet, ErrorCode, RepoPath};
use papayu_patch::protocol::Refusal;

/// Returns the actions of a refused reply that are not about tests, and the tests that are left out; `None` if the refusal has
/// another reason, or nothing would be left.
pub(super) fn without_tests(
    set: &ActionSet,
    refusal: &Refusal,
) -> Option<(ActionSet, Vec<RepoPath>)> {
    if refusal.code != ErrorCode::TestEditNotAllowed {
        return None;
    }
    let mut rest = ActionSet { actions: Vec::new(), ..set.clone() };
    let mut tests = Vec::new();
    for action in &set.actions {
        match RepoPath::parse(&action.path).ok().filter(papayu_vet::is_test) {
            Some(path) => tests.push(path),
            None => rest.actions.push(action.clone()),
        }
    }
    (!tests.is_empty() && !rest.actions.is_empty()).then_some((rest, tests))
}

/// Returns the sentence about edits of tests that were left out; empty without any.
pub(super) fn describe(dropped: &[RepoPath]) -> String {
    if dropped.is_empty() {
        return String::new();
    }
    format!("the edits of {} were left out, because tests stay as they are", quote_paths(dropped))
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::{Action, Op, Version};

    fn left(paths: &[&str], code: ErrorCode) -> Option<(Vec<String>, usize)> {
        let action = |path: &&str| Action { path: (*path).to_owned(), op: Op::DeleteFile };
        let set = ActionSet {
            version: Version::V2,
            actions: paths.iter().map(action).collect(),
            summary: String::new(),
            validated: serde_json::Value::Null,
        };
        let (rest, tests) = without_tests(&set, &Refusal::of_reply(code, "it edits a test"))?;
        Some((rest.actions.into_iter().map(|action| action.path).collect(), tests.len()))
    }

    #[test]
    fn only_refused_edits_of_tests_are_left_out_and_only_next_to_other_edits() {
        let refused = ErrorCode::TestEditNotAllowed;
        let source = vec!["src/cart.py".to_owned()];
        assert_eq!(left(&["src/cart.py", "tests/test_cart.py"], refused), Some((source, 1)));
        assert_eq!(left(&["tests/test_cart.py"], refused), None);
        assert_eq!(left(&["src/cart.py", "setup.cfg"], refused), None);
        assert_eq!(left(&["src/cart.py", "tests/test_cart.py"], ErrorCode::ForbiddenPath), None);
        assert_eq!(describe(&[]), "");
    }
}
