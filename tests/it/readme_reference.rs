//! The reference pages of the documentation equal the tables of the code.

use std::fmt::Write as _;

use papayu_base::domain::code::{Remedy, Stage};
use papayu_base::domain::event::EventName;
use papayu_base::domain::{ErrorCode, ExitCode, OutcomeKind};
use papayu_batch::cli::manual::{EXAMPLES, FILES, VARIABLES};
use papayu_batch::project::{KindLimits, ProjectKind};
use papayu_batch::settings::{self, SettingsSources};
use serde_json::Value;

use crate::readme::assert_generated_block;
use crate::support::project_file;

/// Returns a Markdown table.
fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let mut text = format!("\n| {} |\n|{}\n", head.join(" | "), "---|".repeat(N));
    for row in rows {
        let cells = row.map(|cell| cell.replace('|', "\\|").replace('\n', " "));
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text + "\n"
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

#[test]
fn the_settings_table_is_that_of_the_code() {
    let settings = settings::load(SettingsSources::default()).unwrap();
    let rows = settings.rows().map(|row| {
        let shown =
            if row.shown_value.is_empty() { "–".to_owned() } else { code(&row.shown_value) };
        let variables: Vec<_> = row.env.iter().map(|name| code(name)).collect();
        let trust = row.trust.word().to_owned();
        [code(row.key), variables.join(", "), shown, trust, row.doc.to_owned()]
    });
    let head = ["setting", "variable", "default", "repository", "meaning"];
    assert_generated_block("docs/settings.md", "settings", &table(head, rows));
}

/// Returns the first words of a kind's commands.
fn build_commands(kind: ProjectKind) -> String {
    let commands = kind.build_commands().iter().map(|it| code(&it.words().join(" ")));
    commands.collect::<Vec<_>>().join(", ")
}

#[test]
fn the_table_of_project_kinds_is_that_of_the_code() {
    let rows = ProjectKind::all().map(|kind| {
        let KindLimits { verify_timeout_sec, timeout_sec, max_files } = kind.limits();
        let shown =
            |limit: Option<u16>| limit.map_or("–".to_owned(), |limit| code(&limit.to_string()));
        let markers: Vec<_> = kind.markers().iter().map(|name| code(name)).collect();
        [
            kind.name().to_owned(),
            markers.join(", "),
            shown(verify_timeout_sec),
            shown(timeout_sec),
            shown(max_files),
            build_commands(kind),
        ]
    });
    let head = [
        "project", "found by one of", "`run.verify_timeout_sec`", "`run.timeout_sec`",
        "`context.max_files`", "commands",
    ];
    assert_generated_block("docs/settings.md", "kinds", &table(head, rows));
}

#[test]
fn the_tables_of_variables_and_files_are_those_of_the_code() {
    let rows = VARIABLES.iter().map(|row| [code(row.name), row.meaning.to_owned()]);
    assert_generated_block("docs/settings.md", "variables", &table(["variable", "meaning"], rows));
    let rows = FILES.iter().map(|row| [code(row.name), row.meaning.to_owned()]);
    assert_generated_block("docs/outputs.md", "files", &table(["path", "content"], rows));
}

#[test]
fn the_table_of_error_codes_is_that_of_the_code() {
    let rows = ErrorCode::ALL.iter().map(|code| {
        let row = code.row();
        let exit = row.outcome.exit_code().number();
        let outcome = format!("`{}` ({exit})", row.outcome.name());
        let (name, stage) = (format!("`{}`", row.name), row.stage.name().to_owned());
        [name, row.meaning.to_owned(), stage, outcome, row.hint.to_owned()]
    });
    let head = ["code", "meaning", "stage", "outcome (exit code)", "hint"];
    assert_generated_block("docs/error-codes.md", "codes", &table(head, rows));
}

/// Returns the table of exit codes with the outcomes that have them.
fn exit_code_table() -> String {
    let rows = ExitCode::ALL.iter().map(|exit| {
        let with = OutcomeKind::ALL.iter().filter(|outcome| outcome.exit_code() == *exit);
        let mut outcomes: Vec<_> = with.map(|outcome| code(outcome.name())).collect();
        // The only outcome with two codes; the run knows which of the two things was asked for.
        if *exit == ExitCode::Ok {
            outcomes
                .push("`planned` by `plan`, a review, or a goal that asks for a plan".to_owned());
        }
        for outcome in outcomes.iter_mut().filter(|outcome| *outcome == "`planned`") {
            outcome.push_str(" by `fix` for a change without a command");
        }
        [exit.number().to_string(), outcomes.join(", "), exit.meaning().to_owned()]
    });
    table(["code", "outcome", "meaning"], rows)
}

#[test]
fn the_tables_of_exit_codes_are_those_of_the_code() {
    for page in ["docs/exit-codes.md", "README.md"] {
        assert_generated_block(page, "exit codes", &exit_code_table());
    }
}

#[test]
fn the_table_of_events_is_that_of_the_code() {
    let rows = EventName::ALL.iter().map(|it| [code(it.as_str()), it.meaning().to_owned()]);
    assert_generated_block("docs/events.md", "events", &table(["event", "meaning"], rows));
}

/// Returns the first sentence of a property's description and its type.
fn property_row(name: &str, property: &Value) -> [String; 3] {
    let kind = match (&property["type"], &property["$ref"], &property["anyOf"]) {
        (Value::String(kind), ..) => kind.clone(),
        (Value::Array(kinds), ..) => {
            kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
        }
        (_, Value::String(path), _) => path.rsplit('/').next().unwrap_or_default().to_owned(),
        (.., Value::Array(kinds)) => {
            let names = kinds.iter().map(|kind| property_row(name, kind)[1].clone());
            names.collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    };
    let meaning = property["description"].as_str().unwrap_or_default().to_owned();
    [code(name), kind, meaning]
}

#[test]
fn the_fields_of_the_outcome_are_those_of_its_schema() {
    let schema: Value = serde_json::from_str(&project_file("schemas/outcome.schema.json")).unwrap();
    let properties = schema["properties"].as_object().unwrap();
    let rows = properties.iter().map(|(name, property)| property_row(name, property));
    assert_generated_block(
        "docs/schemas.md",
        "outcome",
        &table(["field", "type", "meaning"], rows),
    );
}

#[test]
fn the_table_of_schemas_is_that_of_the_command_line() {
    use clap::ValueEnum as _;
    use papayu_batch::cli::args::SchemaName;
    let rows = SchemaName::value_variants().iter().map(|schema| {
        let value = schema.to_possible_value().unwrap();
        let meaning = value.get_help().map(ToString::to_string).unwrap_or_default();
        [format!("`papayu-batch schema {}`", value.get_name()), meaning]
    });
    assert_generated_block("docs/schemas.md", "schemas", &table(["command", "schema of"], rows));
}

#[test]
fn the_reactions_of_the_protocol_are_those_of_the_code() {
    let of_reply = ErrorCode::ALL
        .iter()
        .map(|code| code.row())
        .filter(|row| matches!(row.stage, Stage::Schema | Stage::Validate | Stage::Preview));
    let rows = of_reply.map(|row| {
        let reaction = match row.remedy {
            Remedy::None => "the run ends",
            Remedy::RepairJson | Remedy::Repair => "one repair, then the run ends",
            Remedy::RepairThenFallback => "one repair, then one request in an older version",
            Remedy::Fallback => "one request in an older version",
            Remedy::Replan => "back to PLAN, once, with the file read again",
        };
        [code(row.name), row.stage.name().to_owned(), reaction.to_owned()]
    });
    let head = ["code", "stage", "reaction"];
    assert_generated_block("docs/protocol.md", "reactions", &table(head, rows));
}

/// Adds the section of a command and those of the commands below it.
#[cfg(feature = "nats")]
fn add_command(text: &mut String, definition: &clap::Command, name: &str) {
    let call = format!("papayu-batch {name}");
    let mut shown = definition.clone().bin_name(call.trim()).disable_help_flag(true);
    shown = shown.disable_help_subcommand(true).term_width(100);
    let help = shown.render_long_help().to_string();
    let help: Vec<_> = help.lines().map(str::trim_end).collect();
    let _ = writeln!(text, "\n## {}\n\n```text\n{}\n```", call.trim(), help.join("\n").trim_end());
    let examples: Vec<_> = EXAMPLES.iter().filter(|example| example.command == name).collect();
    if !examples.is_empty() {
        text.push('\n');
    }
    for example in examples {
        let _ = writeln!(text, "- {}\n  `{}`", example.effect, example.line);
    }
    for inner in definition.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        add_command(text, inner, format!("{name} {}", inner.get_name()).trim());
    }
}

/// Without the feature the page would lack the commands of the queue.
#[cfg(feature = "nats")]
#[test]
fn the_page_of_commands_is_that_of_the_command_line() {
    let mut text = String::new();
    let program = papayu_batch::cli::args::Cli::visible_command();
    add_command(&mut text, &program, "");
    assert_generated_block("docs/commands.md", "commands", &(text + "\n"));
}

#[test]
fn every_command_has_a_manual_page_with_all_sections() {
    let pages = papayu_batch::cli::manual::render_pages().unwrap();
    for example in EXAMPLES {
        assert!(
            pages.iter().any(|page| page.command == example.command),
            "no page of `{}`",
            example.command
        );
    }
    for page in &pages {
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "ENVIRONMENT", "FILES"] {
            let begin = format!("\n.SH \"{section}\"\n");
            let plain = format!("\n.SH {section}\n");
            assert!(
                page.text.contains(&begin) || page.text.contains(&plain),
                "{}: no section {section}",
                page.file_name()
            );
        }
        assert!(page.text.contains(".TH papayu-batch"), "{}", page.file_name());
    }
}
