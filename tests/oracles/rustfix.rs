//! Our landing of the compiler's suggestions against the rustfix crate's and the `.fixed` file's.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use papayu_base::domain::FailureReport;
use papayu_quickfix::{FixBatches, Quickfix, QuickfixConfig};
use papayu_system::os::{OsClock, OsDisk};
use papayu_system::{
    CommandSpec, Disk, End, Http, HttpError, HttpRequest, HttpResponse, Process, System,
};
use rustfix::{CodeFix, Filter};
use serde_json::{Value, json};

/// A cargo that prints what the compiler said.
struct Recorded(String);

impl Process for Recorded {
    fn run(&self, _: &CommandSpec, output: &mut dyn FnMut(&[u8])) -> io::Result<End> {
        output(self.0.as_bytes());
        Ok(End::Code(101))
    }
}

struct NoHttp;

impl Http for NoHttp {
    fn send(&self, _: &HttpRequest) -> Result<HttpResponse, HttpError> {
        Err(HttpError::Connection("suggestions need no network".to_owned()))
    }
}

/// What became of the cases.
#[derive(Debug, Default)]
struct Count {
    total: usize,
    /// rustfix's own result is the `.fixed` file, and so is ours.
    equal: usize,
    /// It is, and ours is another text although nothing was left out.
    different: Vec<PathBuf>,
    /// It is, and ours lacks what we say we left out.
    refused: Vec<PathBuf>,
    /// rustfix's own result with this compiler is another one.
    other: usize,
}

#[test]
#[ignore = "needs a folder of compiled cases; rustfix.py makes one"]
fn wherever_rustfix_makes_the_fixed_file_we_make_it_too() {
    let folder = PathBuf::from(std::env::var("ORACLE_FOLDER").unwrap());
    let mut count = Count::default();
    let mut cases: Vec<_> =
        fs::read_dir(folder).unwrap().map(|case| case.unwrap().path()).collect();
    cases.sort();
    for case in cases {
        let files = fs::read_dir(&case).unwrap().map(|file| file.unwrap().path());
        let Some(json) =
            files.into_iter().find(|file| file.extension().is_some_and(|e| e == "json"))
        else {
            continue;
        };
        count.take(&json);
    }
    let Count { total, equal, different, refused, other } = &count;
    println!("total {total}, rustfix itself makes another text {other}");
    println!("equal {equal}, different {}, refused {}", different.len(), refused.len());
    println!("different: {different:#?}\nrefused: {refused:#?}");
    assert!(different.is_empty());
}

impl Count {
    fn take(&mut self, json: &Path) {
        let read = |ending: &str| fs::read_to_string(json.with_extension(ending)).unwrap();
        let (before, fixed, said) = (read("rs"), read("fixed"), read("json"));
        self.total += 1;
        if rustfixed(&before, &said) != fixed || fixed == before {
            self.other += 1;
            return;
        }
        let (ours, has_hints) = ours(json, &said);
        let name = json.with_extension("rs").file_name().map(PathBuf::from).unwrap();
        if ours.as_deref() == Some(fixed.as_str()) {
            self.equal += 1;
        } else if has_hints || ours.is_none() {
            self.refused.push(name);
        } else {
            self.different.push(name);
        }
    }
}

fn rustfixed(before: &str, said: &str) -> String {
    let lines: String =
        said.lines().filter(|line| line.starts_with('{')).collect::<Vec<_>>().join("\n");
    let found =
        rustfix::get_suggestions_from_json(&lines, &HashSet::new(), Filter::MachineApplicableOnly);
    let mut text = CodeFix::new(before);
    for suggestion in found.unwrap_or_default() {
        // As cargo does: one that overlaps is left for the next pass.
        let _ = text.apply(&suggestion);
    }
    text.finish().unwrap_or_default()
}

fn ours(json: &Path, said: &str) -> (Option<String>, bool) {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    let name = json.with_extension("rs").file_name().unwrap().to_str().unwrap().to_owned();
    let before = fs::read(json.with_extension("rs")).unwrap();
    fs::write(root.join(&name), &before).unwrap();
    fs::write(root.join("Cargo.toml"), "").unwrap();
    let message = |line: &str| {
        let said: Value = serde_json::from_str(line).unwrap();
        json!({ "reason": "compiler-message", "manifest_path": root.join("Cargo.toml"), "message": said })
    };
    let lines = said.lines().filter(|line| line.starts_with('{'));
    let messages: Vec<String> = lines.map(|line| message(line).to_string()).collect();
    let process = Recorded(messages.join("\n"));
    let flag: Arc<AtomicBool> = Arc::default();
    let (clock, tree) = (OsClock::new(flag), OsDisk.open_tree(&root).unwrap());
    let system = System { disk: &OsDisk, process: &process, http: &NoHttp, clock: &clock };
    let config = QuickfixConfig {
        network: papayu_system::CommandNetwork::On,
        allow_test_edits: true,
        run: Some("cargo check".to_owned()),
        timeout: Duration::from_mins(1),
        max_output: 64 << 20,
        keep_env: Vec::new(),
    };
    let stage = Quickfix::new(system, &*tree, config);
    let report = FailureReport::default();
    let proposal =
        stage.propose(&mut FixBatches::default(), &report, Duration::from_mins(1)).unwrap();
    let has_hints = !proposal.hints.is_empty();
    (proposal.files.into_iter().next().map(|file| file.after), has_hints)
}
