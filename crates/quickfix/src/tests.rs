//! The stage with recorded tool output: when tools run, and what their silence becomes.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use super::diagnostic_context::DiagnosticContext;
use super::tool_context::ToolContext;
use super::*;
use papayu_base::domain::{FailureReport, RepoPath};
use papayu_system::in_memory::{MemoryNode, MemoryTree, Nodes};
use papayu_system::{
    Clock, CommandNetwork, CommandSpec, Disk, End, Http, HttpError, HttpRequest, HttpResponse,
    Process, System, Tree,
};

const SOURCE: &str = "pub fn area(width: u32, height: u32) -> u32 {\n    width * heigth\n}\n";

/// An outside in which every command prints the same recording.
pub(crate) struct Outside {
    files: Vec<String>,
    end: Mutex<Option<io::Result<End>>>,
    output: String,
    ran: Mutex<Vec<String>>,
}

impl Outside {
    /// One that holds files, and in which no command says anything.
    pub(crate) fn holding(files: &[&str]) -> Self {
        Self::new(files, Ok(End::Code(0)), "")
    }

    fn new(files: &[&str], end: io::Result<End>, output: &str) -> Self {
        Self {
            files: files.iter().map(|path| (*path).to_owned()).collect(),
            end: Mutex::new(Some(end)),
            output: output.replace("/repository", "/memory"),
            ran: Mutex::default(),
        }
    }

    fn tree(&self) -> MemoryTree {
        let text = |path: &str| if path == "src/lib.rs" { SOURCE } else { "" };
        let file = |path: &String| (path.clone(), MemoryNode::File(text(path).into(), 0o644));
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
        unreachable!("the stage is handed its tree")
    }

    fn open(&self, _: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        unreachable!("the stage reads through its tree")
    }

    fn write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        unreachable!("the stage never writes")
    }

    fn append(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        unreachable!("the stage never writes")
    }

    fn list(&self, _: &Path) -> io::Result<Vec<PathBuf>> {
        unreachable!("the stage walks")
    }

    fn walk(&self, _: &Path, limit: usize) -> io::Result<Vec<String>> {
        Ok(self.files.iter().take(limit).cloned().collect())
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
        unreachable!("the stage needs no network")
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

/// Returns what a source is asked with, without an index and without time for tools.
pub(super) fn tools<'a>(
    outside: &'a Outside,
    tree: &'a MemoryTree,
    config: &'a QuickfixConfig,
    report: &'a FailureReport,
) -> ToolContext<'a> {
    let (system, time_limit) = (outside.system(), Duration::ZERO);
    ToolContext { system, tree, config, report, names: None, changes: None, time_limit }
}

pub(crate) fn config(run: Option<&str>) -> QuickfixConfig {
    QuickfixConfig {
        run: run.map(str::to_owned),
        timeout: Duration::from_mins(1),
        max_output: 1 << 30,
        keep_env: Vec::new(),
        network: CommandNetwork::On,
        allow_test_edits: false,
    }
}

/// Runs the stage so many times in one run.
fn propose(
    outside: &Outside,
    run: Option<&str>,
    times: usize,
) -> Result<Vec<Proposal>, Interrupted> {
    let tree = outside.tree();
    let stage = Quickfix::new(outside.system(), &tree, config(run));
    let mut batches = FixBatches::default();
    let time_left = Duration::from_secs(9);
    (0..times).map(|_| stage.propose(&mut batches, &FailureReport::default(), time_left)).collect()
}

const MISSPELT: &str = include_str!("rustc/recorded/misspelt_variable.jsonl");

#[test]
fn the_tools_run_again_for_each_proposal_and_a_fix_that_did_not_help_is_not_proposed_again() {
    let outside = Outside::new(&["Cargo.toml", "src/lib.rs"], Ok(End::Code(101)), MISSPELT);
    let proposals = propose(&outside, Some("cargo test"), 2).unwrap();
    assert_eq!(outside.ran(), ["cargo test --quiet --message-format=json --no-run"; 2]);
    let [first, second] = proposals.as_slice() else { panic!("{proposals:?}") };
    let paths: Vec<_> = first.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!((paths, first.fixes.len()), (vec!["src/lib.rs"], 1));
    assert_eq!(first.files[0].before, SOURCE);
    assert_eq!(first.files[0].after, SOURCE.replace("heigth", "height"));
    assert_eq!((&second.files, &second.fixes), (&vec![], &vec![]));
}

#[test]
fn a_project_with_another_command_is_checked_whole_and_only_with_a_lock_file() {
    let check = "cargo check --quiet --message-format=json --all-targets --locked";
    for (files, run, ran, account) in [
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
                "looked for errors of cargo, tsc, Node, Python, Go, gcc, clang, javac, Ruby and PHP, for ESLint, Biome, ruff, go vet and \
                 typos in the command and the log, and for files that a formatter would change: \
                 nothing of these",
            ),
        ),
    ] {
        let outside = Outside::new(&files, Ok(End::Code(101)), MISSPELT);
        let proposals = propose(&outside, run, 1).unwrap();
        assert_eq!(outside.ran(), ran, "{files:?}");
        if let Some(account) = account {
            assert_eq!(proposals[0].account, account);
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
        let proposals = propose(&outside, Some("cargo test"), 1).unwrap();
        let account = format!("`{command}` {account}");
        assert_eq!(proposals, [Proposal { account, ..Proposal::default() }]);
    }
}

#[test]
fn an_interruption_ends_the_call() {
    let outside = Outside::new(&["Cargo.toml"], Ok(End::Interrupted), "");
    assert_eq!(propose(&outside, Some("cargo test"), 1), Err(Interrupted));
}

#[test]
fn a_report_of_another_machine_names_the_repository_s_own_files() {
    let outside = Outside::holding(&["a.rs", "src/a.rs"]);
    let (tree, config, report) = (outside.tree(), config(None), FailureReport::default());
    let tools = ToolContext {
        system: outside.system(),
        tree: &tree,
        config: &config,
        report: &report,
        names: None,
        changes: None,
        time_limit: Duration::ZERO,
    };
    let context = DiagnosticContext::new(&tools);
    for (named, found) in [
        ("/home/runner/work/x/x/src/b.rs", None),
        ("other/src/a.rs", None),
        ("/home/runner/work/x/x/src/a.rs", Some("src/a.rs")),
        ("file:///D:/a/x/x/src/a.rs", Some("src/a.rs")),
        ("src/a.rs", Some("src/a.rs")),
        ("/memory/a.rs", Some("a.rs")),
    ] {
        let path = context.find_reported(named);
        assert_eq!(path.as_ref().map(RepoPath::as_str), found, "{named}");
    }
}
