//! The Action and the example workflows, run step by step: from a red build to a pull request, or to a refusal.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use papayu_base::domain::Sha256;
use serde_json::{Value, json};

use crate::forge_rig::{COMMAND, READER, Rig, TOKEN};
use crate::judges::home;

const ARCHIVE: &str = "papayu-batch-x86_64-unknown-linux-musl";
/// A value that no tool but the interpreter's own word for the name can mend.
const MISSPELT: &str = "def two():\n    result = 2\n    return reslut\n";
const HOSTILE: &str = "$(touch pwned) `touch pwned` \"'; touch pwned #\n::set-output name=x::y";

/// Returns the project's folder.
fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Writes a release: the archive of a program, under the name that releases have, and its checksum.
fn release(folder: &Path, program: &Path) {
    let inside = folder.join(ARCHIVE);
    fs::create_dir_all(&inside).unwrap();
    let copied = inside.join("papayu-batch");
    fs::copy(program, &copied).unwrap();
    fs::set_permissions(&copied, fs::Permissions::from_mode(0o755)).unwrap();
    let name = format!("{ARCHIVE}.tar.gz");
    let mut tar = Command::new("tar");
    tar.current_dir(folder).args(["-I", "gzip -1", "-cf", &name, ARCHIVE]);
    assert!(tar.status().unwrap().success());
    let digest = Sha256::of(&fs::read(folder.join(&name)).unwrap());
    fs::write(folder.join(format!("{name}.sha256")), format!("{digest} *{name}\n")).unwrap();
}

/// Returns a folder with a release of the program that was just built, the same for all tests.
fn built() -> &'static Path {
    static BUILT: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = BUILT.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let small = folder.path().join("small");
        let program = env!("CARGO_BIN_EXE_papayu-batch");
        // Only to be quick: what a debugger wants is most of the file.
        let stripped = Command::new("strip").arg("-o").arg(&small).arg(program).status();
        let is_small = stripped.is_ok_and(|status| status.success());
        release(folder.path(), if is_small { &small } else { Path::new(program) });
        folder
    });
    folder.path()
}

/// A red build on the forge: its commit, its failed run and that run's log.
struct Scene {
    rig: Rig,
    root: PathBuf,
    /// What the executor is told.
    facts: Value,
}

impl Scene {
    fn new(workflow: &Path) -> Self {
        let rig = Rig::new();
        rig.write("value.py", MISSPELT);
        let commit = rig.commit("Say it in words");
        rig.git(&["push", "-q", rig.at("remote/o/r.git").to_str().unwrap(), "main"]);
        std::os::unix::fs::symlink("r.git", rig.at("remote/o/r")).unwrap();
        let log = format!(
            "2026-01-01T00:00:00.0000000Z ##[group]Run {COMMAND}\n2026-01-01T00:00:00.0000000Z NameError: name 'reslut' is not defined\n"
        );
        rig.set_state(&json!({
            "jobs": { "77": [{ "id": 2, "name": "test", "conclusion": "failure" }] },
            "logs": { "2": log },
        }));
        let root = rig.at("ci");
        fs::create_dir(&root).unwrap();
        let run = json!({
            "id": 77, "conclusion": "failure", "head_branch": "main", "head_sha": commit,
            "head_repository": { "full_name": "o/r" }, "actor": { "login": "ann" },
            "triggering_actor": { "login": "ann" },
        });
        let facts = json!({
            "workflow": workflow,
            "workflows": project("examples/workflows"),
            "action": project(""),
            "action_name": "papayu/papayu-batch",
            "root": root,
            "remote": rig.at("remote"),
            "event_name": "workflow_run",
            "event": { "workflow_run": run },
            "github": {
                "repository": "o/r", "actor": "ann", "triggering_actor": "ann", "sha": commit,
                "ref_name": "main", "ref_type": "branch", "server_url": rig.git.url,
                "api_url": rig.api_url,
            },
            "vars": { "PAPAYU_TEST_COMMAND": COMMAND },
            "tokens": { "read": READER, "write": TOKEN },
            "with": { "download-url": format!("file://{}", built().display()) },
        });
        Self { rig, root, facts }
    }

