//! The list of files at the start of a request.

use std::collections::BTreeMap;

use papayu_lang::FileRole;

/// Maximum number of files that are listed one by one; above it, folders are listed with counts.
const LISTED_FILES: usize = 40;

/// Maximum number of folders.
const LISTED_FOLDERS: usize = 40;

/// Folders below this depth are counted with their parents.
const MAX_DEPTH: usize = 3;

/// Lists the files of code and tests, or the folders with their number of files if there are too many.
pub(super) fn list_structure(files: &[String]) -> String {
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
    let listed = folders.iter().take(LISTED_FOLDERS);
    let mut lines: Vec<String> =
        listed.map(|(folder, count)| format!("{}/ ({count} files)\n", name(folder))).collect();
    if folders.len() > LISTED_FOLDERS {
        lines.push(format!("and {} more folders\n", folders.len() - LISTED_FOLDERS));
    }
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_listed_and_many_files_are_counted_by_folder() {
        let files = ["README.md", "docs/a.md", "logo.png", "src/a.py", "tests/test_a.py"];
        let files: Vec<String> = files.map(str::to_owned).into();
        assert_eq!(list_structure(&files), "src/a.py\ntests/test_a.py\n");
        let many: Vec<String> = (0..100).map(|n| format!("src/a/b/c/{n}/m.py")).collect();
        assert_eq!(list_structure(&many), "src/a/b/ (100 files)\n");
    }
}
