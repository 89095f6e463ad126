//! The examples of the documentation work: shell blocks are run, settings and manifests are read.
//!
//! A page is run in a folder of its own, block after block. An HTML comment `setup: LINES` before a block prepares the
//! folder. In a `console` block, `…` in the expected output is any text, and `…` alone on a line any number of lines.
//! `sh,no-run` and `console,no-run` mark blocks that are only parsed; a comment before them says why.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Parser as _;
use clap::error::ErrorKind;
use papayu_batch::batch::manifest::{ManifestFormat, read_manifest};
use papayu_batch::cli::args::Cli;
use papayu_batch::cli::manual::EXAMPLES;
use papayu_batch::settings::{self, RepositoryFile, SettingsSources};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::examples::rust_homes;
use crate::support::{TestEnv, documentation_pages, project_file, project_path};

/// A part of a page that a test uses.
#[derive(Debug, PartialEq)]
enum Part {
    /// The text of an HTML comment.
    Comment(String),
    /// Code within a line.
    Code(String),
    /// The words after the fence and the lines of a block.
    Block { info: Vec<String>, text: String },
}

fn parse_parts(markdown: &str) -> Vec<Part> {
    let mut found = Vec::new();
    let mut block: Option<(Vec<String>, String)> = None;
    let mut html = String::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                block = Some((info.split(',').map(str::to_owned).collect(), String::new()));
            }
            Event::Text(text) => {
                if let Some((_, lines)) = &mut block {
                    lines.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                found.extend(block.take().map(|(info, text)| Part::Block { info, text }));
            }
            Event::Code(text) => found.push(Part::Code(text.into_string())),
            Event::Html(text) => html.push_str(&text),
            Event::End(TagEnd::HtmlBlock) => {
                let text = std::mem::take(&mut html);
                let text = text.trim().trim_start_matches("<!--").trim_end_matches("-->");
                found.push(Part::Comment(text.trim().to_owned()));
            }
            _ => {}
        }
    }
    found
}

fn read_parts(page: &Path) -> Vec<Part> {
    parse_parts(&project_file(&page.display().to_string()))
}

/// Runs shell lines in the folder of the page; returns the exit code and everything that was printed.
fn run(env: &TestEnv, script: &str) -> (i32, String) {
    let mut lines = String::from("set -eu\nexec 2>&1\n");
    for (name, value) in rust_homes() {
        let _ = writeln!(lines, "export {name}='{value}'");
    }
    let _ = writeln!(lines, "PROJECT='{}'", project_path("").display());
    lines.push_str("PATH=\"$(dirname \"$BIN\"):$PATH\"\nexport PATH PYTHONDONTWRITEBYTECODE=1\n");
    let ran = env.shell(&(lines + script));
    (ran.code, ran.stdout)
}

/// Returns `true` if text has the form of a pattern in which `…` is any text.
fn matches_line(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('…');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let pieces: Vec<_> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        let Some((_, after)) = rest.split_once(piece) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

/// Returns `true` if lines have the form of patterns in which `…` alone is any number of lines.
fn matches_lines(patterns: &[&str], lines: &[&str]) -> bool {
    match (patterns.split_first(), lines.split_first()) {
        (None, None) => true,
        (Some((&"…", later)), _) => {
            (0..=lines.len()).any(|skipped| matches_lines(later, &lines[skipped..]))
        }
        (Some((pattern, later)), Some((line, rest))) => {
            matches_line(pattern, line.trim_end()) && matches_lines(later, rest)
        }
        _ => false,
    }
}

/// Returns the commands of a `console` block, each with the output expected of it.
fn console_commands(text: &str) -> Vec<(String, Vec<&str>)> {
    let mut commands: Vec<(String, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), Vec::new())),
            (None, Some((_, expected))) => expected.push(line),
            (None, None) => panic!("a console block begins with `$ `: {line}"),
        }
    }
    commands
}

/// Returns the exit code that a word of the fence, such as `exit-1`, names.
fn expected_code(info: &[String]) -> i32 {
    let code = info.iter().find_map(|word| word.strip_prefix("exit-"));
    code.map_or(0, |code| code.parse().unwrap())
}

