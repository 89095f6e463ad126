//! Prompts for models with a small window: the failure, its first lines of code and the protocol stay in it.

use serde_json::json;

use crate::model::Model;
use crate::support::TestEnv;
use crate::tools::git;

/// Returns a repository with large files, long notes and a test with a long output.
fn large_shop() -> TestEnv {
    let env = TestEnv::new();
    let filler = |name: &str, count: usize| -> String {
        (0..count).fold(String::new(), |text, number| {
            text + &format!(
                "def {name}_{number}(value):\n    return value * {number} + len(str(value))\n\n\n"
            )
        })
    };
    let total = "def total(coins):\n    return sum(coins) + 1\n\n\n";
    env.write("src/money.py", &format!("{}{total}{}", filler("before", 300), filler("after", 300)));
    env.write("src/__init__.py", "");
    for number in 0..60 {
        env.write(&format!("src/part_{number}/module_{number}.py"), &filler("total", 20));
    }
    env.write("AGENTS.md", &"Use four spaces. ".repeat(2_000));
    env.write("pyproject.toml", "[project]\nname = \"x\"\n");
    env.write(
        "tests/test_money.py",
        "import unittest\nfrom src.money import total\n\n\nclass T(unittest.TestCase):\n    \
        def test_total(self):\n        print('line of output\\n' * 2000)\n        \
        self.assertEqual(total([1, 2]), 3)\n",
    );
    env.write("tests/__init__.py", "");
    git(&env, &["init", "--quiet"]);
    git(&env, &["add", "."]);
    git(&env, &["commit", "--quiet", "-m", "one"]);
    env
}

#[test]
fn a_small_window_holds_the_failure_its_first_lines_and_the_protocol() {
    let wanted = json!({
        "actions": [],
        "summary": "More of the code is needed.",
        "context_requests": [
            { "type": "read_file", "path": "src/money.py" },
            { "type": "get_structure" },
            { "type": "search", "query": "total" },
        ],
    });
    let mut named = Vec::new();
    for tokens in ["8192", "16384", "32768"] {
        let env = large_shop();
        let model = Model::serve([wanted.clone(), wanted.clone(), wanted.clone()]);
        let variables = [&model.variables()[..], &[("PAPAYU_LLM_CONTEXT_WINDOW", tokens)]].concat();
        let _ = env.run_with(&["fix", "--run", "python3 -m unittest"], &variables);
        let (prompts, requests) = (model.prompts(), model.requests());
        assert!(prompts.len() > 1);
        let first = &prompts[0];
        assert!(first.contains("AssertionError: 4 != 3"), "{first}");
        assert!(first.contains("return sum(coins) + 1"), "{first}");
        assert!(first.contains("FILE[src/money.py] (sha256="), "{first}");
        assert!(first.contains("AGENTS.md (untrusted text"), "{first}");
        let window: usize = tokens.parse().unwrap();
        for prompt in &prompts {
            // Of 120,000 characters of a context, a prompt in this window takes three quarters.
            let mut before: Vec<&str> = prompt.split(" characters is reached").collect();
            before.pop();
            for limit in before.into_iter().filter_map(|text| text.rsplit(' ').next()) {
                assert!(limit.parse::<usize>().unwrap() <= window * 9 / 4, "{tokens}: {limit}");
                named.push(limit.to_owned());
            }
        }
        for request in requests {
            let messages = request["messages"].as_array().unwrap();
            let texts = messages.iter().map(|message| message["content"].as_str().unwrap());
            let read: usize = texts.map(str::len).sum();
            assert!(messages[0]["content"].as_str().unwrap().contains("PATCH_FILE"));
            let written =
                request["max_tokens"].as_u64().or(request["max_completion_tokens"].as_u64());
            let all = read.div_ceil(3) + usize::try_from(written.unwrap()).unwrap();
            assert!(all <= window, "{tokens}: {all} tokens, {read} bytes");
        }
    }
    assert!(!named.is_empty());
}

