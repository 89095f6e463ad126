//! Secrets by every way on which text leaves the program.
#![expect(clippy::print_stdout, reason = "the counts are printed with `--nocapture`")]

use std::fs;

use serde_json::{Value, json};

use super::forms::{Printed, Sample, plain_values, printed, samples};
use crate::forge_rig::{Rig, TOKEN, text_below};
use crate::model::{Model, plan};
use crate::support::TestEnv;

/// A named text that left the program.
type Left = (String, String);

/// Secrets that one run gets: known values in one form each, and texts with secrets of known forms.
struct Load {
    variables: Vec<(String, String)>,
    printed: Vec<Printed>,
    samples: Vec<Sample>,
}

const LOADS: usize = 4;

fn loads() -> Vec<Load> {
    let values = plain_values(220);
    let mut all_samples = samples(7);
    (0..LOADS)
        .map(|number| {
            let own = values.iter().enumerate().filter(|(at, _)| at % LOADS == number);
            let variables =
                own.clone().map(|(at, value)| (format!("SERVICE_{at}_TOKEN"), value.clone()));
            let one_form = |(at, value): (usize, &String)| {
                let mut forms = printed(value);
                forms.swap_remove((at / LOADS) % forms.len())
            };
            let rest = all_samples.len().saturating_sub(all_samples.len() / (LOADS - number));
            Load {
                variables: variables.collect(),
                printed: own.map(one_form).collect(),
                samples: all_samples.split_off(rest),
            }
        })
        .collect()
}

impl Load {
    /// Returns all secrets as lines that a failure reader takes for failures.
    fn lines(&self) -> Vec<String> {
        let known = self.printed.iter().map(|it| &it.text);
        let lines = known.chain(self.samples.iter().map(|it| &it.text));
        lines
            .zip(1..)
            .map(|(text, number)| format!("value.py:{number}: error: <<{text}>>"))
            .collect()
    }

    fn variables(&self) -> Vec<(&str, &str)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    /// Fails if a known value is shown; returns the ways on which secrets of a known form were shown.
    fn find_shown(&self, left: &[Left]) -> Vec<String> {
        let mut shown = Vec::new();
        let (known, formed) = (self.printed.len(), self.samples.len());
        println!("{known} known values and {formed} keys of services by {} ways", left.len());
        for (way, text) in left {
            for Printed { form, part, .. } in &self.printed {
                let in_json = serde_json::to_string(part).unwrap();
                let in_json = in_json.get(1..in_json.len() - 1).unwrap();
                let place = text.find(part.as_str()).or_else(|| text.find(in_json));
                let place = place.map(|at| {
                    text.get(at.saturating_sub(60)..)
                        .map(|it| it.chars().take(200).collect::<String>())
                });
                assert_eq!(place, None, "{form} {part:?} by {way}");
            }
            let of_form = self.samples.iter().filter(|sample| text.contains(&sample.secret));
            shown.extend(of_form.map(|sample| format!("{way}: {}", sample.text)));
        }
        shown
    }
}

/// Returns the files below a folder by name, without those in `inputs`.
fn files_below(folder: &std::path::Path, inputs: &[&str]) -> Vec<Left> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            files.extend(files_below(&path, inputs));
        } else if !inputs.contains(&name.as_str()) {
            files.push((path.display().to_string(), text_below(&path)));
        }
    }
    files
}

/// Makes a repository with the secrets in its sources and in what its command prints.
fn repository_with(load: &Load) -> TestEnv {
    let env = TestEnv::new();
    env.write("value.py", "value = 1\n");
    for (number, line) in (0..).zip(load.lines()) {
        // In a log, in a source file that is shown, and in the goal.
        env.write(&format!("part_{}.py", number % 3), &format!("# {line}\n"));
    }
    env.write("build.in", &load.lines().join("\n"));
    env.write("check.sh", "cat build.in\nexit 1\n");
    env
}

