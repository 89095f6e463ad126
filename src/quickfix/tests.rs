//! The provider in a world of recordings: when tools run, and what their silence becomes.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::desk::Desk;
use super::probe::Probe;
use super::*;
use crate::domain::event::NoEvents;
use crate::domain::{FailureReport, Mode, RepoPath, Sha256, Usage, Version};
use crate::providers::exchange::{
    Ask, Call, Provider, ProviderError, ProviderFault, Request, WireSchema,
};
use crate::system::memory::{MemoryTree, Node, Nodes};
use crate::system::{
    Clock, CommandSpec, Disk, End, Http, HttpError, HttpRequest, HttpResponse, Process, System,
    Tree,
};

const SOURCE: &str = "pub fn area(width: u32, height: u32) -> u32 {\n    width * heigth\n}\n";

/// An outside in which every command prints the same recording.
pub(crate) struct Outside {
    files: Vec<&'static str>,
    end: Mutex<Option<io::Result<End>>>,
    output: String,
    ran: Mutex<Vec<String>>,
}

impl Outside {
    /// One in which no command says anything.
    pub(crate) fn silent() -> Self {
        Self::new(&[], Ok(End::Code(0)), "")
    }

    /// One that holds files, and in which no command says anything.
    pub(crate) fn holding(files: &[&'static str]) -> Self {
        Self::new(files, Ok(End::Code(0)), "")
    }

    fn new(files: &[&'static str], end: io::Result<End>, output: &str) -> Self {
        Self {
            files: files.to_vec(),
            end: Mutex::new(Some(end)),
            output: output.replace("/repository", "/memory"),
            ran: Mutex::default(),
        }
    }

    fn tree(&self) -> MemoryTree {
        let text = |path: &str| if path == "src/lib.rs" { SOURCE } else { "" };
        let file = |path: &&str| ((*path).to_owned(), Node::File(text(path).into(), 0o644));
        MemoryTree::new(self.files.iter().map(file).collect::<Nodes>())
    }

    pub(crate) fn system(&self) -> System<'_> {
        System { disk: self, process: self, http: self, clock: self }
    }

    fn ran(&self) -> Vec<String> {
        self.ran.lock().unwrap().clone()
    }
}

impl Process for Outside {
    fn run(&self, command: &CommandSpec, output: &mut dyn FnMut(&[u8])) -> io::Result<End> {
        self.ran.lock().unwrap().push(command.argv.join(" "));
        output(self.output.as_bytes());
        self.end.lock().unwrap().take().unwrap_or(Ok(End::Code(101)))
    }
}

impl Disk for Outside {
    fn open_tree(&self, _: &Path) -> io::Result<Box<dyn Tree>> {
        unreachable!("the provider is handed its tree")
    }

    fn open(&self, _: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        unreachable!("the provider reads through its tree")
    }

    fn write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        unreachable!("the provider never writes")
    }

    fn append(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        unreachable!("the provider never writes")
    }

    fn list(&self, _: &Path) -> io::Result<Vec<PathBuf>> {
        unreachable!("the provider walks")
    }

    fn walk(&self, _: &Path, limit: usize) -> io::Result<Vec<String>> {
        Ok(self.files.iter().take(limit).map(|path| (*path).to_owned()).collect())
    }

    fn delete_folder(&self, _: &Path) -> io::Result<()> {
        unreachable!()
    }
    fn is_file(&self, _: &Path) -> bool {
        false
    }
}

impl Http for Outside {
    fn send(&self, _: &HttpRequest) -> Result<HttpResponse, HttpError> {
        unreachable!("the provider needs no network")
    }
}

impl Clock for Outside {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn timestamp(&self) -> String {
        String::new()
    }

    fn fresh_id(&self) -> String {
        String::new()
    }

    fn sleep(&self, _: Duration) -> bool {
        true
    }

    fn interrupted(&self) -> bool {
        false
    }
}

fn request(ask: Ask, mode: Mode) -> Request {
    Request {
        ask,
        mode,
        version: Version::V2,
        system: String::new(),
        prefix: String::new(),
        tail: String::new(),
        wire_schema: Arc::new(WireSchema { name: "reply".to_owned(), schema: Value::Null }),
        max_output_tokens: 0,
        shown: vec![(RepoPath::parse("src/lib.rs").unwrap(), Sha256::of(SOURCE.as_bytes()))],
        report: Arc::default(),
        stable: Vec::new(),
    }
}

pub(crate) fn config(run: Option<&str>) -> SuggestionsConfig {
    SuggestionsConfig {
        run: run.map(str::to_owned),
        timeout: Duration::from_mins(1),
        max_output: 1 << 30,
        keep_env: Vec::new(),
        allow_test_edits: false,
    }
}

/// Asks for each and returns the replies' JSON.
fn answers(
    outside: &Outside,
    run: Option<&str>,
    asks: &[(Ask, Mode)],
) -> Result<Vec<Value>, ProviderError> {
    let tree = outside.tree();
    let provider = Suggestions::new(outside.system(), &tree, config(run));
    let call = Call { time_left: Duration::from_secs(9), events: &NoEvents };
    asks.iter()
        .map(|(ask, mode)| {
            let reply = provider.ask(&request(*ask, *mode), &call)?;
            assert_eq!((reply.usage, reply.requests), (Usage::default(), 0));
            Ok(serde_json::from_str(&reply.text).unwrap())
        })
        .collect()
}

