//! Every request to GitHub, and every answer of the stand-in for it, held to GitHub's own description.
//!
//! Prism stands between the two: a request or an answer that the description does not allow becomes an
//! error that the program cannot overlook.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::forge_rig::{Rig, TOKEN};
use crate::judges;

/// The proxy; it ends when it is dropped.
pub(crate) struct Prism {
    process: Child,
    log: std::path::PathBuf,
}

impl Prism {
    /// Puts the proxy before the stand-in of a rig; `description` is the name of the forge's description.
    pub(crate) fn before(rig: &mut Rig, description: &str) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let log = rig.at("prism.log");
        let process = Command::new("node")
            .arg("--require")
            .arg(judges::beside("prism_redirects.cjs"))
            .arg(judges::home().join("node_modules/@stoplight/prism-cli/dist/index.js"))
            .args(["proxy", "--errors", "--host", "127.0.0.1", "--port", &free.port().to_string()])
            .arg(judges::home().join(format!("{description}.json")))
            .arg(&rig.api_url)
            .stdout(Stdio::from(fs::File::create(&log).unwrap()))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        for _ in 0..600 {
            if TcpStream::connect(free).is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        rig.api_url = format!("http://{free}");
        rig.log_hosts = rig.github.url.trim_start_matches("http://").to_owned();
        Self { process, log }
    }

    /// Every call was one that the description knows, on both sides.
    pub(crate) fn assert_satisfied(&self) {
        let log = fs::read_to_string(&self.log).unwrap();
        let faults: Vec<&str> =
            log.lines().filter(|line| line.to_lowercase().contains("violation")).collect();
        assert_eq!(faults, Vec::<&str>::new(), "{log}");
        assert!(log.contains("[PROXY]") || log.contains("Forwarding"), "{log}");
    }
}

impl Drop for Prism {
    fn drop(&mut self) {
        // It may have ended already; there is nobody to tell.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns a rig with the proxy before its stand-in.
pub(crate) fn rig() -> (Rig, Prism) {
    let description = judges::home().join("github.json");
    let mut rig = Rig::with(&["--page", "1", "--description", description.to_str().unwrap()]);
    let prism = Prism::before(&mut rig, "github");
    (rig, prism)
}

#[test]
fn a_pull_request_is_opened_dressed_updated_and_reopened_by_the_book() {
    let (rig, prism) = rig();
    let dress = ["--draft", "--label", "ci", "--label", "fix", "--reviewer", "ann", "--check-run"];
    let run = rig.fix(&[&["--emit", "pr"], &dress[..]].concat());
    assert_eq!((run.end(), &run.outcome["notices"]), ((0, "fixed", None), &json!([])), "{run:?}");
    rig.reply("return 1 + 1");
    let mut pulls = rig.state()["pulls"].clone();
    pulls[0]["state"] = json!("closed");
    rig.set_state(&json!({ "pulls": pulls }));
    let run = rig.fix(&["--emit", "pr", "--reopen"]);
    assert_eq!(
        (run.end(), run.outcome["pr_number"].as_u64()),
        ((0, "fixed", None), Some(1)),
        "{run:?}"
    );
    let state = rig.state();
    assert_eq!(
        (&state["pulls"][0]["state"], &state["labels"]["1"]),
        (&json!("open"), &json!(["ci", "fix"]))
    );
    assert_eq!(state["checks"].as_array().unwrap().len(), 1);
    prism.assert_satisfied();
}

#[test]
fn an_app_signs_in_by_the_book() {
    let (rig, prism) = rig();
    let key = rig.at("app.pem").to_str().unwrap().to_owned();
    let made =
        Command::new("openssl").args(["genrsa", "-traditional", "-out", &key, "2048"]).output();
    assert!(made.unwrap().status.success());
    let app = [("PAPAYU_GITHUB_APP_ID", "123"), ("PAPAYU_GITHUB_APP_KEY_FILE", key.as_str())];
    let run = rig.fix_with(&["--emit", "pr"], &app);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    prism.assert_satisfied();
}

#[test]
fn limits_and_refusals_of_the_book_are_understood() {
    let (rig, prism) = rig();
    let documentation = "https://docs.github.com/rest";
    rig.faults(&json!([
        { "method": "POST", "path": "/pulls", "status": 403, "times": 1, "headers": { "Retry-After": "1" },
          "body": { "message": "You have exceeded a secondary rate limit.", "documentation_url": documentation } },
        { "method": "POST", "path": "/labels", "status": 422, "times": 1,
          "body": { "message": "Validation Failed", "documentation_url": documentation,
                    "errors": [{ "resource": "Label", "field": "name", "code": "invalid" }] } },
    ]));
    let run = rig.fix(&["--emit", "pr", "--label", "x"]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    assert!(run.outcome["notices"][0].as_str().unwrap().contains("Label name invalid"), "{run:?}");
    prism.assert_satisfied();
}

#[test]
fn jobs_issues_and_check_runs_of_many_lines_are_asked_for_by_the_book() {
    let (rig, prism) = rig();
    let job =
        |id: u64, conclusion: &str| json!({ "id": id, "name": "lint", "conclusion": conclusion });
    rig.set_state(&json!({
        "jobs": { "76": [job(4, "success")], "77": [job(1, "success"), job(2, "success")], "78": [job(3, "failure")] },
        "runs": {
            "76": { "id": 76, "workflow_id": 9, "head_branch": "main", "conclusion": "success" },
            "78": { "id": 78, "workflow_id": 9, "head_branch": "main", "conclusion": "failure" },
        },
        "logs": {
            "3": "2026-01-01T00:00:00.0000000Z src/a.ts(1,2): error TS2304: Cannot find name 'x'.\n",
            "4": "2026-01-01T00:00:00.0000000Z found 0 errors\n",
        },
        "issues": { "5": { "title": "Off by one", "body": "two() is wrong" } },
    }));
    let words = ["fix", "--github-run", "78", "--provider", "suggestions"];
    let run = rig.call(&words, &[("GITHUB_TOKEN", TOKEN)]);
    assert_eq!((run.code, run.text("failure_class")), (1, "code"), "{run:?}");
    assert!(!run.stderr.contains("is not used"), "{run:?}");
    let run = rig.call(&["fix", "--github-run", "77"], &[("GITHUB_TOKEN", TOKEN)]);
    assert_eq!(run.end(), (2, "usage_error", None), "{run:?}");
    assert_eq!(run.text("reason"), "no job of run 77 has failed");
    let lines = (1..=120)
        .map(|line| format!("src/a.ts({line},1): error TS2304: Cannot find name 'x{line}'.\n"));
    fs::write(rig.at("build.log"), lines.collect::<String>()).unwrap();
    let log = rig.at("build.log").to_str().unwrap().to_owned();
    let words = ["fix", "--log", &log, "--issue", "5", "--check-run", "--provider", "suggestions"];
    let run = rig.call(&words, &[("GITHUB_TOKEN", TOKEN)]);
    assert_eq!((run.code, &run.outcome["notices"]), (1, &json!([])), "{run:?}");
    let state = rig.state();
    let batches = state["checks"][0]["batches"].as_array().unwrap();
    assert!(batches.len() > 1, "{batches:?}");
    prism.assert_satisfied();
}