#[test]
fn a_conversation_near_the_limit_begins_again_with_a_summary_and_then_only_grows() {
    let env = large_shop();
    let ask = |path: &str| {
        json!({
            "actions": [],
            "summary": format!("I need {path}"),
            "context_requests": [{ "type": "read_file", "path": path }],
        })
    };
    let paths = [1, 2, 3, 4, 5, 6].map(|number| format!("src/part_{number}/module_{number}.py"));
    let model = Model::serve(paths.iter().map(|path| ask(path)));
    let variables = [
        &model.variables()[..],
        &[("PAPAYU_LLM_CONTEXT_WINDOW", "8192"), ("PAPAYU_MAX_CONTEXT_ROUNDS", "6")],
    ]
    .concat();
    let ran = env.run_with(&["fix", "--run", "python3 -m unittest", "--verbose"], &variables);
    assert!(ran.stderr.contains("CONTEXT_COMPRESSED"), "{ran:?}");
    let requests = model.requests();
    let (mut begun, mut grown) = (0, 0);
    for (before, after) in requests.iter().zip(requests.iter().skip(1)) {
        let [before, after] = [before, after].map(|it| it["messages"].as_array().unwrap());
        if after.len() > before.len() {
            assert_eq!(&after[..before.len()], before.as_slice());
            grown += 1;
        } else {
            let text = after[1]["content"].as_str().unwrap();
            assert!(text.contains("## EARLIER IN THIS RUN"), "{text}");
            assert!(text.contains("I need src/part_"), "the last reply is repeated: {text}");
            assert!(text.contains("return sum(coins) + 1"), "{text}");
            assert!(text.contains("AssertionError: 4 != 3"), "{text}");
            begun += 1;
        }
    }
    assert!(begun > 0 && grown > 0, "{begun} {grown}");
    // What was asked for last is always shown.
    let prompts = model.prompts();
    for (path, prompt) in paths.iter().zip(prompts.iter().skip(1)) {
        assert!(prompt.contains(&format!("FILE[{path}] (sha256=")), "{path}: {prompt}");
    }
}

#[test]
fn the_model_summarizes_a_conversation_near_the_limit_if_the_user_wants_it() {
    let ask = |path: &str| {
        json!({
            "actions": [],
            "summary": format!("I need {path}"),
            "context_requests": [{ "type": "read_file", "path": path }],
        })
    };
    let paths: Vec<_> =
        (1..=6).map(|number| format!("src/part_{number}/module_{number}.py")).collect();
    let run = |mut summary: serde_json::Value| {
        let env = large_shop();
        summary["when"] = "## SUMMARY OF THE CONVERSATION".into();
        let summaries = [summary.clone(), summary.clone(), summary];
        let model = Model::serve(summaries.into_iter().chain(paths.iter().map(|path| ask(path))));
        let variables = [
            &model.variables()[..],
            &[
                ("PAPAYU_LLM_CONTEXT_WINDOW", "8192"),
                ("PAPAYU_MAX_CONTEXT_ROUNDS", "6"),
                ("PAPAYU_CONTEXT_COMPRESS", "model"),
            ],
        ]
        .concat();
        let ran = env.run_with(&["fix", "--run", "python3 -m unittest", "--verbose"], &variables);
        (ran, model.requests())
    };
    let content = |request: &serde_json::Value, at: usize| {
        request["messages"][at]["content"].as_str().unwrap().to_owned()
    };
    let last = |request: &serde_json::Value| {
        content(request, request["messages"].as_array().unwrap().len() - 1)
    };
    let (ran, requests) = run(json!({"summary": "The sum is one too large: src/money.py."}));
    assert!(ran.stderr.contains("CONTEXT_COMPRESSED by=model"), "{ran:?}");
    let asked = requests.iter().position(|it| last(it).contains("## SUMMARY OF THE CONVERSATION"));
    let asked = asked.unwrap();
    let next = content(&requests[asked + 1], 1);
    assert!(next.contains("Your own summary of it"), "{next}");
    assert!(next.contains("The sum is one too large: src/money.py."), "{next}");
    assert!(next.contains("AssertionError: 4 != 3") && next.contains("I need src/part_"), "{next}");
    // A reply that is no summary costs nothing but the request.
    let (ran, requests) = run(json!({"sorry": "I cannot do that"}));
    assert!(ran.stderr.contains("CONTEXT_COMPRESSED by=facts"), "{ran:?}");
    assert!(ran.stderr.contains("the conversation is summarized without the model"), "{ran:?}");
    let begun = requests.iter().find(|it| content(it, 1).contains("## EARLIER IN THIS RUN"));
    assert!(content(begun.unwrap(), 1).contains("I need src/part_"));
}
