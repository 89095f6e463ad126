//! Added files that no rule for a language reads: machine code, and code in files of other kinds.

use super::suspicious_place::SuspiciousPlace;
use papayu_lang::ChangedText;

/// Endings of files with machine code, assembly or compiled code, in lower case.
const MACHINE_CODE: [&str; 14] = [
    "s", "asm", "syso", "o", "a", "so", "dll", "dylib", "lib", "pyd", "node", "wasm", "class",
    "jar",
];

/// Endings of documents, which may show code of Node without running it.
const DOCUMENTS: [&str; 8] = ["md", "mdx", "markdown", "rst", "adoc", "html", "htm", "ipynb"];

/// Returns new files of machine code, and for files without code that gain a `CommonJS`
/// module, because `require` loads a file with any ending.
pub(super) fn find_foreign_files(changes: &[ChangedText<'_>]) -> Vec<SuspiciousPlace> {
    let mut found = Vec::new();
    for change in changes {
        let name = change.path.rsplit('/').next().unwrap_or(change.path).to_lowercase();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_new = change.before.is_empty() && !change.after.is_empty();
        if is_new && MACHINE_CODE.contains(&ending) {
            found.push(SuspiciousPlace::new(
                "foreign_file",
                change.path,
                1,
                "adds machine code or assembly",
            ));
        }
        let is_module = |line: &str| line.contains("module.exports") || line.contains("exports.");
        if change.is_data() && !DOCUMENTS.contains(&ending) && !change.before.lines().any(is_module)
        {
            let line = (1..).zip(change.after.lines()).find(|(_, line)| is_module(line));
            let message = "has code in a file of data";
            found.extend(
                line.map(|(line, _)| {
                    SuspiciousPlace::new("foreign_file", change.path, line, message)
                }),
            );
        }
    }
    found
}
