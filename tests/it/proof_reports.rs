//! Whole runs with a runner that names its tests in report files only.

use serde_json::{Value, json};

use crate::support::TestEnv;

/// Writes a report as Surefire does, and prints the totals; `adds` fails while the answer is wrong.
const BUILD: &str = r#"mkdir -p target/surefire-reports
if grep -q '6 \* 7' Answer.java; then failed=0; body=''; else failed=1; body='<failure message="no"/>'; fi
echo "$$ <!-- -->" > /dev/null
cat > target/surefire-reports/TEST-AnswerTest.xml <<END
<testsuite name="AnswerTest" time="$$"><testcase classname="AnswerTest" name="adds">$body</testcase>
<testcase classname="AnswerTest" name="is there"/>$EXTRA</testsuite>
END
echo "[ERROR] Tests run: 2, Failures: $failed, Errors: 0, Skipped: 0"
exit $failed
"#;

fn fix(build: &str) -> Value {
    let env = TestEnv::new();
    env.write("pom.xml", "<project/>\n");
    env.write("Answer.java", "class Answer { int answer() { return 6 + 7; } }\n");
    env.write("mvn.sh", build);
    let digest = papayu_base::domain::Sha256::of(env.read("Answer.java").as_bytes()).to_string();
    let action = json!({
        "kind": "REPLACE_RANGE", "path": "Answer.java", "base_sha256": digest, "start_line": 1, "end_line": 1,
        "content": "class Answer { int answer() { return 6 * 7; } }\n"
    });
    env.write("../home/plan.json", &json!({"actions": [action], "summary": "a fix"}).to_string());
    env.outcome(&["apply", "--plan", "../home/plan.json", "--run", "sh mvn.sh"], &[])
}

#[test]
fn a_report_that_the_command_writes_names_the_tests() {
    let outcome = fix(BUILD);
    assert_eq!(outcome["outcome"].as_str().unwrap(), "fixed", "{outcome:#}");
    assert_eq!(outcome["proof"], "tests");
}

#[test]
fn a_report_with_other_totals_or_from_before_does_not_count() {
    let other = BUILD.replace("$EXTRA", "<testcase classname=\"AnswerTest\" name=\"third\"/>");
    let outcome = fix(&other);
    assert_eq!(outcome["proof"], "counts", "{outcome:#}");
    let old =
        BUILD.replace("cat >", "test -e target/surefire-reports/TEST-AnswerTest.xml || cat >");
    let outcome = fix(&old);
    assert_eq!(outcome["proof"], "counts", "{outcome:#}");
}
