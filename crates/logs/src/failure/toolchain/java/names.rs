//! Finds the names of failed tests in the lines of JVM test runners.

/// Returns the test of a line such as `[ERROR] adds(demo.CalcTest)  Time elapsed: 0.004 s  <<< FAILURE!`, and
/// since surefire 3 `[ERROR] demo.CalcTest.adds -- Time elapsed: 0.004 s <<< FAILURE!`; `None` for the summary
/// of a class and any other line.
pub(super) fn surefire_test(text: &str) -> Option<String> {
    let rest = text.strip_prefix("[ERROR] ").unwrap_or(text);
    let head = rest.strip_suffix("<<< FAILURE!").or_else(|| rest.strip_suffix("<<< ERROR!"))?;
    let (name, _) = head.split_once("Time elapsed:")?;
    let name = name.trim_end().trim_end_matches("--").trim_end();
    // The summary of a class ends with the same words as a failure.
    if name.starts_with("Tests run:") {
        return None;
    }
    Some(class_first(name).unwrap_or_else(|| name.to_owned()))
}

/// Returns `demo.CalcTest.adds` for `adds(demo.CalcTest)`; a parameter of the method may have parentheses too.
/// `None` for another form.
pub(super) fn class_first(name: &str) -> Option<String> {
    let (method, class) = name.strip_suffix(')')?.rsplit_once('(')?;
    let method = method.split_once(" on instance ").map_or(method, |(method, _)| method);
    (is_dotted(class) || is_identifier(class)).then(|| format!("{class}.{method}"))
}

/// Returns the test of Gradle's `demo.CalcTest > adds FAILED`, and of `TestNG`'s `demo.CalcTest.adds FAILED`;
/// `None` for any other line, such as a failed task.
pub(super) fn gradle_test(text: &str) -> Option<String> {
    let name = text.strip_suffix(" FAILED")?;
    if name.starts_with(['>', ' ']) {
        return None;
    }
    let (_, last) = name.rsplit_once(" > ").unwrap_or(("", name));
    if is_qualified_method(last) {
        return Some(last.to_owned());
    }
    name.contains(" > ").then(|| name.to_owned())
}

/// Returns the test of JUnit's `MethodSource [className = 'demo.CalcTest', methodName = 'adds', …]`. `None` for
/// any other line.
pub(super) fn method_source(trimmed: &str) -> Option<String> {
    let rest = trimmed.strip_prefix("MethodSource [className = '")?;
    let (class, rest) = rest.split_once("', methodName = '")?;
    let (method, _) = rest.split_once('\'')?;
    Some(format!("{class}.{method}"))
}

/// The suite and the test that Ant's `junit` task is at.
#[derive(Default)]
pub(super) struct AntTests {
    suite: String,
    test: String,
}

impl AntTests {
    /// Reads a line without its `[junit]` and returns the name of the test that it reports as failed:
    /// `Testcase: adds(demo.CalcTest):\tFAILED`, or `FAILED` below `Testcase: adds took 0.1 sec`.
    pub(super) fn read_line(&mut self, text: &str) -> Option<String> {
        let trimmed = text.trim();
        if let Some(suite) = trimmed.strip_prefix("Testsuite: ") {
            suite.clone_into(&mut self.suite);
            self.test.clear();
            return None;
        }
        if let Some(rest) = trimmed.strip_prefix("Testcase: ") {
            let failed = ENDINGS_OF_ANT.iter().find_map(|ending| rest.strip_suffix(ending));
            let name = failed.unwrap_or(rest).trim_end().trim_end_matches(':');
            let name = name.split_once(" took ").map_or(name, |(name, _)| name);
            name.clone_into(&mut self.test);
            return failed.and_then(|_| self.take_test());
        }
        if ENDINGS_OF_ANT.contains(&trimmed) { self.take_test() } else { None }
    }

    /// Returns the name of the test once; `None` without one.
    fn take_test(&mut self) -> Option<String> {
        let test = std::mem::take(&mut self.test);
        if test.is_empty() {
            return None;
        }
        Some(class_first(&test).unwrap_or_else(|| format!("{}.{test}", self.suite)))
    }
}

/// Ant's words for a test that failed.
const ENDINGS_OF_ANT: [&str; 2] = ["FAILED", "Caused an ERROR"];

/// Returns `true` for `demo.CalcTest.adds`, a name after it included: a class begins with a capital.
fn is_qualified_method(text: &str) -> bool {
    let word = text.split(' ').next().unwrap_or_default();
    let class = word.rsplit_once('.').map(|(class, _)| class.rsplit('.').next().unwrap_or(class));
    is_dotted(word)
        && word.matches('.').count() >= 2
        && class.is_some_and(|class| class.starts_with(char::is_uppercase))
}

/// Returns `true` for identifiers with dots between them.
pub(super) fn is_dotted(text: &str) -> bool {
    text.contains('.') && text.split('.').all(is_identifier)
}

fn is_identifier(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
        && text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_every_form() {
        let surefire =
            |name: &str| surefire_test(&format!("{name}  Time elapsed: 1 s  <<< ERROR!"));
        assert_eq!(surefire("adds(demo.CalcTest)").as_deref(), Some("demo.CalcTest.adds"));
        let parameters = surefire("run[5: batch(mode=A)](demo.CalcTest)");
        assert_eq!(parameters.as_deref(), Some("demo.CalcTest.run[5: batch(mode=A)]"));
        for (text, name) in [
            ("demo.CalcTest > adds FAILED", Some("demo.CalcTest > adds")),
            ("demo.CalcTest.adds FAILED", Some("demo.CalcTest.adds")),
            ("TestNG > All > demo.x.CalcTest.adds two FAILED", Some("demo.x.CalcTest.adds two")),
            ("BUILD FAILED", None),
            ("> Task :test FAILED", None),
            ("com.demo:core:1.0.0 FAILED", None),
        ] {
            assert_eq!(gradle_test(text).as_deref(), name, "{text}");
        }
    }

    #[test]
    fn tests_of_ant_have_their_suite() {
        let mut ant = AntTests::default();
        let lines = ["Testsuite: a.B", "Testcase: ok took 1 sec", "Testcase: bad[1] took 1 sec"];
        assert!(lines.iter().all(|line| ant.read_line(line).is_none()));
        assert_eq!(ant.read_line("\tCaused an ERROR").as_deref(), Some("a.B.bad[1]"));
        assert_eq!(ant.read_line("FAILED"), None);
        assert_eq!(ant.read_line("Testcase: c(a.D):\tFAILED").as_deref(), Some("a.D.c"));
    }
}
