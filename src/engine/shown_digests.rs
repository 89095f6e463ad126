//! Adds the digests of files to changes that tool calls describe.

use std::collections::BTreeMap;

use crate::domain::{Action, Op, RepoPath, Sha256};

/// Sets the missing `base_sha256` of each action to the digest of the file that the model was shown.
///
/// Tools have no parameter for the digest. The gates still refuse an action on a file that was not shown, and
/// one on a file that has changed since.
pub(super) fn fill_digests(actions: &mut [Action], shown: &BTreeMap<RepoPath, Sha256>) {
    for action in actions {
        let digest = RepoPath::parse(&action.path).ok().and_then(|path| shown.get(&path));
        let (Op::PatchFile { base_sha256, .. }
        | Op::ReplaceRange { base_sha256, .. }
        | Op::EditFile { base_sha256, .. }) = &mut action.op
        else {
            continue;
        };
        if base_sha256.is_none() {
            *base_sha256 = digest.map(ToString::to_string);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_missing_digest_of_a_file_that_was_shown_is_set() {
        let digest = Sha256::of(b"a");
        let shown = BTreeMap::from([(RepoPath::parse("src/a.rs").unwrap(), digest)]);
        let base = |path: &str, given: Option<&str>| {
            let op = Op::ReplaceRange {
                base_sha256: given.map(str::to_owned),
                start_line: 1,
                end_line: 1,
                content: Some(String::new()),
            };
            let mut actions = [Action { path: path.to_owned(), op }];
            fill_digests(&mut actions, &shown);
            let [Action { op: Op::ReplaceRange { base_sha256, .. }, .. }] = actions else {
                panic!("the action changed its kind");
            };
            base_sha256
        };
        assert_eq!(base("src/a.rs", None), Some(digest.to_string()));
        assert_eq!(base("src/a.rs", Some("other")), Some("other".to_owned()));
        assert_eq!(base("src/b.rs", None), None);
        assert_eq!(base("../a.rs", None), None);
    }
}
