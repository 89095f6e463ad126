//! Folders of one workspace: npm's and yarn's `workspaces`, pnpm, lerna.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde_json::Value;

use super::package::Package;
use crate::index::resolve::paths::{below, within};
use crate::index::resolve::tree::Tree;

/// A root folder and the folders that belong to it.
pub(super) struct Workspace<'a> {
    /// The root.
    pub(super) folder: &'a str,
    members: GlobSet,
    left_out: GlobSet,
}

impl Workspace<'_> {
    /// Returns `true` if a package's folder belongs to the workspace; the root does.
    pub(super) fn holds(&self, folder: &str) -> bool {
        if folder == self.folder {
            return true;
        }
        below(self.folder, folder)
            .is_some_and(|rest| self.members.is_match(rest) && !self.left_out.is_match(rest))
    }
}

/// Returns every workspace, the innermost root first.
pub(super) fn workspaces<'a>(tree: &Tree<'a>, packages: &[Package<'a>]) -> Vec<Workspace<'a>> {
    let mut found: Vec<Workspace<'a>> = packages
        .iter()
        .filter_map(|package| {
            let folder = package.folder;
            let patterns = patterns(tree, package);
            (!patterns.is_empty()).then(|| workspace(folder, &patterns))
        })
        .collect();
    found.sort_by_key(|workspace| std::cmp::Reverse(workspace.folder.len()));
    found
}

fn patterns(tree: &Tree<'_>, package: &Package<'_>) -> Vec<String> {
    let texts = |value: &Value| -> Vec<String> {
        let items = value.as_array().into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    let own = &package.manifest["workspaces"];
    let mut patterns = texts(own);
    patterns.extend(texts(&own["packages"]));
    if let Some(yaml) = tree.index.manifest(&within(package.folder, "pnpm-workspace.yaml")) {
        patterns.extend(pnpm(yaml));
    }
    if let Some(lerna) = tree.index.manifest(&within(package.folder, "lerna.json")) {
        let lerna: Value = serde_json::from_str(lerna).unwrap_or(Value::Null);
        patterns.extend(texts(&lerna["packages"]));
    }
    patterns
}

/// Reads the list under `packages:`; the file contains little else, and nothing nested there.
fn pnpm(yaml: &str) -> Vec<String> {
    let clean = |item: &str| item.trim().trim_matches(['"', '\'']).to_owned();
    let mut lines = yaml.lines().skip_while(|line| !line.starts_with("packages:"));
    let head = lines.next().and_then(|line| line.strip_prefix("packages:")).unwrap_or_default();
    let head = head.split(" #").next().unwrap_or_default().trim();
    if let Some(list) = head.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
        return list.split(',').map(clean).filter(|item| !item.is_empty()).collect();
    }
    let mut patterns = Vec::new();
    for line in lines {
        let line = line.split(" #").next().unwrap_or_default();
        match line.trim_start().strip_prefix('-') {
            Some(item) => patterns.push(clean(item)),
            None if line.trim().is_empty() || line.trim_start().starts_with('#') => {}
            None => break,
        }
    }
    patterns
}

fn workspace<'a>(folder: &'a str, patterns: &[String]) -> Workspace<'a> {
    let (out, members): (Vec<&str>, Vec<&str>) =
        patterns.iter().map(String::as_str).partition(|pattern| pattern.starts_with('!'));
    let members = set(&members);
    Workspace { folder, members, left_out: set(&out) }
}

fn set(patterns: &[&str]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let pattern =
            pattern.trim_start_matches('!').trim_start_matches("./").trim_end_matches('/');
        // A pattern that cannot be read names nothing.
        if let Ok(glob) = GlobBuilder::new(pattern).literal_separator(true).build() {
            set.add(glob);
        }
    }
    set.build().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pnpm_lists_are_read_in_both_forms_and_end_where_the_next_key_begins() {
        let block = "# all\npackages:\n  - 'packages/*' # libs\n\n  # apps\n  - \"apps/**\"\n- tools\ncatalog:\n  - no\n";
        assert_eq!(pnpm(block), ["packages/*", "apps/**", "tools"]);
        assert_eq!(pnpm("packages: [\"a/*\", b]\n"), ["a/*", "b"]);
        assert_eq!(pnpm("catalog:\n  - x\n"), Vec::<String>::new());
    }

    #[test]
    fn a_pattern_with_a_bang_takes_folders_back() {
        let patterns = ["./packages/*/".to_owned(), "!packages/old".to_owned(), "[".to_owned()];
        let workspace = workspace("web", &patterns);
        assert!(workspace.holds("web/packages/a"));
        assert!(workspace.holds("web"));
        assert!(!workspace.holds("web/packages/old"));
        assert!(!workspace.holds("web/packages/a/fixtures/b"));
        assert!(!workspace.holds("packages/a"));
    }
}
