//! `papayu-batch completions`.

use std::collections::BTreeSet;

use clap::Command;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;

use crate::cli::args::{Cli, CompletionsArgs};
use crate::cli::{CliError, output};
use papayu_base::domain::ExitCode;

/// The word in the place of the ids of runs, which are known only when the user completes one.
const RUN_IDS: &str = "PAPAYU_RUN_IDS";

/// The command of the shell that prints the ids of the runs of this repository, as `runs list` begins its lines.
const LIST_RUN_IDS: &str =
    r"papayu-batch runs list 2>/dev/null | sed -n 's/^\([0-9a-f]\{8\}\) .*/\1/p'";

/// The line that completes ids of runs in fish: its script has no values of positional arguments.
const FISH_RUN_IDS: &str = r#"complete -c papayu-batch -n "__fish_papayu_batch_using_subcommand runs; and __fish_seen_subcommand_from show diff continue delete" -f -a "(papayu-batch runs list 2>/dev/null | string match -r '^[0-9a-f]{8}')""#;

/// Prints the script that the shell reads.
///
/// Fails as [`output::print_data`] does.
pub(crate) fn print_completions(args: &CompletionsArgs) -> Result<ExitCode, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut with_values(), "papayu-batch", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    let script = match args.shell {
        // clap_complete spells the states of a name with a hyphen in two ways, so that none is found
        // after the first word (clap issue 6421).
        Shell::Bash => script
            .replace("papayu__subcmd__batch", "papayu__batch")
            .replace(RUN_IDS, &format!("$({LIST_RUN_IDS})")),
        // A list of words becomes a piece of code; an apostrophe ends the string around it.
        Shell::Zsh => {
            let code = format!("{{compadd -- $({LIST_RUN_IDS})}}").replace('\'', r"'\''");
            script.replace(&format!("({RUN_IDS})"), &code)
        }
        Shell::Fish => format!("{}{FISH_RUN_IDS}\n", script.replace(RUN_IDS, "")),
        _ => script.replace(RUN_IDS, ""),
    };
    output::print_data(&script)?;
    Ok(ExitCode::Ok)
}

/// Returns the program with the values of arguments that only completions know.
fn with_values() -> Command {
    let mut words = BTreeSet::new();
    add_words(&Cli::visible_command(), &mut words);
    let run_ids = |command: Command| {
        command.mut_args(|argument| match argument.get_id().as_str() {
            "run" | "runs" if argument.is_positional() => {
                argument.value_parser(PossibleValuesParser::new([RUN_IDS]))
            }
            _ => argument,
        })
    };
    Cli::visible_command()
        .mut_subcommand("runs", |runs| {
            ["show", "diff", "continue", "delete"]
                .into_iter()
                .fold(runs, |runs, name| runs.mut_subcommand(name, run_ids))
        })
        .mut_subcommand("man", |man| {
            man.mut_arg("command", |argument| {
                argument.value_parser(PossibleValuesParser::new(words))
            })
        })
}

/// Adds the words of the commands below one, which the names of manual pages consist of.
fn add_words(command: &Command, words: &mut BTreeSet<String>) {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        words.insert(inner.get_name().to_owned());
        add_words(inner, words);
    }
}
