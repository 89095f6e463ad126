//! A program of the user as the model: its prompt, its environment, its limits and its failures.

use serde_json::{Value, json};

use crate::fix::{CHECK, red};
use crate::support::TestEnv;

/// A program that keeps its prompt and its variables, and replies with the fix of `answer.py`.
const PROGRAM: &str = r#"import json, os, re, sys
prompt = sys.stdin.read()
open("prompt.txt", "a").write(prompt)
json.dump(dict(os.environ), open("variables.json", "w"))
sha = re.search(r"FILE\[answer\.py\] \(sha256=([0-9a-f]{64})\)", prompt).group(1)
patch = "@@ -1,3 +1,3 @@\n # the answer\n-41\n+42\n # the end\n"
action = {"kind": "PATCH_FILE", "path": "answer.py", "base_sha256": sha, "patch": patch}
print("Here is the change:\n```json")
print(json.dumps({"actions": [action], "summary": "writes 42"}))
print("```")
print("a warning", file=sys.stderr)
"#;

/// Returns a repository with a failing check, and the program in the folder above it.
fn with_program(program: &str) -> TestEnv {
    let env = red();
    env.write("../model.py", program);
    env
}

/// Returns the variables that name the program.
fn variables<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let own = [
        ("PAPAYU_LLM_PROVIDER", "command"),
        ("PAPAYU_LLM_COMMAND", "python3 ../model.py --quick"),
        ("PAPAYU_JUDGE", "off"),
    ];
    [&own[..], more].concat()
}

#[test]
fn a_program_answers_with_the_environment_of_the_user_and_the_run_can_be_replayed() {
    let env = with_program(PROGRAM);
    let more = [("ANTHROPIC_API_KEY", "of-the-user"), ("PAPAYU_LLM_API_KEY", "of-this-program")];
    let arguments = ["fix", "--run", CHECK, "--record", "session.jsonl"];
    let outcome = env.outcome(&arguments, &variables(&more));
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    assert_eq!((&outcome["provider"], &outcome["model"]), (&json!("command"), &json!("python3")));
    // What it cost is not known, which is not the same as nothing.
    assert_eq!((&outcome["cost_usd"], &outcome["requests"]), (&Value::Null, &json!(1)));
    let prompt = env.read("prompt.txt");
    assert!(prompt.contains("expected 42, found 41"), "{prompt}");
    assert!(
        prompt.ends_with("Reply with the JSON object alone. Use no tools and change no files.\n")
    );
    let seen: Value = serde_json::from_str(&env.read("variables.json")).unwrap();
    assert_eq!(seen["ANTHROPIC_API_KEY"], "of-the-user");
    assert_eq!(seen["HOME"], env.home().to_str().unwrap());
    assert!(!seen.to_string().contains("of-this-program"), "{seen:#}");
    let replayed = env.outcome(&["fix", "--run", CHECK, "--provider", "replay:session.jsonl"], &[]);
    assert_eq!(replayed["outcome"], "fixed", "{replayed:#}");
    assert_eq!(env.read("prompt.txt"), prompt);
}

#[test]
fn the_second_prompt_has_the_whole_conversation() {
    let program = PROGRAM.replacen(
        "sha = ",
        "import os.path\nif not os.path.exists(\"asked\"):\n    open(\"asked\", \"w\")\n    print(json.dumps({\"actions\": [], \"summary\": \"read\", \"context_requests\": [{\"type\": \"read_file\", \"path\": \"other.py\"}]}))\n    sys.exit()\nsha = ",
        1,
    );
    let env = with_program(&program);
    env.write("other.py", "OTHER = 1\n");
    let ran = env.run_with(&["fix", "--run", CHECK], &variables(&[]));
    assert_eq!(ran.code, 0, "{ran:?}");
    let prompts = env.read("prompt.txt");
    for part in ["## YOUR REPLY\n{\"actions\": []", "## NEXT MESSAGE\n", "OTHER = 1\n"] {
        assert!(prompts.contains(part), "{part}: {prompts}");
    }
    assert!(ran.stderr.contains("reply in ") && ran.stderr.contains("cost unknown"), "{ran:?}");
}

#[test]
fn a_program_that_gives_no_reply_ends_the_run_with_the_reason() {
    for (program, more, reason) in [
        (
            "import sys\nprint('not logged in', file=sys.stderr)\nsys.exit(3)\n",
            vec![],
            "`python3 ../model.py --quick` ended with exit code 3: not logged in",
        ),
        ("", vec![], "`python3 ../model.py --quick` printed no reply"),
        (
            "import os\nos.kill(os.getpid(), 9)\n",
            vec![],
            "`python3 ../model.py --quick` was ended by signal 9",
        ),
        (
            "import time\ntime.sleep(60)\n",
            vec![("PAPAYU_LLM_TIMEOUT_SEC", "1")],
            "no answer from `python3 ../model.py --quick` within 1 s",
        ),
        ("print('x' * 9_000_000)\n", vec![], "printed more than 8388608 bytes"),
        (
            PROGRAM,
            vec![("PAPAYU_LLM_COMMAND", "no-such-program-here -p")],
            "`no-such-program-here -p` did not start: cannot run `no-such-program-here`",
        ),
    ] {
        let env = with_program(program);
        let ran = env.run_with(&["fix", "--run", CHECK], &variables(&more));
        assert_eq!(ran.code, 3, "{reason}: {ran:?}");
        assert!(ran.stderr.contains(reason), "{reason}: {ran:?}");
    }
}

#[test]
fn a_program_is_named_by_the_user_alone_and_found_out_from_its_setting() {
    let env = with_program(PROGRAM);
    let ran = env.run(&["fix", "--run", CHECK, "--provider", "command"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("set `llm.command` (`PAPAYU_LLM_COMMAND`)"), "{ran:?}");
    let command = ("PAPAYU_LLM_COMMAND", "python3 ../model.py");
    let doctor = env.run_with(&["doctor"], &[command]);
    assert!(
        doctor.stdout.contains("suggestions,command (found out from llm.command"),
        "{doctor:?}"
    );
    let check = "`python3 ../model.py` is there; its cost and its model are not known";
    assert!(doctor.stdout.contains(check), "{doctor:?}");
    let missing = env.run_with(&["doctor"], &[("PAPAYU_LLM_COMMAND", "no-such-program-here")]);
    assert_eq!(missing.code, 2, "{missing:?}");
    assert!(missing.stdout.contains("there is no program `no-such-program-here`"), "{missing:?}");
    let outcome = env.outcome(&["fix", "--run", CHECK], &[command]);
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    // A limit in dollars needs a price.
    let limited = env.run_with(&["fix", "--run", CHECK, "--max-cost", "1"], &variables(&[]));
    assert_eq!(limited.code, 2, "{limited:?}");
    env.write("papayu.toml", "[llm]\ncommand = \"sh evil.sh\"\n");
    let refused = env.run_with(&["fix", "--run", CHECK], &[]);
    assert!(refused.code == 2 && refused.stderr.contains("llm.command"), "{refused:?}");
}
