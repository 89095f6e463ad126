//! Findings of a scanner, fixed one after the other by the built program.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::fix::{CHECK, good, red};
use crate::support::{TestEnv, project_file};

/// A repository with two vulnerable requirements, and a test that passes.
fn vulnerable() -> TestEnv {
    let env = TestEnv::new();
    env.write("requirements.txt", "jinja2==2.11.2\nurllib3==1.26.20\n");
    env.write("check.sh", "grep -q 'urllib3==1' requirements.txt\n");
    env.write("report.json", &project_file("tests/findings/pip/report.json"));
    env
}

/// Returns the outcome and the package of each finding.
fn ends(end: &Value) -> Vec<(String, String)> {
    let text = |value: &'_ Value| value.as_str().map(str::to_owned).unwrap_or_default();
    let outcomes = end["outcomes"].as_array().unwrap().iter();
    outcomes.map(|it| (text(&it["outcome"]), text(&it["finding"]["package"]))).collect()
}

#[test]
fn a_hostile_report_runs_no_program_and_changes_nothing() {
    let env = vulnerable();
    let entry = |name: &str, fixed: &str| json!({ "name": name, "version": "2.11.2", "vulns": [{ "id": "X-1", "fix_versions": [fixed], "description": "::set-output name=x::y" }] });
    let report = json!([
        entry("--help", "9"),
        entry("a;touch owned", "9"),
        entry("../x", "9"),
        entry("@evil/x", "9"),
        entry(&"n".repeat(1 << 20), "9"),
        entry("jinja2", "2.11.3 --extra-index-url=https://evil"),
        entry("jinja2", "2.11.3\nevil==1"),
        entry("jinja2", "$(touch owned)"),
        entry("jinja2", "1.0"),
    ]);
    env.write("report.json", &report.to_string());
    let ran =
        env.run(&["fix", "--findings", "report.json", "--run", "sh check.sh", "--format", "json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(ends(&ran.json()), [("not_fixed".into(), "jinja2".into())]);
    assert!(!env.repo().join("owned").exists());
    assert_eq!(env.read("requirements.txt"), "jinja2==2.11.2\nurllib3==1.26.20\n");
}

#[test]
fn each_finding_is_a_run_and_one_that_breaks_the_command_does_not_stop_the_others() {
    let env = vulnerable();
    let arguments = [
        "fix", "--findings", "report.json", "--run", "sh check.sh", "--format", "json", "--out",
        "results",
    ];
    let ran = env.run(&arguments);
    assert_eq!(ran.code, 1, "{ran:?}");
    let end = ran.json();
    assert_eq!(
        ends(&end),
        [("fixed".into(), "jinja2".into()), ("not_fixed".into(), "urllib3".into())]
    );
    let outcome = &end["outcomes"][0];
    assert_eq!(
        outcome["finding"],
        json!({
            "advisory": "PYSEC-2021-66", "ecosystem": "PyPI", "package": "jinja2", "severity": "unknown",
            "title": outcome["finding"]["title"], "file": "requirements.txt", "from": "2.11.2", "to": "2.11.3",
            "updated_by": "an edit of `requirements.txt`", "other_files": [], "proof": "version",
        })
    );
    assert_ne!(outcome["fingerprint"], end["outcomes"][1]["fingerprint"]);
    let patch = env.read("results/finding-001/papayu.patch");
    assert!(patch.contains("-jinja2==2.11.2\n+jinja2==2.11.3\n"), "{patch}");
    assert_eq!(env.read("requirements.txt"), "jinja2==2.11.2\nurllib3==1.26.20\n");
}

#[test]
fn a_package_in_two_files_is_fixed_in_both_or_not_at_all() {
    let env = vulnerable();
    env.write("check.sh", "grep -q jinja2 requirements.txt\n");
    env.write("tools/requirements-dev.txt", "jinja2==2.10\nurllib3==1.25 --hash=sha256:abc\n");
    let arguments =
        ["fix", "--findings", "report.json", "--run", "sh check.sh", "--format", "json"];
    let ran = env.run(&[&arguments[..], &["--emit", "worktree"]].concat());
    assert_eq!(ran.code, 1, "{ran:?}");
    let end = ran.json();
    let (both, one) = (&end["outcomes"][0], &end["outcomes"][1]);
    assert_eq!((&both["outcome"], &one["outcome"]), (&json!("fixed"), &json!("not_fixed")));
    let others = &both["finding"]["other_files"];
    assert_eq!(others[0]["file"], "tools/requirements-dev.txt");
    assert_eq!((&others[0]["from"], &others[0]["to"]), (&json!("2.10"), &json!("2.11.3")));
    assert!(both["reason"].to_string().contains("in 2 files"), "{both}");
    let reason = one["reason"].as_str().unwrap();
    assert!(
        reason.contains("`tools/requirements-dev.txt`: its requirement has hashes"),
        "{reason}"
    );
    assert!(reason.contains("`requirements.txt` would be updated"), "{reason}");
    assert_eq!(env.read("requirements.txt"), "jinja2==2.11.3\nurllib3==1.26.20\n");
    let tools = env.read("tools/requirements-dev.txt");
    assert_eq!(tools, "jinja2==2.11.3\nurllib3==1.25 --hash=sha256:abc\n");
}

#[test]
fn kept_changes_add_up_and_a_second_call_finds_nothing_left() {
    let env = vulnerable();
    env.write("check.sh", "grep -q jinja2 requirements.txt\n");
    let arguments =
        ["fix", "--findings", "report.json", "--run", "sh check.sh", "--emit", "worktree"];
    let ran = env.run(&arguments);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.ends_with("fixed 2 of 2 findings\n"), "{ran:?}");
    assert_eq!(env.read("requirements.txt"), "jinja2==2.11.3\nurllib3==2.5.0\n");
    let ran = env.run(&arguments);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("nothing to fix: PYSEC-2021-66:jinja2"), "{ran:?}");
}

