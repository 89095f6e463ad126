//! Completes the actions of a reply with what the run knows: the path of the one file that is meant, and the digest of
//! a file that was shown.

use std::collections::{BTreeMap, BTreeSet};

use super::dialogue::Dialogue;
use super::engine_inputs::EngineInputs;
use papayu_base::domain::{Action, Op, RepoPath, Sha256};
use papayu_system::Tree;

/// Digits of a digest that must agree, at its two ends together: a digest with others belongs to another file.
const LEAST_SAME: usize = 40;

/// The facts that a run knows of the files that a reply changes.
#[derive(Clone, Copy)]
pub(super) struct ShownFiles<'r> {
    /// The digests of the files as they were shown last.
    pub(super) shown: &'r BTreeMap<RepoPath, Sha256>,
    /// The files that were shown in more than one version.
    reshown: &'r BTreeSet<RepoPath>,
    /// All files of the repository.
    files: &'r [String],
    tree: &'r dyn Tree,
}

impl<'r> ShownFiles<'r> {
    /// Returns what a run knows.
    pub(super) fn of(inputs: &'r EngineInputs<'_>, dialogue: &'r Dialogue) -> Self {
        Self {
            shown: &dialogue.shown,
            reshown: &dialogue.reshown,
            files: inputs.world.survey.files(),
            tree: inputs.world.tree,
        }
    }

    /// Returns the digest of a file that was shown in one version and still is as it was shown.
    fn unchanged_digest(&self, path: &RepoPath) -> Option<Sha256> {
        let digest = *self.shown.get(path).filter(|_| !self.reshown.contains(path))?;
        let bytes = self.tree.read(path, u64::MAX).ok()?;
        (Sha256::of(&bytes) == digest).then_some(digest)
    }

    /// Returns the only file that a path means, if it is not the path of a file and the file was shown: with another
    /// case, or with leading folders that are missing or too many.
    fn meant_file(&self, path: &str) -> Option<&'r str> {
        let exists = |path: &str| self.files.iter().any(|file| file == path);
        let spelled = path.trim().replace('\\', "/");
        let spelled = spelled.trim_start_matches("./").trim_start_matches('/');
        if spelled.is_empty() || spelled.split('/').any(|part| part == "..") || exists(path) {
            return None;
        }
        let lower = spelled.to_lowercase();
        let same_case = |file: &&String| file.to_lowercase() == lower;
        let longer = |file: &&String| is_end(&file.to_lowercase(), &lower);
        let shorter = |file: &&String| is_end(&lower, &file.to_lowercase());
        let exact = self.files.iter().find(|file| *file == spelled);
        let file = exact
            .or_else(|| only(self.files.iter().filter(same_case)))
            .or_else(|| only(self.files.iter().filter(longer)))
            // Of the files that end the path, the longest has most of it.
            .or_else(|| self.files.iter().filter(shorter).max_by_key(|file| file.len()))?;
        let is_shown = RepoPath::parse(file).is_ok_and(|path| self.shown.contains_key(&path));
        is_shown.then_some(file.as_str())
    }
}

/// Returns `true` if a path ends in whole segments of another one.
fn is_end(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.ends_with('/'))
}

/// Returns the only item; `None` if there are several, or none.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    items.next().filter(|_| items.next().is_none())
}

/// Completes actions that change a part of a file, so that the model need not be asked for what is known. Returns a
/// sentence for each assumption. All gates still apply to the result.
pub(super) fn complete_actions(actions: &mut [Action], known: &ShownFiles<'_>) -> Vec<String> {
    let mut assumed = Vec::new();
    for action in actions {
        let (Op::PatchFile { base_sha256, .. }
        | Op::ReplaceRange { base_sha256, .. }
        | Op::EditFile { base_sha256, .. }) = &mut action.op
        else {
            continue;
        };
        if let Some(meant) = known.meant_file(&action.path) {
            assumed.push(format!("the path `{}` means `{meant}`", action.path.escape_debug()));
            meant.clone_into(&mut action.path);
        }
        let Ok(path) = RepoPath::parse(&action.path) else { continue };
        let Some(digest) = known.unchanged_digest(&path) else { continue };
        let right = digest.to_string();
        let what = match base_sha256.as_deref().map(str::trim) {
            Some(stated) if Sha256::parse(stated) == Some(digest) => continue,
            // Tools have no parameter for the digest.
            None | Some("") => "is missing",
            Some(stated) if Sha256::parse(stated).is_none() => "is not 64 hex digits",
            Some(stated) if count_same_ends(stated, &right) >= LEAST_SAME => "has wrong digits",
            // The digest of another version, or of another file: the model may not have read this one.
            Some(_) => continue,
        };
        assumed.push(format!(
            "the base_sha256 of `{path}` {what}; the file was shown in one version and is unchanged"
        ));
        *base_sha256 = Some(right);
    }
    assumed
}