const MISSPELT: &str = include_str!("rustc/recorded/misspelt_variable.jsonl");

#[test]
fn the_tools_run_once_for_a_plan_and_the_requests_after_it() {
    let outside = Outside::new(&["Cargo.toml", "src/lib.rs"], Ok(End::Code(101)), MISSPELT);
    let asks = [
        (Ask::Plan, Mode::Plan),
        (Ask::Round(1), Mode::Plan),
        (Ask::Apply, Mode::Apply),
        (Ask::RepairApply, Mode::Apply),
    ];
    let replies = answers(&outside, Some("cargo test"), &asks).unwrap();
    assert_eq!(outside.ran(), ["cargo test --quiet --message-format=json --no-run"]);
    let [plan, round, apply, repair] = replies.as_slice() else { panic!("{replies:?}") };
    assert_eq!((plan, apply), (round, repair));
    assert_eq!(plan["context_requests"], json!([]));
    assert_eq!(apply["actions"][0]["path"], json!("src/lib.rs"));

    let twice = [(Ask::Plan, Mode::Plan), (Ask::Plan, Mode::Plan)];
    answers(&outside, Some("cargo test"), &twice).unwrap();
    assert_eq!(outside.ran().len(), 3);
}

#[test]
fn an_apply_without_a_plan_asks_the_tools_itself() {
    let outside = Outside::new(&["Cargo.toml", "src/lib.rs"], Ok(End::Code(101)), MISSPELT);
    let replies = answers(&outside, Some("cargo build"), &[(Ask::Apply, Mode::Apply)]).unwrap();
    assert_eq!(replies[0]["actions"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_project_with_another_command_is_checked_whole_and_only_with_a_lock_file() {
    let check = "cargo check --quiet --message-format=json --all-targets --locked";
    for (files, run, ran, summary) in [
        (vec!["Cargo.lock", "Cargo.toml", "src/lib.rs"], Some("make test"), vec![check], None),
        (vec!["Cargo.lock", "Cargo.toml", "src/lib.rs"], None, vec![check], None),
        (
            vec!["Cargo.toml"],
            None,
            vec![],
            Some("there is no `Cargo.lock`, and asking cargo would write one"),
        ),
        (
            vec!["package.json"],
            Some("npm test"),
            vec![],
            Some(
                "looked for errors of cargo, tsc, Python and Go, for ESLint, Biome, ruff, go vet and \
                 typos in the command and the log, and for files that a formatter would change: \
                 nothing of these",
            ),
        ),
    ] {
        let outside = Outside::new(&files, Ok(End::Code(101)), MISSPELT);
        let replies = answers(&outside, run, &[(Ask::Plan, Mode::Plan)]).unwrap();
        assert_eq!(outside.ran(), ran, "{files:?}");
        if let Some(summary) = summary {
            let expected = format!("NO_CHANGES: no tool suggests a fix; {summary}");
            assert_eq!(replies[0]["summary"], json!(expected));
        }
    }
}

#[test]
fn a_tool_that_cannot_answer_is_no_error() {
    let command = "cargo test --quiet --message-format=json --no-run";
    for (end, account) in [
        (Err(io::Error::other("no such program")), "could not be started: no such program"),
        (Ok(End::TimedOut), "did not end within 9 s"),
        (Ok(End::TooMuchOutput), "printed too much"),
        (Ok(End::Signal(9)), "was ended by signal 9"),
        (Ok(End::Code(0)), "reports no compiler error (exit 0)"),
    ] {
        let outside = Outside::new(&["Cargo.toml"], end, "");
        let replies = answers(&outside, Some("cargo test"), &[(Ask::Apply, Mode::Apply)]).unwrap();
        let summary = format!("NO_CHANGES: no tool suggests a fix; `{command}` {account}");
        assert_eq!(replies, [json!({ "actions": [], "summary": summary })]);
    }
}

#[test]
fn an_interruption_ends_the_call() {
    let outside = Outside::new(&["Cargo.toml"], Ok(End::Interrupted), "");
    let error = answers(&outside, Some("cargo test"), &[(Ask::Plan, Mode::Plan)]).unwrap_err();
    assert_eq!(error.fault, ProviderFault::Interrupted);
}

#[test]
fn a_report_of_another_machine_names_the_repository_s_own_files() {
    let outside = Outside::holding(&["a.rs", "src/a.rs"]);
    let (tree, config, report) = (outside.tree(), config(None), FailureReport::default());
    let probe = Probe {
        system: outside.system(),
        tree: &tree,
        config: &config,
        report: &report,
        lookup: None,
        time_limit: Duration::ZERO,
    };
    let desk = Desk::new(&probe);
    for (named, found) in [
        ("/home/runner/work/x/x/src/b.rs", None),
        ("other/src/a.rs", None),
        ("/home/runner/work/x/x/src/a.rs", Some("src/a.rs")),
        ("file:///D:/a/x/x/src/a.rs", Some("src/a.rs")),
        ("src/a.rs", Some("src/a.rs")),
        ("/memory/a.rs", Some("a.rs")),
    ] {
        let path = desk.find_reported(named);
        assert_eq!(path.as_ref().map(RepoPath::as_str), found, "{named}");
    }
}