#[test]
fn the_scanner_decides_when_it_is_named() {
    let env = vulnerable();
    env.write("check.sh", "true\n");
    // It reports what is still there, and ends with 1 as scanners do.
    env.write(
        "scan.sh",
        "v=$(sed -n 's/^jinja2==//p' requirements.txt)\ncase $v in 2.11.2|$WORSE) x='{\"id\":\"PYSEC-2021-66\",\"fix_versions\":[]}';; esac\necho \"[{\\\"name\\\":\\\"jinja2\\\",\\\"version\\\":\\\"$v\\\",\\\"vulns\\\":[$x]}]\"\nexit 1\n",
    );
    let arguments =
        ["fix", "--findings", "report.json", "--run", "sh check.sh", "--format", "json", "--scan"];
    let ends_with = |scan: &str| {
        let end = env.run(&[&arguments[..], &[scan]].concat()).json();
        let first = &end["outcomes"][0];
        (first["outcome"].clone(), first["finding"]["proof"].clone(), first["reason"].to_string())
    };
    let (outcome, proof, _) = ends_with("sh scan.sh");
    assert_eq!((outcome, proof), (json!("fixed"), json!("scanner")));
    let (outcome, proof, reason) = ends_with("env WORSE=2.11.3 sh scan.sh");
    assert_eq!((outcome, proof), (json!("not_fixed"), json!(null)));
    assert!(reason.contains("still reports PYSEC-2021-66:jinja2"), "{reason}");
    let (outcome, ..) = ends_with("echo []");
    assert_eq!(
        outcome,
        json!("nothing_to_fix"),
        "a scanner that is silent before the change proves nothing"
    );
    let (outcome, _, reason) = ends_with("echo no report");
    assert_eq!(outcome, json!("not_fixed"));
    assert!(reason.contains("cannot be read"), "{reason}");
}

