//! The quickfix stage against the real cargo and rustc, on small crates without dependencies.
#![expect(clippy::unwrap_used, reason = "a test that cannot make its world has failed")]
#![expect(clippy::disallowed_methods, reason = "the test makes and looks at a real folder")]

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use papayu_base::domain::{FailureReport, Sha256};
use papayu_quickfix::{FixBatches, Proposal, Quickfix, QuickfixConfig};
use papayu_system::os::{OsClock, OsDisk, OsProcess, environment};
use papayu_system::{
    CommandNetwork, CommandSpec, Disk, End, Http, HttpError, HttpRequest, HttpResponse, Process,
    System,
};

struct NoHttp;

impl Http for NoHttp {
    fn send(&self, _: &HttpRequest) -> Result<HttpResponse, HttpError> {
        Err(HttpError::Connection("suggestions need no network".to_owned()))
    }
}

/// A crate in a temporary folder.
struct Crate {
    folder: tempfile::TempDir,
    process: OsProcess,
    clock: OsClock,
}

impl Crate {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let manifest = "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
        // The user's own command has run before anything is asked, and wrote it.
        let lock = "version = 4\n\n[[package]]\nname = \"small\"\nversion = \"0.1.0\"\n";
        let own = [("Cargo.toml", manifest), ("Cargo.lock", lock)];
        for (path, text) in own.iter().chain(files) {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut variables = environment::snapshot();
        // Under `cargo test` the outer cargo's variables must not reach the inner one.
        variables.retain(|(name, _)| !name.starts_with("CARGO_") || name == "CARGO_HOME");
        let flag = Arc::default();
        Self {
            folder,
            process: OsProcess::new(Arc::clone(&flag), variables),
            clock: OsClock::new(flag),
        }
    }

    /// Runs the stage once.
    fn proposed(&self, run: Option<&str>) -> Proposal {
        let tree = OsDisk.open_tree(self.folder.path()).unwrap();
        let system =
            System { disk: &OsDisk, process: &self.process, http: &NoHttp, clock: &self.clock };
        let config = QuickfixConfig {
            run: run.map(str::to_owned),
            timeout: Duration::from_mins(2),
            max_output: 64 << 20,
            keep_env: Vec::new(),
            network: CommandNetwork::On,
            allow_test_edits: false,
        };
        let stage = Quickfix::new(system, &*tree, config);
        let report = FailureReport::default();
        stage.propose(&mut FixBatches::default(), &report, Duration::from_mins(2)).unwrap()
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path)).unwrap()
    }

    /// Writes the proposed texts, as the engine would.
    fn apply(&self, proposal: &Proposal) {
        for file in &proposal.files {
            assert_eq!(file.base(), Sha256::of(self.text(file.path.as_str()).as_bytes()));
            fs::write(self.folder.path().join(file.path.as_str()), &file.after).unwrap();
        }
    }

    /// Runs the user's command; returns its exit code.
    fn run(&self, command: &str) -> End {
        let spec = CommandSpec {
            argv: shlex::split(command).unwrap(),
            cwd: self.folder.path().to_owned(),
            env: Vec::new(),
            keep_env: Vec::new(),
            timeout: Duration::from_mins(2),
            max_output: 64 << 20,
            confinement: None,
        };
        self.process.run(&spec, &mut |_| {}).unwrap()
    }
}

/// The command is red, the proposed change lands, the command is green, and nothing else changed.
fn is_repaired(run: &str, before: &str, after: &str) {
    let small = Crate::new(&[("src/lib.rs", before)]);
    assert_ne!(small.run(run), End::Code(0), "{run}: red before");
    let files = OsDisk.walk(small.folder.path(), 100).unwrap();
    let proposal = small.proposed(Some(run));
    assert_eq!(small.text("src/lib.rs"), before, "asking changes nothing");
    assert_eq!(OsDisk.walk(small.folder.path(), 100).unwrap(), files);
    small.apply(&proposal);
    assert_eq!(small.text("src/lib.rs"), after, "{proposal:#?}");
    assert_eq!(small.run(run), End::Code(0), "{run}: green after");
}

#[test]
fn a_missing_mut_is_repaired() {
    is_repaired(
        "cargo test --offline",
        "pub fn total(values: &[u32]) -> u32 {\n    let sum = 0;\n    for value in values {\n        sum += value;\n    }\n    sum\n}\n",
        "pub fn total(values: &[u32]) -> u32 {\n    let mut sum = 0;\n    for value in values {\n        sum += value;\n    }\n    sum\n}\n",
    );
}

#[test]
fn misspelt_names_are_repaired_together() {
    is_repaired(
        "cargo build",
        "pub fn area(width: u32, height: u32) -> u32 {\n    width * heigth\n}\n\npub fn shout(text: &str) -> String {\n    text.to_uppercase()\n}\n\npub fn double(width: u32) -> u32 {\n    aera(width, 2)\n}\n",
        "pub fn area(width: u32, height: u32) -> u32 {\n    width * height\n}\n\npub fn shout(text: &str) -> String {\n    text.to_uppercase()\n}\n\npub fn double(width: u32) -> u32 {\n    area(width, 2)\n}\n",
    );
}

#[test]
fn a_misspelt_method_is_repaired() {
    is_repaired(
        "cargo check --all-targets",
        "pub fn shout(text: &str) -> String {\n    text.to_upercase()\n}\n",
        "pub fn shout(text: &str) -> String {\n    text.to_uppercase()\n}\n",
    );
}

