//! Folders of one workspace: npm's and yarn's `workspaces`, pnpm, lerna.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde_json::Value;

use super::package::NodePackage;
use crate::resolve::paths::{join_name, strip_folder};
use crate::resolve::tree::FileTable;
use papayu_base::config_text::{self, ConfigFormat, Node};

/// A root folder and the folders that belong to it.
pub(super) struct NodeWorkspace<'a> {
    /// The root.
    pub(super) folder: &'a str,
    members: GlobSet,
    left_out: GlobSet,
}

impl NodeWorkspace<'_> {
    /// Returns `true` if a package's folder belongs to the workspace; the root does.
    pub(super) fn contains(&self, folder: &str) -> bool {
        if folder == self.folder {
            return true;
        }
        strip_folder(self.folder, folder)
            .is_some_and(|rest| self.members.is_match(rest) && !self.left_out.is_match(rest))
    }
}

/// Returns every workspace, the innermost root first.
pub(super) fn list_workspaces<'a>(
    tree: &FileTable<'a>,
    packages: &[NodePackage<'a>],
) -> Vec<NodeWorkspace<'a>> {
    let mut found: Vec<NodeWorkspace<'a>> = packages
        .iter()
        .filter_map(|package| {
            let folder = package.folder;
            let patterns = member_patterns(tree, package);
            (!patterns.is_empty()).then(|| build_workspace(folder, &patterns))
        })
        .collect();
    found.sort_by_key(|workspace| std::cmp::Reverse(workspace.folder.len()));
    found
}

/// Returns the patterns of a workspace's members: `workspaces` of npm, Yarn and Bun, as a list or
/// under `packages`, and `packages` of `pnpm-workspace.yaml`.
fn member_patterns(tree: &FileTable<'_>, package: &NodePackage<'_>) -> Vec<String> {
    let texts = |value: &Value| -> Vec<String> {
        let items = value.as_array().into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    let own = &package.manifest["workspaces"];
    let mut patterns = texts(own);
    patterns.extend(texts(&own["packages"]));
    if let Some(yaml) = tree.index.manifest(&join_name(package.folder, "pnpm-workspace.yaml")) {
        patterns.extend(pnpm_packages(yaml));
    }
    if let Some(lerna) = tree.index.manifest(&join_name(package.folder, "lerna.json")) {
        let lerna: Value = serde_json::from_str(lerna).unwrap_or(Value::Null);
        patterns.extend(texts(&lerna["packages"]));
    }
    patterns
}

/// Returns the patterns of a `pnpm-workspace.yaml`.
fn pnpm_packages(yaml: &str) -> Vec<String> {
    let parsed = config_text::parse(ConfigFormat::Yaml, yaml);
    let packages = parsed.root().get("packages").into_iter();
    packages.flat_map(Node::texts).map(str::to_owned).collect()
}

/// Builds the members of a workspace from its patterns. Patterns with `!` exclude (pnpm.io).
fn build_workspace<'a>(folder: &'a str, patterns: &[String]) -> NodeWorkspace<'a> {
    let (out, members): (Vec<&str>, Vec<&str>) =
        patterns.iter().map(String::as_str).partition(|pattern| pattern.starts_with('!'));
    let members = build_set(&members);
    NodeWorkspace { folder, members, left_out: build_set(&out) }
}

/// Builds a set of globs in which `*` does not match `/`. Invalid patterns are left out.
fn build_set(patterns: &[&str]) -> GlobSet {
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
        let block = "# all\npackages:\n  - 'packages/*' # libs\n\n  # apps\n  - \"apps/**\"\n  - tools\ncatalog:\n  - no\n";
        assert_eq!(pnpm_packages(block), ["packages/*", "apps/**", "tools"]);
        assert_eq!(pnpm_packages("packages: [\"a/*\", b]\n"), ["a/*", "b"]);
        assert_eq!(pnpm_packages("catalog:\n  - x\n"), Vec::<String>::new());
    }

    #[test]
    fn a_pattern_with_a_bang_takes_folders_back() {
        let patterns = ["./packages/*/".to_owned(), "!packages/old".to_owned(), "[".to_owned()];
        let workspace = build_workspace("web", &patterns);
        assert!(workspace.contains("web/packages/a"));
        assert!(workspace.contains("web"));
        assert!(!workspace.contains("web/packages/old"));
        assert!(!workspace.contains("web/packages/a/fixtures/b"));
        assert!(!workspace.contains("packages/a"));
    }
}