    fn example(name: &str) -> Self {
        Self::new(&project("examples/workflows").join(name))
    }

    /// Runs the workflow and returns what became of its jobs.
    fn run(&self) -> Value {
        let file = self.root.join("scene.json");
        fs::write(&file, self.facts.to_string()).unwrap();
        let mut python = Command::new(home().join("venv/bin/python"));
        let output = python.arg(project("tests/action/executor.py")).arg(&file).output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{complaint}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Nothing was pushed, nothing was opened, and no text of an input was run.
    fn assert_untouched(&self) {
        assert_eq!(self.rig.branches(), Vec::<String>::new());
        assert_eq!(self.rig.state()["pulls"], json!([]));
        let found = Command::new("find").arg(&self.root).args(["-name", "pwned"]).output().unwrap();
        assert_eq!(String::from_utf8(found.stdout).unwrap(), "");
    }
}

/// Returns the steps of a job: name and how it ended.
fn steps(job: &Value) -> Vec<(&str, &str)> {
    let steps = job["steps"].as_array().unwrap().iter();
    steps.map(|step| (step["step"].as_str().unwrap(), step["outcome"].as_str().unwrap())).collect()
}

/// Returns the last step's output.
fn said(job: &Value) -> &str {
    job["steps"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .find_map(|step| step["text"].as_str().filter(|it| !it.is_empty()))
        .unwrap_or_default()
}

#[test]
fn a_red_build_becomes_a_pull_request_by_way_of_two_jobs() {
    let mut scene = Scene::example("fix-on-failure.yml");
    // A command that could set outputs and variables of later steps fails.
    let unseen =
        "test -z \"$GITHUB_OUTPUT$GITHUB_ENV$GITHUB_PATH$GITHUB_STATE$GITHUB_STEP_SUMMARY\"";
    scene.facts["vars"] = json!({ "PAPAYU_TEST_COMMAND": format!("{unseen} && {COMMAND}") });
    let jobs = scene.run();
    assert_eq!(jobs["fix"]["result"], "success", "{jobs:#}");
    assert_eq!(jobs["fix"]["outputs"]["outcome"], "fixed");
    assert_eq!(jobs["publish"]["result"], "success", "{jobs:#}");
    let branches = scene.rig.branches();
    let [branch] = branches.as_slice() else { panic!("{branches:?}") };
    let mended = MISSPELT.replace("reslut", "result");
    assert_eq!(scene.rig.remote(&["show", &format!("{branch}:value.py")]), mended.trim_end());
    let pulls = scene.rig.state()["pulls"].clone();
    assert_eq!((pulls.as_array().unwrap().len(), &pulls[0]["base"]), (1, &json!("main")));
    let summary = |job: &str| {
        let steps = jobs[job]["steps"].as_array().unwrap().iter();
        steps.filter_map(|step| step["summary"].as_str()).collect::<String>()
    };
    assert!(summary("fix").starts_with("## papayu-batch: fixed\n"), "{jobs:#}");
    let page = said(&jobs["fix"]);
    let note = "::notice file=value.py,line=3,title=test_value.ValueTest.test_two_is_two::fixed by";
    assert!(page.lines().any(|line| line.starts_with(note)), "{page}");
    assert!(summary("publish").contains("https://github.example/o/r/pull/1"), "{jobs:#}");
    // Neither job's page shows a token, and no step left the next ones a variable.
    let all = jobs.to_string();
    assert!(!all.contains(TOKEN) && !all.contains(READER));
    let steps = ["fix", "publish"].map(|job| jobs[job]["steps"].as_array().unwrap().clone());
    assert!(
        steps
            .iter()
            .flatten()
            .all(|step| step["environment"].as_str().unwrap_or_default().is_empty())
    );
}

#[test]
fn a_bundle_that_was_changed_between_the_jobs_is_not_published() {
    let mut scene = Scene::example("fix-on-failure.yml");
    // Everything is made anew by the rules, but for the digest that travelled apart.
    scene.facts["between"] =
        json!("sed -i 's/\"allow_delete\": *false/\"allow_delete\": true/' manifest.json");
    let jobs = scene.run();
    assert_eq!(
        (&jobs["fix"]["result"], &jobs["publish"]["result"]),
        (&json!("success"), &json!("failure")),
        "{jobs:#}"
    );
    assert!(said(&jobs["publish"]).contains("not what was written"), "{jobs:#}");
    scene.assert_untouched();
}

#[test]
fn an_archive_with_another_checksum_is_refused_before_anything_of_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let evil = folder.path().join("evil");
    fs::write(&evil, "#!/bin/sh\ntouch \"$RUNNER_TEMP/pwned\"\n").unwrap();
    release(folder.path(), &evil);
    let sum = folder.path().join(format!("{ARCHIVE}.tar.gz.sha256"));
    let good = fs::read_to_string(&sum).unwrap();
    let digest = good.split(' ').next().unwrap().to_owned();
    let other = "0".repeat(64);
    for (published, wanted) in
        [(good.replace(&digest, &other), String::new()), (good.clone(), other.clone())]
    {
        fs::write(&sum, published).unwrap();
        let mut scene = Scene::example("fix-on-failure.yml");
        let url = format!("file://{}", folder.path().display());
        scene.facts["with"] = json!({ "download-url": url, "checksum": wanted });
        let jobs = scene.run();
        assert_eq!(
            (&jobs["fix"]["result"], &jobs["publish"]["result"]),
            (&json!("failure"), &json!("skipped")),
            "{jobs:#}"
        );
        assert_eq!(
            steps(&jobs["fix"]).last(),
            Some(&("Install papayu-batch", "failure")),
            "{jobs:#}"
        );
        assert!(said(&jobs["fix"]).contains(&format!("its SHA-256 is {digest}")), "{jobs:#}");
        scene.assert_untouched();
    }
}

/// What stands in the place of the programs that an installation calls; each call is noted.
struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// Puts a program there that notes its arguments and goes on with a line of shell.
    fn program(&self, name: &str, line: &str) {
        let file = self.folder.path().join(name);
        let told = self.folder.path().join("told");
        let script = format!("#!/bin/bash\necho {name} \"$@\" >>'{}'\n{line}\n", told.display());
        fs::write(&file, script).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Installs with these variables in the place of the usual ones; returns the program that the
    /// script names, and what was called.
    fn install(&self, variables: &[(&str, &str)]) -> (Option<PathBuf>, String) {
        let at = |name: &str| self.folder.path().join(name);
        let path = format!("{}:{}", at("").display(), std::env::var("PATH").unwrap());
        fs::write(at("output"), "").unwrap();
        fs::write(at("told"), "").unwrap();
        let mut bash = Command::new("bash");
        bash.arg(project("action/install.sh")).env_clear().env("PATH", path);
        bash.env("RUNNER_TEMP", self.folder.path()).env("GITHUB_OUTPUT", at("output"));
        bash.env("GITHUB_ACTION_PATH", project(""));
        for name in ["VERSION", "CHECKSUM", "DOWNLOAD_URL"] {
            bash.env(name, "");
        }
        bash.env("ATTESTATION", "auto").env("ATTESTATION_TOKEN", "the-token");
        let ended = bash.envs(variables.iter().copied()).output().unwrap();
        let output = fs::read_to_string(at("output")).unwrap();
        let program = output.trim().strip_prefix("program=").map(PathBuf::from);
        assert_eq!(program.is_some(), ended.status.success(), "{ended:?}");
        (program, fs::read_to_string(at("told")).unwrap())
    }
}

#[test]
fn what_is_installed_is_the_actions_own_release_and_attested() {
    let stage = Stage::new();
    stage.program("gh", "test \"$GH_TOKEN\" = the-token");
    // Fetches from the release at hand what is asked for elsewhere.
    let fetch = format!(
        "env | grep -q the-token && exit 9; while [ $# -gt 2 ]; do [ \"$1\" != --output ] || to=$2; shift; done; cp '{}'/\"${{2##*/}}\" \"$to\"",
        built().display()
    );
    stage.program("curl", &fetch);
    let (program, told) = stage.install(&[]);
    assert!(program.is_some_and(|program| program.is_file()));
    let release = format!(
        "{}/releases/download/v{}/{ARCHIVE}.tar.gz",
        env!("CARGO_PKG_REPOSITORY"),
        env!("CARGO_PKG_VERSION")
    );
    for part in [
        "curl --proto =https,file ",
        &format!(" -- {release}\n"),
        &format!(" -- {release}.sha256\n"),
        "gh attestation verify /",
        &format!("/{ARCHIVE}.tar.gz --repo papayu/papayu-batch\n"),
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    stage.program("gh", "exit 1");
    assert_eq!(stage.install(&[]).0, None);
    // A mirror's archives are vouched for by checksum, and nobody is asked.
    let mirror = [("DOWNLOAD_URL", "https://mirror.example/papayu")];
    let (program, told) = stage.install(&mirror);
    assert!(program.is_some() && !told.contains("gh "), "{told}");
    assert_eq!(stage.install(&[mirror[0], ("ATTESTATION", "required")]).0, None);
    for wrong in ["../../evil", "1.2", "latest", "1.2.3;touch pwned", "1.2.3-/../x"] {
        let (program, told) = stage.install(&[("VERSION", wrong)]);
        assert_eq!((program, told.as_str()), (None, ""), "{wrong}");
    }
}

#[test]
fn from_source_it_is_built_by_cargo_with_the_lock_file() {
    let stage = Stage::new();
    // In the folder where it is called, no repository's `.cargo/config.toml` applies; build scripts get no credential.
    stage.program("cargo", "! env | grep -q the-token && [[ $PWD = $RUNNER_TEMP/* ]] && mkdir -p \"${@: -1}/bin\" && touch \"${@: -1}/bin/papayu-batch\"");
    let (program, told) = stage.install(&[("VERSION", "source")]);
    assert!(program.is_some_and(|program| program.is_file()));
    let expected =
        format!("cargo install --locked --quiet --path {} --root ", project("").display());
    assert!(told.starts_with(&expected), "{told}");
}

#[test]
fn text_of_strangers_in_the_inputs_is_never_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hostile.yml");
    let hostile = "${{ github.event.issue.title }}";
    let workflow = format!(
        "on: issues\njobs:\n  fix:\n    runs-on: ubuntu-24.04\n    outputs:\n      outcome: ${{{{ steps.papayu.outputs.outcome }}}}\n    \
         steps:\n      - uses: actions/checkout@v0\n      - id: papayu\n        uses: ./\n        with:\n          test-command: {COMMAND}\n          \
         goal: {hostile}\n          labels: {hostile}\n          reviewers: {hostile}\n          output: bundle\n"
    );
    let without_goal = workflow.replace(&format!("          goal: {hostile}\n"), "");
    // Without a model a goal is refused before anything runs.
    for (workflow, outcome) in [(workflow, "usage_error"), (without_goal, "fixed")] {
        fs::write(&file, workflow).unwrap();
        let mut scene = Scene::new(&file);
        scene.facts["event_name"] = json!("issues");
        scene.facts["event"] = json!({ "issue": { "title": HOSTILE } });
        let jobs = scene.run();
        assert_eq!(jobs["fix"]["outputs"]["outcome"], outcome, "{jobs:#}");
        scene.assert_untouched();
    }
}

/// Returns the variables that a step of the Action gets from inputs, as action.yml names them.
fn variables() -> Vec<String> {
    let action = fs::read_to_string(project("action.yml")).unwrap();
    let names = action.lines().filter_map(|line| line.trim().split_once(": ${{ inputs."));
    names.map(|(name, _)| name.to_owned()).filter(|name| name.starts_with("INPUT_")).collect()
}

#[test]
fn no_input_but_the_test_and_setup_commands_is_a_command() {
    let names = variables();
    assert!(names.len() >= 30, "{names:?}");
    let commands = ["INPUT_TEST_COMMAND", "INPUT_SETUP"];
    for hostile in names.iter().filter(|name| !commands.contains(&name.as_str())) {
        let folder = tempfile::tempdir().unwrap();
        let mut bash = Command::new("bash");
        bash.arg(project("action/run.sh")).current_dir(folder.path()).env_clear();
        bash.env("PATH", std::env::var("PATH").unwrap()).env("RUNNER_TEMP", folder.path());
        bash.env("PROGRAM", env!("CARGO_BIN_EXE_papayu-batch")).env("INPUT_JOB_TOKEN", "");
        for name in &names {
            let usual = match name.as_str() {
                "INPUT_MODE" => "fix",
                "INPUT_WORKING_DIRECTORY" => ".",
                "INPUT_TEST_COMMAND" => "false",
                "INPUT_PROVIDER" => "suggestions",
                _ => "",
            };
            bash.env(name, if name == hostile { HOSTILE } else { usual });
        }
        let output = bash.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{hostile}: {said}");
        let found =
            Command::new("find").arg(folder.path()).args(["-name", "pwned"]).output().unwrap();
        assert_eq!(String::from_utf8(found.stdout).unwrap(), "", "{hostile}");
        assert!(
            !said.contains("unbound variable") && !said.contains("not found"),
            "{hostile}: {said}"
        );
    }
}

/// Runs the check of who started a run, and returns whether it passes.
fn passes_gate(rig: &Rig, event: &str, actors: &str, variables: &[(&str, &str)]) -> bool {
    let mut bash = Command::new("bash");
    bash.arg(project("action/gate.sh"))
        .envs([("GITHUB_REPOSITORY", "o/r"), ("GITHUB_EVENT_NAME", event), ("ACTORS", actors)])
        .envs([("HEAD_REPOSITORY", ""), ("ALLOW_USERS", ""), ("ALLOW_BOTS", "")])
        .envs([("GITHUB_API_URL", rig.api_url.as_str()), ("GATE_TOKEN", READER)])
        .envs(variables.iter().copied());
    let ended = bash.output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert_eq!(ended.status.success(), !said.contains("::error "), "{ended:?}");
    assert!(!said.contains(READER) && !String::from_utf8_lossy(&ended.stderr).contains(READER));
    ended.status.success()
}

#[test]
fn forks_and_bots_that_are_not_listed_start_nothing() {
    let rig = Rig::new();
    for (event, actors, head, (users, bots), passes) in [
        ("push", "ann ann  ", "", ("", ""), true),
        ("push", "", "", ("", ""), false),
        ("workflow_run", "ann ann ann ann", "o/r", ("", ""), true),
        ("workflow_run", "ann ann eve eve", "eve/r", ("", ""), false),
        ("pull_request_target", "eve eve", "eve/r", ("eve", ""), false),
        ("workflow_run", "ann ann robot[bot] ann", "o/r", ("", ""), false),
        ("workflow_run", "ann ann robot[bot] ann", "o/r", ("", "other[bot], Robot[bot]"), true),
        ("workflow_run", "ann ann robot[bot] ann", "o/r", ("", "xrobot[bot]"), false),
        ("workflow_run", "ann ann ann ann", "", ("", ""), false),
        ("pull_request_target", "eve eve", "", ("", ""), false),
        ("push", "ann eve", "", ("ann", ""), false),
        ("push", "ann eve", "", ("Eve,ANN", ""), true),
        ("push", "a.n", "", ("ann", ""), false),
        ("issues", "eve eve", "", ("eve", ""), true),
        ("issues", "eve eve", "", ("ann", ""), false),
    ] {
        let variables = [("HEAD_REPOSITORY", head), ("ALLOW_USERS", users), ("ALLOW_BOTS", bots)];
        let passed = passes_gate(&rig, event, actors, &variables);
        assert_eq!(passed, passes, "{event} {actors} {users} {bots}");
    }
}

#[test]
fn the_permission_of_a_user_decides_and_not_how_the_user_is_called() {
    let rig = Rig::new();
    rig.set_state(
        &json!({ "roles": { "ann": "write", "max": "maintain", "adm": "admin", "tri": "triage",
        "mem": "read", "role": "custom-reader" } }),
    );
    // A member or collaborator with the role `read` has the same association as one who may write.
    let events = [
        "issue_comment", "issues", "pull_request", "pull_request_review", "commit_comment", "fork",
        "watch",
    ];
    for event in events {
        let head = [("HEAD_REPOSITORY", if event == "pull_request" { "o/r" } else { "" })];
        for (actors, passes) in [
            ("ann ann", true),
            ("max adm", true),
            ("mem mem", false),
            ("tri tri", false),
            ("ann mem", false),
            ("eve eve", false),
            ("role role", false),
            ("../../../user/repos ann", false),
            ("ann?x=1", false),
        ] {
            assert_eq!(passes_gate(&rig, event, actors, &head), passes, "{event} {actors}");
        }
    }
    // A comment by a user without rights starts another workflow, and the end of that workflow starts this one.
    let own = [("HEAD_REPOSITORY", "o/r")];
    assert!(!passes_gate(&rig, "workflow_run", "ann ann eve eve", &own));
    // GitHub lets only users who may write cause these.
    assert!(passes_gate(&rig, "workflow_dispatch", "somebody", &[]));
    for (path, status) in [("/collaborators/ann/", 404), ("/collaborators/ann/", 403)] {
        rig.faults(
            &json!([{ "method": "GET", "path": path, "status": status, "times": 1, "body": {} }]),
        );
        assert!(!passes_gate(&rig, "issues", "ann ann", &[]), "{status}");
    }
    assert!(!passes_gate(&rig, "issues", "ann ann", &[("GATE_TOKEN", "wrong")]));
    assert!(passes_gate(&rig, "issues", "ann ann", &[]));
}

#[test]
fn a_campaign_goes_through_each_repository_with_tokens_of_its_own_and_past_one_that_is_gone() {
    let mut scene = Scene::example("cron-campaign.yml");
    scene.facts["event_name"] = json!("schedule");
    scene.facts["event"] = json!({});
    // The campaign's own repository is another one, and its token opens nothing.
    scene.facts["github"]["repository"] = json!("o/campaign");
    let wrong = "wrong-token-of-a-stranger";
    scene.facts["tokens"] = json!({ "read": wrong, "write": wrong });
    scene.facts["secrets"] =
        json!({ "CAMPAIGN_READ_TOKEN": READER, "CAMPAIGN_WRITE_TOKEN": TOKEN });
    scene.facts["matrix"] = json!([
        { "repository": "o/gone", "test-command": "true" },
        { "repository": "o/r", "test-command": COMMAND },
    ]);
    let jobs = scene.run();
    let rows = &jobs["campaign"]["matrix"];
    assert_eq!(steps(&rows[0]["jobs"]["fix"])[0].1, "failure", "{jobs:#}");
    assert_eq!(rows[0]["jobs"]["publish"]["result"], "skipped", "{jobs:#}");
    assert_eq!(rows[1]["jobs"]["publish"]["result"], "success", "{jobs:#}");
    assert_eq!(scene.rig.branches().len(), 1);
    assert_eq!(scene.rig.state()["pulls"].as_array().unwrap().len(), 1);
}

#[test]
fn a_workflow_of_nothing_but_run_steps_shows_the_patch_and_stays_red() {
    let mut scene = Scene::example("self-contained-run.yml");
    scene.facts["event_name"] = json!("push");
    scene.facts["event"] = json!({});
    let archive = fs::read(built().join(format!("{ARCHIVE}.tar.gz"))).unwrap();
    scene.facts["env"] = json!({
        "RELEASES": format!("file://{}", built().display()),
        "ARCHIVE_SHA256": Sha256::of(&archive).to_string(),
    });
    let jobs = scene.run();
    assert_eq!(jobs["test"]["result"], "failure", "{jobs:#}");
    assert_eq!(
        steps(&jobs["test"]),
        [
            ("Check out", "success"),
            ("Test", "failure"),
            ("Install papayu-batch", "success"),
            ("Fix", "success")
        ],
        "{jobs:#}"
    );
    let summary = jobs["test"]["steps"][3]["summary"].as_str().unwrap();
    assert!(summary.contains("\n+    return result\n"), "{summary}");
    scene.assert_untouched();
}
