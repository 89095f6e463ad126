//! Finds the last CI run that passed before another one.

use serde_json::Value;

use super::GreenRun;
use super::field::{number_at, text_at};

/// The fields of a run, as JSON pointers.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunFields {
    /// The number, which grows with time.
    pub(super) number: &'static str,
    pub(super) branch: &'static str,
    pub(super) commit: &'static str,
}

impl RunFields {
    /// Returns the first run of a list, the newest first, with a number below that of the failed one: that of its branch,
    /// or else of any. A later one may have the fix of the failure.
    pub(super) fn find_before<'v>(
        self,
        failed: (u64, &str),
        passed: impl Iterator<Item = &'v Value>,
    ) -> Option<GreenRun> {
        let (before, branch) = failed;
        let number = |run: &Value| number_at(run, self.number);
        let mut earlier = passed.filter(|run| number(run).is_some_and(|it| it < before)).peekable();
        let newest = earlier.peek().copied()?;
        let value = earlier.find(|run| text_at(run, self.branch) == branch).unwrap_or(newest);
        Some(GreenRun { number: number(value)?, commit: text_at(value, self.commit) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_last_run_before_the_failed_one_is_that_of_its_branch() {
        let fields = RunFields { number: "/id", branch: "/branch", commit: "/sha" };
        let run =
            |id: u64, branch: &str| json!({ "id": id, "branch": branch, "sha": id.to_string() });
        let runs = [run(9, "main"), run(7, "other"), run(5, "main"), run(3, "main")];
        let find = |before, branch| {
            let found = fields.find_before((before, branch), runs.iter());
            found.map(|it| (it.number, it.commit))
        };
        assert_eq!(find(8, "main"), Some((5, "5".to_owned())));
        assert_eq!(find(8, "new"), Some((7, "7".to_owned())), "a branch that never passed");
        assert_eq!(find(3, "main"), None);
    }
}
