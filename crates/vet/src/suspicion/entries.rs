//! Functions that may end the program: a command line tool has to.

use super::functions::find_functions;
use papayu_lang::ChangedText;

/// Words in the names of such functions.
const ENTRIES: [&str; 17] = [
    "main", "cli", "cmd", "command", "exit", "quit", "stop", "terminate", "usage", "help",
    "version", "shutdown", "signal", "abort", "run", "die", "daemon",
];

/// Returns `true` if a line is in a function with a name of [`ENTRIES`], or in the block that
/// runs a script.
pub(super) fn is_entry(change: &ChangedText<'_>, line: usize) -> bool {
    let functions = find_functions(change.path, change.after);
    let inner = functions
        .iter()
        .filter(|it| it.line <= line && line <= it.line + it.body.lines().count() + 1)
        .max_by_key(|it| it.line);
    // Outside a function only a script ends its process.
    match inner {
        Some(function) => {
            let name = function.name.to_lowercase();
            ENTRIES.iter().any(|word| name.contains(word))
        }
        None => change
            .after
            .lines()
            .take(line)
            .any(|line| line.contains("__main__") || line.starts_with("#!")),
    }
}