/// Runs the program on a repository that is full of the secrets, and returns what left it.
fn run_without_fix(load: &Load) -> Vec<Left> {
    let env = repository_with(load);
    let all = load.lines().join("\n");
    let model = Model::serve([
        json!({"actions": [], "summary": "looks", "context_requests": [
            {"type": "read_file", "path": "part_0.py"}, {"type": "read_file", "path": "part_1.py"},
            {"type": "search", "query": "error"}, {"type": "logs", "source": "runtime", "last_n": 200}]}),
        plan("NO_CHANGES: nothing"),
        json!({ "refusal": all }),
    ]);
    let at = |name: &str| env.repo().join(name).to_str().unwrap().to_owned();
    let (summary, outputs) = (at("summary.out"), at("outputs.out"));
    let variables = [
        model.variables(),
        load.variables(),
        vec![
            ("PAPAYU_TRACE_RAW", "1"),
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_STEP_SUMMARY", summary.as_str()),
            ("GITHUB_OUTPUT", outputs.as_str()),
        ],
    ]
    .concat();
    let goal = load.lines().into_iter().take(9).collect::<Vec<_>>().join("; ");
    let results = ["--out", "results", "--junit-out", "j.out", "--sarif-out", "s.out"];
    let runs: [&[&str]; 3] = [
        &["fix", "--run", "sh check.sh", "--record", "r.out", "--log-format", "json", "--verbose"],
        &["fix", "--log", "build.in", "--run", "sh check.sh", "--record", "r2.out"],
        &["plan", "--goal", &goal, "--run", "sh check.sh", "--record", "r3.out"],
    ];
    let mut left = Vec::new();
    for run in runs {
        // `plan` writes no reports for CI systems.
        let files = if run.first() == Some(&"plan") { &results[..2] } else { &results[..] };
        let ran = env.run_with(&[run, files].concat(), &variables);
        assert!(ran.code == 1 || ran.code == 3, "{ran:?}");
        left.push(("stdout".to_owned(), ran.stdout));
        left.push(("stderr".to_owned(), ran.stderr));
        left.extend(files_below(
            &env.repo(),
            &["build.in", "part_0.py", "part_1.py", "part_2.py", "check.sh"],
        ));
    }
    left.extend(files_below(&env.home(), &[]));
    left.extend(model.prompts().into_iter().map(|prompt| ("request".to_owned(), prompt)));
    let seen = model.prompts().concat();
    assert!(seen.contains("<<***>>") && seen.contains("error: "), "{seen}");
    for way in [
        "outcome.json", "log.txt", "report.md", "j.out", "s.out", "r.out", "r3.out", "summary.out",
        "traces/",
    ] {
        assert!(left.iter().any(|(name, _)| name.contains(way)), "{way}");
    }
    left
}

#[test]
fn a_run_without_a_fix_shows_no_secret_to_model_files_or_screen() {
    let mut shown = Vec::new();
    let mut tried = 0;
    for load in loads() {
        let left = run_without_fix(&load);
        tried += left.len() * load.samples.len();
        shown.extend(load.find_shown(&left));
    }
    assert!(shown.len() * 50 <= tried, "{} of {tried} shown: {shown:#?}", shown.len());
}

#[test]
fn a_published_fix_shows_no_secret_to_the_forge_in_commits_or_bundles() {
    let load = loads().swap_remove(0);
    let rig = Rig::new();
    let leak = rig.at("leak.txt");
    fs::write(&leak, load.lines().join("\n")).unwrap();
    let test = format!(
        "import unittest\n\nfrom value import two\n\n\nclass ValueTest(unittest.TestCase):\n    def test_two_is_two(self):\n        \
         leak = open({leak:?}).read()\n        print(leak)\n        self.assertEqual(two(), 2, leak)\n"
    );
    rig.write("test_value.py", &test);
    rig.commit("Add a talkative test");
    rig.git(&["push", "-q", rig.at("remote/o/r.git").to_str().unwrap(), "main"]);
    let reply = fs::read_to_string(rig.at("reply.json")).unwrap();
    let mut reply: Value = serde_json::from_str(&reply).unwrap();
    reply["summary"] = load.lines().join(" ").into();
    fs::write(rig.at("reply.json"), reply.to_string()).unwrap();
    let (summary, output) = (rig.at("summary.out"), rig.at("output.out"));
    let variables = [
        load.variables(),
        vec![
            ("GITHUB_TOKEN", TOKEN),
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
            ("GITHUB_OUTPUT", output.to_str().unwrap()),
        ],
    ]
    .concat();
    let run = rig
        .fix_with(&["--emit", "pr,bundle", "--check-run", "--sarif-out", "../s.out"], &variables);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    // The forge answers with what it received.
    rig.faults(&json!([{ "method": "POST", "path": "/check-runs", "status": 422, "times": 9,
        "body": { "message": load.lines().join(" "), "errors": [{ "message": load.lines().join(" ") }] } }]));
    let refused = rig.fix_with(&["--emit", "bundle", "--check-run"], &variables);
    let state = rig.state();
    assert_eq!(state["pulls"].as_array().unwrap().len(), 1);
    let mut left = vec![
        ("forge".to_owned(), state.to_string()),
        ("pull request".to_owned(), state["pulls"][0]["body"].as_str().unwrap().to_owned()),
        ("commit".to_owned(), rig.remote(&["log", "--format=%B", &rig.branches()[0], "-1"])),
        ("outcome of a refusal".to_owned(), refused.outcome.to_string()),
    ];
    for run in [run, refused] {
        left.push(("stdout".to_owned(), run.stdout));
        left.push(("stderr".to_owned(), run.stderr));
    }
    left.extend(files_below(&rig.at("out"), &[]));
    left.extend(files_below(&rig.at("repo/.papa-yu"), &[]));
    for file in [summary, output, rig.at("s.out")] {
        left.push((file.display().to_string(), text_below(&file)));
    }
    assert!(left.iter().any(|(name, _)| name.ends_with("bundle/manifest.json")), "{left:?}");
    let shown = load.find_shown(&left);
    assert!(shown.len() * 50 <= left.len() * load.samples.len(), "{shown:#?}");
}
