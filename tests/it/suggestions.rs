//! The zero-token provider against the real cargo and rustc, on small crates without dependencies.
#![expect(clippy::unwrap_used, reason = "a test that cannot make its world has failed")]
#![expect(clippy::disallowed_methods, reason = "the test makes and looks at a real folder")]

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use papayu_batch::domain::event::NoEvents;
use papayu_batch::domain::{Mode, RepoPath, Sha256, Version};
use papayu_batch::providers::{Ask, Call, Provider, Request, WireSchema};
use papayu_batch::quickfix::{Suggestions, SuggestionsConfig};
use papayu_batch::system::os::{OsClock, OsDisk, OsProcess, environment};
use papayu_batch::system::{
    CommandSpec, Disk, End, Http, HttpError, HttpRequest, HttpResponse, Process, System,
};
use serde_json::{Value, json};

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

    /// Asks for a plan and then, shown every file, for a change; returns both replies.
    fn asked(&self, run: Option<&str>, version: Version) -> (Value, Value) {
        let root = self.folder.path();
        let tree = OsDisk.open_tree(root).unwrap();
        let system =
            System { disk: &OsDisk, process: &self.process, http: &NoHttp, clock: &self.clock };
        let config = SuggestionsConfig {
            run: run.map(str::to_owned),
            timeout: Duration::from_mins(2),
            max_output: 64 << 20,
            keep_env: Vec::new(),
            allow_test_edits: false,
        };
        let provider = Suggestions::new(system, &*tree, config);
        let call = Call { time_left: Duration::from_mins(2), events: &NoEvents };
        let ask = |request: Request| -> Value {
            serde_json::from_str(&provider.ask(&request, &call).unwrap().text).unwrap()
        };
        let plan = ask(request(Ask::Plan, Mode::Plan, version, Vec::new()));
        let shown = OsDisk.walk(root, 100).unwrap().into_iter().map(|path| {
            let digest = Sha256::of(self.text(&path).as_bytes());
            (RepoPath::parse(&path).unwrap(), digest)
        });
        let apply = ask(request(Ask::Apply, Mode::Apply, version, shown.collect()));
        (plan, apply)
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path)).unwrap()
    }

    /// Writes what the actions ask for, as the engine would.
    fn apply(&self, reply: &Value) {
        for action in reply["actions"].as_array().unwrap() {
            let path = action["path"].as_str().unwrap();
            let before = self.text(path);
            let after = if action["kind"] == "UPDATE_FILE" {
                action["content"].as_str().unwrap().to_owned()
            } else {
                let diff = action["patch"].as_str().unwrap();
                diffy::apply(&before, &diffy::Patch::from_str(diff).unwrap()).unwrap()
            };
            fs::write(self.folder.path().join(path), &after).unwrap();
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
        };
        self.process.run(&spec, &mut |_| {}).unwrap()
    }
}

fn request(ask: Ask, mode: Mode, version: Version, shown: Vec<(RepoPath, Sha256)>) -> Request {
    Request {
        ask,
        mode,
        version,
        system: String::new(),
        prefix: String::new(),
        tail: String::new(),
        wire_schema: Arc::new(WireSchema { name: "reply".to_owned(), schema: Value::Null }),
        max_output_tokens: 0,
        shown,
        report: Arc::default(),
        stable: Vec::new(),
    }
}

/// The command is red, the provider's change lands, the command is green, and nothing else changed.
fn is_repaired(run: &str, before: &str, after: &str) {
    for version in [Version::V2, Version::V1] {
        let small = Crate::new(&[("src/lib.rs", before)]);
        assert_ne!(small.run(run), End::Code(0), "{run}: red before");
        let files = OsDisk.walk(small.folder.path(), 100).unwrap();
        let (plan, apply) = small.asked(Some(run), version);
        assert_eq!(
            plan["context_requests"],
            json!([{ "type": "read_file", "path": "src/lib.rs" }]),
            "{plan:#}"
        );
        assert_eq!(small.text("src/lib.rs"), before, "asking changes nothing");
        assert_eq!(OsDisk.walk(small.folder.path(), 100).unwrap(), files);
        small.apply(&apply);
        assert_eq!(small.text("src/lib.rs"), after, "{apply:#}");
        assert_eq!(small.run(run), End::Code(0), "{run}: green after");
    }
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
    let (plan, apply) = small.asked(Some("cargo check"), Version::V2);
    let nothing = "NO_CHANGES: no tool suggests a fix; \
        `cargo check --quiet --message-format=json` reports no compiler error (exit 0)";
    assert_eq!(plan["summary"], json!(nothing));
    assert_eq!(apply, json!({ "actions": [], "summary": nothing }));

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
        let (plan, apply) = small.asked(Some("cargo check"), Version::V2);
        let reason = format!(
            "NO_CHANGES: no tool suggests a fix; `cargo check --quiet --message-format=json` reports 1 error:\n- {error}"
        );
        assert_eq!(plan, json!({ "actions": [], "summary": reason, "context_requests": [] }));
        assert_eq!(apply, json!({ "actions": [], "summary": reason }));
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
    let (_, apply) = small.asked(Some("cd rust && cargo test -p a"), Version::V2);
    small.apply(&apply);
    assert_eq!(
        small.text("rust/a/src/deep.rs"),
        "pub fn one() -> u32 {\n    let one = 1;\n    one\n}\n",
        "{apply:#}"
    );
}

#[test]
fn generated_sources_are_left_alone() {
    let build = "fn main() {\n    let out = std::env::var(\"OUT_DIR\").unwrap();\n    std::fs::write(format!(\"{out}/made.rs\"), \"pub fn one(one: u8) -> u8 { oen }\\n\").unwrap();\n}\n";
    let small = Crate::new(&[
        ("build.rs", build),
        ("src/lib.rs", "include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));\n"),
    ]);
    let (_, apply) = small.asked(Some("cargo check"), Version::V2);
    let summary = apply["summary"].as_str().unwrap();
    assert_eq!(apply["actions"], json!([]));
    assert!(summary.contains("(left out: the file is not one of the repository's)"), "{summary}");
}

#[test]
fn a_member_of_a_workspace_is_repaired_where_only_the_member_is_the_repository() {
    let env = crate::support::TestEnv::new();
    let member = |name: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n")
    };
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