fn run_page(page: &Path, parts: &[Part]) {
    let env = TestEnv::new();
    for part in parts {
        match part {
            Part::Comment(text) => {
                if let Some(lines) = text.strip_prefix("setup:") {
                    let (code, output) = run(&env, lines);
                    assert_eq!(code, 0, "{}: {lines}\n{output}", page.display());
                }
            }
            Part::Block { info, .. } if info.contains(&"no-run".to_owned()) => {}
            Part::Block { info, text } if info[0] == "sh" => {
                let (code, output) = run(&env, text);
                assert_eq!(code, expected_code(info), "{}: {text}\n{output}", page.display());
            }
            Part::Block { info, text } if info[0] == "console" => {
                for (command, expected) in console_commands(text) {
                    let (code, output) = run(&env, &command);
                    let lines: Vec<_> = output.lines().collect();
                    assert!(
                        code == expected_code(info) && matches_lines(&expected, &lines),
                        "{}: `{command}` ended with code {code} and printed\n{output}",
                        page.display()
                    );
                }
            }
            Part::Block { .. } | Part::Code(_) => {}
        }
    }
}

/// Returns the calls of the program in shell text, each as its words without redirections.
fn calls(text: &str) -> Vec<Vec<String>> {
    let joined = text.replace("\\\n", " ");
    let mut found = Vec::new();
    for line in joined.lines() {
        let line = line.strip_prefix("$ ").unwrap_or(line);
        let line = line.replace("\"$(", " ").replace(")\"", " ").replace('…', "0");
        let Some(words) = shlex::split(&line) else { continue };
        let Some(begin) = words.iter().position(|word| word == "papayu-batch") else { continue };
        let is_call = words[..begin].iter().all(|word| {
            word.contains('=') || ["if", "!", "|", "eval", "cat", "time"].contains(&word.as_str())
        });
        if is_call {
            let end = |word: &String| {
                let is_redirection = word.trim_start_matches('2').starts_with(['>', '<']);
                is_redirection || ["|", "&&", "||", ";", "&"].contains(&word.as_str())
            };
            let length = words[begin..].iter().position(end).unwrap_or(words.len() - begin);
            found.push(words[begin..begin + length].to_vec());
        }
    }
    found
}

/// Checks the commands and flags of all calls in a text and returns the number of calls. A call that lacks an
/// argument is a mention of the command.
fn assert_calls_are_valid(origin: &str, text: &str) -> usize {
    let calls = calls(text);
    for words in &calls {
        if let Err(error) = Cli::try_parse_from(words) {
            let is_mention = matches!(
                error.kind(),
                ErrorKind::MissingRequiredArgument
                    | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            );
            assert!(is_mention || error.exit_code() == 0, "{origin}: {words:?}: {error}");
        }
    }
    calls.len()
}

#[test]
fn every_example_of_the_documentation_runs() {
    let pages = documentation_pages();
    // A page is slow because it waits for commands, so a few run at once.
    for some in pages.chunks(4) {
        std::thread::scope(|scope| {
            for page in some {
                scope.spawn(move || run_page(page, &read_parts(page)));
            }
        });
    }
}

#[test]
fn examples_that_are_not_run_are_few_and_give_the_reason() {
    let mut run = 0;
    let mut skipped = 0;
    for page in documentation_pages() {
        let parts = read_parts(&page);
        for (index, part) in parts.iter().enumerate() {
            let Part::Block { info, text } = part else { continue };
            if !["sh", "console"].contains(&info[0].as_str()) {
                continue;
            }
            if !info.contains(&"no-run".to_owned()) {
                run += 1;
                continue;
            }
            skipped += 1;
            let reason = index.checked_sub(1).map(|before| &parts[before]);
            let has_reason =
                matches!(reason, Some(Part::Comment(text)) if text.starts_with("not run: "));
            assert!(has_reason, "{}: no `<!-- not run: REASON -->` before\n{text}", page.display());
        }
    }
    assert!(run >= 15 && skipped <= run, "{run} blocks run, {skipped} do not");
}

