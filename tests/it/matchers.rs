//! Problem matchers of the repository: a tool nobody here knows is understood once its lines are taught.

use crate::fix::{CHECK, RIGHT, WRONG};
use crate::model::{Model, patch, plan};
use crate::support::{Ran, TestEnv};

/// What a tool of the user's own prints.
const LOG: &str = "checking 3 rates\nR7 <src/rate.ts> @2 ~ a rate is never below zero\ndone\n";

const MATCHER: &str = r#"{"problemMatcher":[{"owner":"rates","pattern":[
    {"regexp":"^(R\\d+) <(.+)> @(\\d+) ~ (.+)$","code":1,"file":2,"line":3,"message":4}]}]}"#;

fn rates(log: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write("src/rate.ts", "export const low = 1;\nexport const rate = -1;\n");
    env.write("src/other.ts", "export const below = 'zero';\n");
    env.write("../build.log", log);
    env
}

fn context(env: &TestEnv) -> Ran {
    let ran = env.run(&["context", "--log", "../build.log", "--format", "json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    ran
}

/// Returns why the first file is shown.
fn why(ran: &Ran) -> String {
    ran.json()["files"][0]["why"].as_str().map(str::to_owned).unwrap_or_default()
}

#[test]
fn damaged_matchers_are_a_line_of_warning_each_and_the_others_are_used() {
    let env = rates(LOG);
    env.write(".github/a-matcher.json", "{\"problemMatcher\": [");
    env.write(".github/deep/er/matchers.json", MATCHER);
    env.write(".github/long-matcher.json", &" ".repeat(100_000));
    env.write(".github/x-matcher.json", &MATCHER.replace("(.+)$", "(?=a)$"));
    let ran = context(&env);
    assert!(why(&ran).contains("an error points to src/rate.ts:2"), "{ran:?}");
    let told: Vec<&str> = ran.stderr.lines().filter(|it| it.contains("` is left out: ")).collect();
    for (line, part) in
        told.iter().zip([".github/a-matcher.json", "it is longer than 65536 bytes", "look-around"])
    {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert_eq!(told.len(), 3, "{ran:?}");
}

#[test]
fn a_file_that_the_log_names_teaches_the_lines_after_it_unless_it_lies_outside() {
    let says = |log: &str| {
        let env = rates(log);
        env.write("tools/rates.json", MATCHER);
        env.write("../outside.json", MATCHER);
        why(&context(&env))
    };
    let taught = "an error points to src/rate.ts:2";
    assert!(!says(LOG).contains(taught));
    for named in
        ["::add-matcher::tools/rates.json", "##[add-matcher]/home/runner/x/tools/rates.json"]
    {
        assert!(says(&format!("{named}\n{LOG}")).contains(taught), "{named}");
        assert!(!says(&format!("{LOG}{named}\n")).contains(taught), "after: {named}");
    }
    for outside in ["../outside.json", "tools/../../outside.json", "gone.json", ""] {
        let named = format!("::add-matcher::{outside}\n{LOG}");
        assert!(!says(&named).contains(taught), "{outside}");
    }
}

#[test]
fn a_run_reads_its_commands_output_with_them_too() {
    let env = TestEnv::new();
    env.write("answer.py", WRONG);
    env.write(".github/matcher.json", MATCHER);
    let check = "test \"$(sed -n 2p answer.py)\" = 42 && exit 0\n\
        echo 'R7 <answer.py> @2 ~ the answer is another'\nexit 1\n";
    env.write("check.sh", check);
    let model = Model::serve([plan("write 42"), patch("answer.py", RIGHT)]);
    let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
    assert_eq!(outcome["outcome"], "fixed", "{outcome}");
    let before = outcome["verify"]["before"]["failures"].to_string();
    assert!(before.contains("R7") && before.contains("answer.py"), "{before}");
}