/// Returns how many characters two texts share at their beginning and at their end together.
fn count_same_ends(one: &str, other: &str) -> usize {
    let is_same = |(one, other): &(u8, u8)| one.eq_ignore_ascii_case(other);
    let begin = one.bytes().zip(other.bytes()).take_while(is_same).count();
    let end = one.bytes().rev().zip(other.bytes().rev()).take_while(is_same).count();
    begin + end
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_system::in_memory::{MemoryNode, MemoryTree, Nodes};

    const TEXT: &str = "fn a() {}\n";

    /// Completes an action on `path` with a digest, in a repository in which `src/cart.rs` was shown; returns the path
    /// and whether its digest is right.
    fn completed(path: &str, stated: Option<String>, reshown: bool) -> (String, bool, usize) {
        let mut nodes = Nodes::new();
        for dir in ["src", "src/other", "lib"] {
            nodes.insert(dir.to_owned(), MemoryNode::Dir);
        }
        let files = ["lib/util.rs", "src/cart.rs", "src/other/util.rs"].map(str::to_owned);
        for file in &files {
            nodes.insert(file.clone(), MemoryNode::File(TEXT.as_bytes().to_vec(), 0o644));
        }
        let tree = MemoryTree::new(nodes);
        let cart = RepoPath::parse("src/cart.rs").unwrap();
        let digest = Sha256::of(TEXT.as_bytes());
        let shown = BTreeMap::from([(cart.clone(), digest)]);
        let reshown = if reshown { BTreeSet::from([cart]) } else { BTreeSet::new() };
        let known = ShownFiles { shown: &shown, reshown: &reshown, files: &files, tree: &tree };
        let op = Op::PatchFile { base_sha256: stated, patch: Some(String::new()) };
        let mut actions = [Action { path: path.to_owned(), op }];
        let assumed = complete_actions(&mut actions, &known);
        let [action] = actions;
        let is_right = action.base_sha256() == Some(digest.to_string().as_str());
        (action.path, is_right, assumed.len())
    }

    #[test]
    fn a_missing_or_slightly_wrong_digest_of_an_unchanged_file_is_completed() {
        let right = Sha256::of(TEXT.as_bytes()).to_string();
        let mut typo: Vec<char> = right.chars().collect();
        typo[20] = if typo[20] == '0' { '1' } else { '0' };
        let short: String = right.chars().take(60).collect();
        let stated = [None, Some(String::new()), Some(short), Some(typo.into_iter().collect())];
        for stated in stated {
            let path = "src/cart.rs".to_owned();
            assert_eq!(
                completed("src/cart.rs", stated.clone(), false),
                (path, true, 1),
                "{stated:?}"
            );
            assert!(!completed("src/cart.rs", stated, true).1, "two versions were shown");
        }
        let other = Some(Sha256::of(b"other").to_string());
        assert!(!completed("src/cart.rs", other, false).1, "it is of another text");
        assert_eq!(
            completed("src/cart.rs", Some(right), false),
            ("src/cart.rs".to_owned(), true, 0)
        );
        assert!(!completed("lib/util.rs", None, false).1, "it was not shown");
    }

    #[test]
    fn a_path_with_another_case_or_prefix_means_the_only_file_that_it_names() {
        for path in [
            "cart.rs", "SRC/Cart.rs", "./src/cart.rs", "/src/cart.rs", "repo/src/cart.rs",
            "a/src/cart.rs",
        ] {
            assert_eq!(completed(path, None, false), ("src/cart.rs".to_owned(), true, 2), "{path}");
        }
        for path in ["util.rs", "../src/cart.rs", "src/carts.rs", "other/util.rs", "", "art.rs"] {
            assert_eq!(completed(path, None, false), (path.to_owned(), false, 0), "{path}");
        }
    }
}
