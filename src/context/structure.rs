//! The list of files at the start of a request.

use std::collections::BTreeMap;

use papayu_lang::FileRole;

/// Maximum number of files that are listed one by one; above it, folders are listed with counts.
const LISTED_FILES: usize = 30;

/// Maximum number of folders.
const LISTED_FOLDERS: usize = 20;

/// Folders below this depth are counted with their parents.
const MAX_DEPTH: usize = 3;

/// Lists the files of code and tests, or the folders with their number of files if there are too many. Of more than
/// [`LISTED_FOLDERS`] folders those next to the files `near` are listed.
pub(super) fn list_structure(files: &[String], near: &[&str]) -> String {
    let code: Vec<&str> = files
        .iter()
        .map(String::as_str)
        .filter(|path| FileRole::of_path(path) != FileRole::Other)
        .collect();
    if code.len() <= LISTED_FILES {
        return code.join("\n") + "\n";
    }
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for path in &code {
        let parts: Vec<&str> = path.split('/').collect();
        let depth = parts.len().saturating_sub(1).min(MAX_DEPTH);
        *folders.entry(parts.get(..depth).unwrap_or_default().join("/")).or_default() += 1;
    }
    let name = |folder: &str| if folder.is_empty() { ".".to_owned() } else { folder.to_owned() };
    let mut listed: Vec<(&String, &usize)> = folders.iter().collect();
    // A stable sort: folders that are equally near stay in order.
    listed.sort_by_key(|(folder, _)| std::cmp::Reverse(nearness(folder, near)));
    listed.truncate(LISTED_FOLDERS);
    listed.sort_unstable();
    let listed = listed.into_iter();
    let mut lines: Vec<String> =
        listed.map(|(folder, count)| format!("{}/ ({count} files)\n", name(folder))).collect();
    if folders.len() > LISTED_FOLDERS {
        lines.push(format!("and {} more folders\n", folders.len() - LISTED_FOLDERS));
    }
    lines.concat()
}

/// Returns how many leading folders a folder shares with the nearest of the files.
fn nearness(folder: &str, near: &[&str]) -> usize {
    let shared = |file: &&str| {
        let parents = file.split('/').rev().skip(1).collect::<Vec<_>>().into_iter().rev();
        folder.split('/').zip(parents).take_while(|(one, other)| one == other).count()
    };
    near.iter().map(shared).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_listed_and_many_files_are_counted_by_folder() {
        let files = ["README.md", "docs/a.md", "logo.png", "src/a.py", "tests/test_a.py"];
        let files: Vec<String> = files.map(str::to_owned).into();
        assert_eq!(list_structure(&files, &[]), "src/a.py\ntests/test_a.py\n");
        let many: Vec<String> = (0..100).map(|n| format!("src/a/b/c/{n}/m.py")).collect();
        assert_eq!(list_structure(&many, &[]), "src/a/b/ (100 files)\n");
    }

    #[test]
    fn of_many_folders_those_near_the_evidence_are_listed() {
        let files: Vec<String> = (0..100).map(|n| format!("pkg{n:02}/src/m.py")).collect();
        let text = list_structure(&files, &["pkg98/src/m.py"]);
        assert!(text.contains("pkg98/src/ (1 files)\n"), "{text}");
        assert!(text.ends_with("and 80 more folders\n"), "{text}");
    }
}
