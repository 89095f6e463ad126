//! Examples and exit codes at the end of the help of each command.

use std::fmt::Write as _;

use clap::Command;

use super::EXAMPLES;
use papayu_base::domain::ExitCode;

/// The commands with the exit code of a run.
const RUNS: [&str; 6] = ["fix", "plan", "apply", "publish", "batch", "runs continue"];

/// Returns the definition with examples and exit codes in the long help of the command and of those below it. `command` is
/// its name, such as `runs show`; empty for the program.
pub fn with_examples(definition: Command, command: &str) -> Command {
    let names: Vec<String> =
        definition.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    let text = help_end(command);
    let definition = if text.is_empty() { definition } else { definition.after_long_help(text) };
    names.into_iter().fold(definition, |definition, name| {
        let inner = format!("{command} {name}");
        definition.mut_subcommand(&name, |it| with_examples(it, inner.trim_start()))
    })
}

/// Returns the examples and the exit codes of a command; empty if it has none.
fn help_end(command: &str) -> String {
    let mut text = String::new();
    for example in EXAMPLES.iter().filter(|example| example.command == command) {
        let heading = if text.is_empty() { "Examples:\n" } else { "" };
        let _ = writeln!(text, "{heading}  {}\n    {}", example.effect, example.line);
    }
    if RUNS.contains(&command) {
        let _ = writeln!(text, "\nExit codes:");
        for code in ExitCode::ALL {
            let _ = writeln!(text, "  {:3}  {}", code.number(), code.meaning());
        }
    }
    text.trim().to_owned()
}