#[test]
fn every_call_in_the_documentation_has_commands_and_flags_that_exist() {
    let mut checked = 0;
    for page in documentation_pages() {
        for part in read_parts(&page) {
            let origin = page.display().to_string();
            checked += match part {
                Part::Block { text, info } if info[0] == "console" => {
                    let commands = console_commands(&text);
                    let commands = commands.iter().map(|(command, _)| command.as_str());
                    assert_calls_are_valid(&origin, &commands.collect::<Vec<_>>().join("\n"))
                }
                Part::Block { text, info } if info[0] != "text" => {
                    assert_calls_are_valid(&origin, &text)
                }
                // A placeholder in the place of a command is no call.
                Part::Code(text) if !text.contains("COMMAND") && !text.contains("schema NAME") => {
                    assert_calls_are_valid(&origin, &text)
                }
                _ => 0,
            };
        }
    }
    for example in EXAMPLES {
        checked += 1;
        assert_eq!(assert_calls_are_valid("the manual", example.line), 1, "{}", example.line);
    }
    assert!(checked > 60, "{checked} calls");
}

#[test]
fn the_settings_and_manifests_of_the_documentation_are_valid() {
    let mut read = (0, 0);
    for page in documentation_pages() {
        for part in read_parts(&page) {
            let Part::Block { info, text } = part else { continue };
            if info[0] != "toml" {
                continue;
            }
            if text.starts_with("# repos.toml") {
                let manifest =
                    read_manifest(Path::new("repos.toml"), text.as_bytes(), ManifestFormat::Toml);
                assert!(manifest.is_ok(), "{}: {manifest:?}", page.display());
                read.1 += 1;
                continue;
            }
            let path = PathBuf::from("papayu.toml");
            let (mut repository, mut user) = (None, None);
            if text.starts_with("# ~/") {
                user = Some((path.as_path(), text.as_str()));
            } else {
                let root = Path::new("/repository");
                repository = Some(RepositoryFile {
                    path: &path,
                    text: &text,
                    root,
                    prefix: "",
                    can_be_trusted: true,
                });
            }
            let settings =
                settings::load(SettingsSources { repository, user, ..SettingsSources::default() });
            assert!(settings.is_ok(), "{}: {settings:?}", page.display());
            read.0 += 1;
        }
    }
    assert!(read.0 >= 1 && read.1 >= 1, "{read:?}");
}

/// Returns the names of the inputs of the Action, which are the keys indented by two under `inputs`.
fn action_inputs() -> Vec<String> {
    let text = project_file("action.yml");
    let inputs = text.split("\ninputs:\n").nth(1).unwrap().split("\noutputs:").next().unwrap();
    let keys = inputs.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    keys.map(|line| line.trim().trim_end_matches(':').to_owned()).collect()
}

#[test]
fn the_action_snippets_use_inputs_that_exist() {
    let inputs = action_inputs();
    let mut checked = 0;
    for page in documentation_pages() {
        for part in read_parts(&page) {
            let Part::Block { text, info } = part else { continue };
            if info[0] != "yaml" || !text.contains("uses: papayu/papayu-batch@") {
                continue;
            }
            for step in text.split("uses: papayu/papayu-batch@").skip(1) {
                let with = step.split("with:\n").nth(1).unwrap_or_default();
                let lines = with.lines().take_while(|line| line.starts_with("    "));
                for line in lines.filter(|line| !line.trim_start().starts_with('#')) {
                    let name = line.trim().split(':').next().unwrap();
                    assert!(inputs.iter().any(|it| it == name), "{}: {name}", page.display());
                    checked += 1;
                }
            }
        }
    }
    assert!(checked >= 4, "{checked} inputs");
}

#[test]
fn patterns_of_expected_output_are_strict() {
    assert!(matches_line("a … c", "a b c") && matches_line("…", "") && matches_line("ab", "ab"));
    assert!(
        !matches_line("a … c", "a b d") && !matches_line("ab", "abc") && !matches_line("b", "ab")
    );
    assert!(matches_lines(&["a", "…", "z"], &["a", "b", "c", "z"]));
    assert!(!matches_lines(&["a", "z"], &["a", "b", "z"]) && !matches_lines(&["a"], &[]));
}
