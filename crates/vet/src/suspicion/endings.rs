//! Added code that ends the process with success outside of a program's entry.

use super::added_text::{self, AddedTextRule, find_added};
use super::flag::Flag;
use super::functions::find_functions;
use papayu_lang::{ChangedText, Family};

/// The predicate of all rules of this file.
const ENDS: &str = "ends the process with success";

/// Returns a rule of this file.
const fn rule(families: &'static [Family], pattern: &'static str) -> AddedTextRule {
    added_text::rule(families, ENDS, pattern)
}

/// Calls that end a process with exit code 0, or register code that does.
pub(super) static ENDINGS: [AddedTextRule; 9] = [
    rule(
        &[Family::Python],
        r"\b(?:sys \. exit|exit|quit|os \. _exit|SystemExit) \( (?:0 )?\)|\braise SystemExit\b(?: \( 0 \)|[^(]|$)",
    ),
    rule(
        &[Family::Script],
        r"\bprocess \. (?:exit|reallyExit|abort) \( (?:0 )?\)|\bprocess \. (?:exitCode|reallyExit) = ?[^=]|\bDeno \. exit \(",
    ),
    rule(&[Family::Rust], r"\bprocess : : (?:exit \( 0|abort)"),
    rule(&[Family::Go], r"\bos \. Exit \( 0 \)|\bsyscall \. Exit \( 0|\bruntime \. Goexit \("),
    rule(&[Family::Jvm], r"\b(?:exit|halt|exitProcess) \( 0 \)"),
    rule(&[Family::CSharp], r"\bEnvironment \. (?:Exit \( 0|FailFast)"),
    rule(
        &[Family::Ruby],
        r"\bexit ?! ?(?:\( )?(?:0|true)?|\bat_exit\b|\babort\b|\bexit (?:0|true|\( (?:0|true))",
    ),
    rule(
        &[Family::Php],
        r"\b(?:exit|die) (?:\( (?:0 )?\) )?;|\bregister_shutdown_function\b|\bexit \( 0",
    ),
    rule(
        &[Family::C],
        r"\b(?:_?[eE]xit|quick_exit) \( (?:0|EXIT_SUCCESS) \)|__attribute__ \( \( constructor",
    ),
];

/// Words in the names of functions that may end a program: a command line tool has to.
const ENTRIES: [&str; 17] = [
    "main", "cli", "cmd", "command", "exit", "quit", "stop", "terminate", "usage", "help",
    "version", "shutdown", "signal", "abort", "run", "die", "daemon",
];

/// Returns every added place that ends the process with success in code that is not the entry
/// of a program.
pub(super) fn find_endings(sources: &[&ChangedText<'_>]) -> Vec<Flag> {
    find_added(sources, &ENDINGS)
        .into_iter()
        .filter(|hit| {
            let change = sources.iter().find(|it| it.path == hit.path);
            !change.is_some_and(|change| is_entry(change, hit.line))
        })
        .map(|hit| Flag {
            path: hit.path,
            line: hit.line,
            message: format!("{ENDS}: `{}`", hit.text),
        })
        .collect()
}

/// Returns `true` if a line is in a function with a name of [`ENTRIES`], or in the block that
/// runs a script.
fn is_entry(change: &ChangedText<'_>, line: usize) -> bool {
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