#[test]
fn the_one_import_that_is_missing_is_added_once() {
    is_repaired(
        "cargo check",
        "pub fn empty() -> HashMap<String, u32> {\n    HashMap::new()\n}\n",
        "use std::collections::HashMap;\n\npub fn empty() -> HashMap<String, u32> {\n    HashMap::new()\n}\n",
    );
}

#[test]
fn a_denied_warning_is_repaired_and_a_mere_warning_is_left() {
    let source = "pub fn one() -> u32 {\n    let mut one = 1;\n    one\n}\n";
    let small = Crate::new(&[("src/lib.rs", source)]);
    let account = "`cargo check --quiet --message-format=json` reports no compiler error (exit 0)";
    let nothing = Proposal { account: account.to_owned(), ..Proposal::default() };
    assert_eq!(small.proposed(Some("cargo check")), nothing);

    let fixed = "pub fn one() -> u32 {\n    let one = 1;\n    one\n}\n";
    is_repaired("env RUSTFLAGS=-Dwarnings cargo check", source, fixed);
}

#[test]
fn what_clippy_denies_is_repaired() {
    is_repaired(
        "cargo clippy --quiet -- -D warnings",
        "pub fn one() -> u32 {\n    return 1;\n}\n",
        "pub fn one() -> u32 {\n    1\n}\n",
    );
}

#[test]
fn carriage_returns_stay() {
    is_repaired(
        "cargo check",
        "pub fn empty() -> HashMap<u8, u8> {\r\n    HashMap::new()\r\n}\r\n",
        "use std::collections::HashMap;\r\n\r\npub fn empty() -> HashMap<u8, u8> {\r\n    HashMap::new()\r\n}\r\n",
    );
}

#[test]
fn errors_without_a_suggestion_ties_and_macros_change_nothing() {
    for (source, error) in [
        ("pub fn one() -> u32 {\n    \"one\"\n}\n", "src/lib.rs:2:5 rustc E0308: mismatched types"),
        (
            "pub fn less() -> Ordering {\n    todo!()\n}\n",
            "src/lib.rs:1:18 rustc E0425: cannot find type `Ordering` in this scope",
        ),
        (
            "macro_rules! twice {\n    ($w:expr) => {{\n        let width = $w;\n        widht * 2\n    }};\n}\npub fn one() -> u32 {\n    twice!(3)\n}\n",
            "src/lib.rs:4:9 rustc E0425: cannot find value `widht` in this scope",
        ),
    ] {
        let small = Crate::new(&[("src/lib.rs", source)]);
        let account = "`cargo check --quiet --message-format=json` reports 1 error";
        let hints = vec![error.to_owned()];
        let expected = Proposal { account: account.to_owned(), hints, ..Proposal::default() };
        assert_eq!(small.proposed(Some("cargo check")), expected);
    }
}

#[test]
fn a_member_of_a_workspace_below_the_root_is_repaired() {
    let member = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let small = Crate::new(&[
        ("rust/Cargo.toml", "[workspace]\nmembers = [\"a\"]\nresolver = \"3\"\n"),
        ("rust/a/Cargo.toml", member),
        ("rust/a/src/lib.rs", "pub mod deep;\n"),
        ("rust/a/src/deep.rs", "pub fn one() -> u32 {\n    let one = 1;\n    oen\n}\n"),
        ("src/lib.rs", ""),
    ]);
    let proposal = small.proposed(Some("cd rust && cargo test -p a"));
    small.apply(&proposal);
    assert_eq!(
        small.text("rust/a/src/deep.rs"),
        "pub fn one() -> u32 {\n    let one = 1;\n    one\n}\n",
        "{proposal:#?}"
    );
}

#[test]
fn generated_sources_are_left_alone() {
    let build = "fn main() {\n    let out = std::env::var(\"OUT_DIR\").unwrap();\n    std::fs::write(format!(\"{out}/made.rs\"), \"pub fn one(one: u8) -> u8 { oen }\\n\").unwrap();\n}\n";
    let small = Crate::new(&[
        ("build.rs", build),
        ("src/lib.rs", "include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));\n"),
    ]);
    let Proposal { files, hints, .. } = small.proposed(Some("cargo check"));
    assert_eq!(files, []);
    let reason = "(left out: the file is not one of the repository's)";
    assert!(hints.iter().any(|hint| hint.ends_with(reason)), "{hints:?}");
}

#[test]
fn a_member_of_a_workspace_is_repaired_where_only_the_member_is_the_repository() {
    let env = crate::support::TestEnv::new();
    let member = |name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n")
    };
    // The command may write beside the member, because that is in the same working tree.
    assert_eq!(env.shell("git init -q").code, 0);
    env.write("Cargo.toml", "[workspace]\nmembers = [\"one\"]\nresolver = \"3\"\n");
    env.write("one/Cargo.toml", &member("one"));
    let good = "pub fn area(width: u32) -> u32 {\n    width * 2\n}\n";
    env.write("one/src/lib.rs", &good.replace("    width", "    widht"));
    let arguments =
        ["fix", "--repo", "one", "--run", "cargo check --offline", "--emit", "worktree"];
    let homes = crate::examples::rust_homes();
    let homes: Vec<_> = homes.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let ran = env.run_with(&arguments, &homes);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(env.read("one/src/lib.rs"), good);
}