#[test]
fn a_report_of_another_kind_is_an_error_with_the_reason() {
    let env = vulnerable();
    for (text, words) in [
        ("{\"runs\": []}", "--sarif FILE"),
        ("not json", "no JSON"),
        ("{\"error\": {\"summary\": \"no lockfile\"}}", "the scanner failed: no lockfile"),
    ] {
        env.write("report.json", text);
        let ran = env.run(&["fix", "--findings", "report.json", "--run", "true"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(words), "{ran:?}");
    }
    let ran = env.run(&["fix", "--snyk-project", "p", "--run", "true"]);
    assert!(ran.code == 2 && ran.stderr.contains("PAPAYU_SNYK_TOKEN"), "{ran:?}");
}

#[test]
fn a_property_of_a_pom_is_updated_for_each_advisory() {
    let env = TestEnv::new();
    env.write("pom.xml", &project_file("tests/findings/maven/pom.xml"));
    env.write("report.json", &project_file("tests/findings/maven/report.json"));
    let arguments = ["fix", "--findings", "report.json", "--run", "grep -q demo pom.xml"];
    let ran = env.run(&[&arguments[..], &["--emit", "worktree", "--format", "json"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let end = ran.json();
    let to: Vec<_> = (0..2).map(|at| end["outcomes"][at]["finding"]["to"].clone()).collect();
    assert_eq!(to, ["2.15.0", "2.16.0"]);
    let pom = env.read("pom.xml");
    assert!(pom.contains("<log4j.version>2.16.0<") && pom.contains("<version>2.14.1<"), "{pom}");
}

#[test]
fn a_task_of_a_batch_with_a_report_is_one_task_a_finding() {
    let env = vulnerable();
    env.write("check.sh", "grep -q jinja2 requirements.txt\n");
    let manifest = "[[repositories]]\nrepo = \".\"\nname = \"shop\"\nfindings = \"report.json\"\nrun = \"sh check.sh\"\n";
    env.write("repos.toml", manifest);
    let ran = env.run(&["batch", "repos.toml", "--format", "json", "--out", "../nightly"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let summary = ran.json();
    let rows = summary["tasks"].as_array().unwrap().iter();
    let mut rows: Vec<_> = rows.map(|it| (it["key"].clone(), it["outcome"].clone())).collect();
    rows.sort_by_key(|(key, _)| key.to_string());
    assert_eq!(
        rows,
        [
            (json!("shop#PYSEC-2021-66:jinja2"), json!("fixed")),
            (json!("shop#PYSEC-2026-1999:urllib3"), json!("fixed")),
        ]
    );
}

/// Makes a proxy of Go's modules with two versions of a module, and a workspace of two modules that are not published.
const GO_WORKSPACE: &str = r#"
import os, zipfile
for version in ("v1.0.0", "v1.0.1"):
    place = "../proxy/example.com/evil/@v"
    os.makedirs(place, exist_ok=True)
    files = {"go.mod": "module example.com/evil\n\ngo 1.18\n", "evil.go": "package evil\n\nconst Version = \"%s\"\n" % version}
    open(f"{place}/list", "a").write(version + "\n")
    open(f"{place}/{version}.info", "w").write('{"Version":"%s","Time":"2024-01-01T00:00:00Z"}' % version)
    open(f"{place}/{version}.mod", "w").write(files["go.mod"])
    with zipfile.ZipFile(f"{place}/{version}.zip", "w") as packed:
        for name, text in files.items():
            packed.writestr(f"example.com/evil@{version}/{name}", text)
"#;

#[test]
fn a_module_of_a_workspace_of_go_is_updated_with_the_modules_beside_it() {
    let env = TestEnv::new();
    env.write("../make.py", GO_WORKSPACE);
    assert_eq!(env.shell("python3 ../make.py").code, 0);
    env.write("go.work", "go 1.18\n\nuse (\n\t./app\n\t./lib\n)\n");
    env.write("lib/go.mod", "module example.com/lib\n\ngo 1.18\n");
    env.write("lib/lib.go", "package lib\n\nfunc One() int { return 1 }\n");
    let module = "module example.com/app\n\ngo 1.18\n\nrequire example.com/evil v1.0.0\n";
    env.write("app/go.mod", module);
    let program = "package main\n\nimport (\n\t\"example.com/evil\"\n\t\"example.com/lib\"\n)\n\nfunc main() { println(evil.Version, lib.One()) }\n";
    env.write("app/main.go", program);
    let osv = json!({ "results": [{ "source": { "path": "app/go.mod", "type": "lockfile" }, "packages": [{
        "package": { "name": "example.com/evil", "version": "1.0.0", "ecosystem": "Go" },
        "vulnerabilities": [{ "id": "GO-2024-0001", "summary": "evil", "affected": [{
            "package": { "name": "example.com/evil", "ecosystem": "Go" },
            "ranges": [{ "type": "SEMVER", "events": [{ "introduced": "0" }, { "fixed": "1.0.1" }] }] }] }] }] }] });
    env.write("report.json", &osv.to_string());
    let proxy = format!("file://{}", env.repo().with_file_name("proxy").display());
    // The sandbox lets commands write to a cache that exists.
    let cache = env.home().join("modules");
    assert_eq!(env.shell(&format!("mkdir '{}'", cache.display())).code, 0);
    let variables = [
        ("GOPROXY", proxy.as_str()),
        ("GOSUMDB", "off"),
        ("GOTOOLCHAIN", "local"),
        ("GOMODCACHE", cache.to_str().unwrap()),
    ];
    let run = "cd app && go build -o /dev/null .";
    let arguments = [
        "fix", "--run", run, "--findings", "report.json", "--emit", "worktree", "--format", "json",
    ];
    let ran = env.run_with(&arguments, &variables);
    // Go makes its cache read-only.
    let _ = env.shell(&format!("chmod -R u+w '{}'", cache.display()));
    let end = ran.json();
    assert_eq!(end["outcomes"][0]["outcome"], "fixed", "{ran:?}");
    assert_eq!(env.read("app/go.mod"), module.replace("v1.0.0", "v1.0.1"));
    assert!(env.read("app/go.sum").contains("example.com/evil v1.0.1 h1:"));
}

/// Returns a SARIF report of Snyk Code with one result in the checked file.
fn sarif() -> String {
    let place = json!({"artifactLocation": {"uri": "answer.py"}, "region": {"startLine": 1}});
    json!({"version": "2.1.0", "runs": [{
        "tool": {"driver": {"name": "SnykCode"}},
        "results": [{
            "ruleId": "snyk/hardcoded-answer", "level": "error",
            "message": {"text": "the answer is hard coded"},
            "locations": [{"physicalLocation": place}],
        }],
    }]})
    .to_string()
}

#[test]
fn findings_beside_a_red_command_reach_request_outcome_reports_and_other_agents() {
    let env = red();
    env.write("scan.sarif", &sarif());
    let model = good();
    let variables = [&model.variables()[..], &[("PAPAYU_AGENT_SYNC", "1")]].concat();
    let arguments = ["fix", "--run", CHECK, "--sarif", "scan.sarif"];
    let outcome = env.outcome(&arguments, &variables);
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    let first = &model.prompts()[0];
    let (failures, findings) = first.split_once("## FINDINGS OF SCANNERS").unwrap();
    assert!(failures.contains("expected 42, found 41"), "{first}");
    assert!(
        findings.contains("the answer is hard coded") && findings.contains("answer.py:1"),
        "{first}"
    );
    let expected = json!([{
        "source": "snyk", "code": "snyk/hardcoded-answer", "path": "answer.py", "line": 1,
        "message": "the answer is hard coded",
    }]);
    assert_eq!(outcome["findings"], expected);
    // The command alone decides what is a failure.
    assert_eq!(outcome["verify"]["before"]["failures"].as_array().map(Vec::len), Some(1));
    let report = env.read("results/report.md");
    assert!(
        report.contains("### Findings of scanners (1)") && report.contains("hard coded"),
        "{report}"
    );
    let sync: Value = serde_json::from_str(&env.read(".papa-yu/agent-sync.json")).unwrap();
    assert_eq!(
        (&sync["findings_count"], &sync["snyk_findings"][0]["title"]),
        (&json!(2), &json!("snyk/hardcoded-answer"))
    );
    assert_eq!(sync["snyk_findings"][0]["fixed"], false);
    let _ = env.run_with(&arguments, &good().variables());
    let shown = env.run(&["runs", "show"]).stdout;
    let line = "finding    answer.py:1: snyk/hardcoded-answer: the answer is hard coded\n";
    assert!(shown.contains(line), "{shown}");
    // A command that passes leaves the findings out.
    let again = env.outcome(&["fix", "--run", "true", "--sarif", "scan.sarif"], &model.variables());
    assert_eq!(again["outcome"], "nothing_to_fix", "{again:#}");
}

/// Serves two pages of issues of Snyk and returns the address of the API.
fn serve_snyk() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/rest", listener.local_addr().unwrap());
    let issue = |key: &str, status: &str, place: Value| {
        json!({"attributes": {
            "key": key, "title": "SQL Injection", "status": status, "ignored": false,
            "effective_severity_level": "high", "coordinates": [{"representations": [place]}],
        }})
    };
    let code = json!({"sourceLocation": {"file": "answer.py", "region": {"start": {"line": 2}}}});
    let package = json!({"dependency": {"package_name": "jinja2", "package_version": "2.11.2"}});
    let first = json!({
        "data": [issue("code-1", "open", code), issue("old", "resolved", json!({}))],
        "links": {"next": "/rest/orgs/o/issues?page=2"},
    });
    let second = json!({"data": [issue("SNYK-PYTHON-JINJA2-1", "open", package)]});
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut bytes = [0; 8192];
            let length = stream.read(&mut bytes).unwrap();
            let request = String::from_utf8_lossy(&bytes[..length]).into_owned();
            let is_allowed = request.contains("uthorization: token s3cret");
            let body = match (is_allowed, request.contains("page=2")) {
                (true, true) => second.to_string(),
                (true, false) => first.to_string(),
                (false, _) => json!({"errors": [{"title": "Unauthorized"}]}).to_string(),
            };
            let status = if is_allowed { "200 OK" } else { "401 Unauthorized" };
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(format!("{head}{body}").as_bytes());
        }
    });
    url
}

#[test]
fn issues_of_snyk_are_read_with_each_run_if_the_user_asks_for_it() {
    let url = serve_snyk();
    let run = |token: &str| {
        let (env, model) = (red(), good());
        let own = [
            ("PAPAYU_SNYK_SYNC", "1"),
            ("PAPAYU_SNYK_TOKEN", token),
            ("PAPAYU_SNYK_ORG", "o"),
            ("PAPAYU_SNYK_API_URL", &url),
        ];
        let outcome =
            env.outcome(&["fix", "--run", CHECK], &[&model.variables()[..], &own].concat());
        assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
        let sync: Value = serde_json::from_str(&env.read(".papa-yu/agent-sync.json")).unwrap();
        (outcome, sync, model.prompts().remove(0))
    };
    let (outcome, sync, first) = run("s3cret");
    let titles: Vec<_> =
        sync["snyk_findings"].as_array().unwrap().iter().map(|it| &it["title"]).collect();
    assert_eq!(titles, ["code-1", "SNYK-PYTHON-JINJA2-1"]);
    assert_eq!(
        (&outcome["findings"][0]["path"], &outcome["findings"][0]["line"]),
        (&json!("answer.py"), &json!(2))
    );
    assert_eq!(outcome["findings"][1]["message"], "SQL Injection in jinja2 2.11.2 (high)");
    assert!(first.contains("## FINDINGS OF SCANNERS") && first.contains("code-1"), "{first}");
    // Without an answer of Snyk the run goes on.
    let (outcome, sync, first) = run("wrong");
    assert_eq!((&outcome["findings"], &sync["snyk_findings"]), (&Value::Null, &Value::Null));
    assert!(!first.contains("FINDINGS OF SCANNERS"));
    // The repository cannot turn it on.
    let env = red();
    env.write("papayu.toml", "[snyk]\nsync = true\n");
    let ran = env.run(&["doctor"]);
    assert!(ran.code == 2 && ran.stderr.contains("snyk.sync"), "{ran:?}");
}
