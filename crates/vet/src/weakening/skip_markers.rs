//! Code that skips tests, silences checkers, or ends a process as a success: a table.

use std::sync::LazyLock;

use super::measure::CountedMark;
use super::settings::is_mark;
use papayu_base::text::Pattern;
use papayu_lang::Family;
use papayu_lang::{Token, TokenKind};

/// The places in which a rule counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkerScope {
    /// The words have one meaning everywhere.
    Anywhere,
    /// In a file with tests before or after the change: elsewhere the words mean other things.
    Tests,
    /// On a line that begins in the first column: run when the file is loaded.
    Top,
    /// In a file of this name.
    File(&'static str),
}

/// A way to skip a test, to silence a checker or to end the run.
struct MarkerRule {
    /// Empty for every language.
    languages: &'static [Family],
    place: MarkerScope,
    /// A predicate of the change.
    says: &'static str,
    /// Tried on tokens with one blank between them; a string is `"S"`.
    pattern: &'static str,
}

/// The predicate of rules about skipped tests.
const SKIPS: &str = "keeps a test from running";
/// The predicate of rules about attributes of linters and compilers.
const SILENCES: &str = "adds an attribute that silences a checker";
/// The predicate of rules about exit code 0.
const ENDS: &str = "ends the process as if all were well";
/// The predicate of rules about changed runners and assertions.
const PATCHES: &str = "changes how the test runner works";
/// The predicate of rules about retries.
const SLOW: &str = "makes failing tests run again";

use Family as L;
/// Rules for all languages.
const ANY: &[Family] = &[];

/// The table. The source of a row is the documentation of the tool that its comment names.
const RULES: &[MarkerRule] = &[
    MarkerRule {
        languages: &[L::Script],
        place: MarkerScope::Anywhere,
        says: SKIPS,
        // Jest, Vitest, Mocha, Playwright: `it.skip(…)`, `describe.only(…)`,
        // `test.concurrent.skip.each(…)`.
        // `only` counts too, as it keeps all other tests from running.
        pattern: r"\b(?:it|test|describe|context|suite|specify|bench)(?: \. (?:each|concurrent|sequential|serial|parallel|describe|for|extend))* \. (?:skip|only|todo|fixme|fails|failing|skipIf|runIf|ignore|slow)\b",
    },
    MarkerRule {
        languages: &[L::Script],
        place: MarkerScope::Tests,
        says: SKIPS,
        // Calls inside a test: `t.skip()` of AVA and node:test, `this.skip()` of Mocha,
        // `testInfo.fixme()` of Playwright.
        pattern: r"\b(?:t|ctx|this|tc|testInfo|QUnit|Deno) (?:\. test )?\. (?:skip|todo|fixme|fail|only|ignore)\b",
    },
    MarkerRule {
        languages: &[L::Script, L::Ruby],
        place: MarkerScope::Anywhere,
        says: SKIPS,
        // Jasmine and RSpec: a letter before the word, `xit("…")` to skip and `fit("…")` to run it
        // alone.
        pattern: r#"(?:^|[^.\w] )(?:x(?:it|describe|test|specify|context|example)|f(?:it|describe|context|specify))(?: \. each)? (?:\( )?"S""#,
    },
    MarkerRule {
        languages: &[L::Script],
        place: MarkerScope::Tests,
        says: SKIPS,
        // Options of a test: `test("…", { skip: true }, …)` of node:test; a text is the reason.
        pattern: r#"\b(?:skip|todo|only) : (?:true|1|"S")"#,
    },
    MarkerRule {
        languages: &[L::Script],
        place: MarkerScope::Tests,
        says: SLOW,
        // A test that may fail and be run again hides a race: `jest.retryTimes(3)`,
        // `this.retries(2)`, `{ retry: 2 }`.
        pattern: r"\b(?:jest \. retryTimes|this \. retries|\. retries|retry :|retries :) ?\(? ?[1-9]\d*",
    },
    MarkerRule {
        languages: &[L::Python],
        place: MarkerScope::Anywhere,
        says: SKIPS,
        // `@pytest.mark.skip`, `pytest.importorskip("x")`, and `pytest.exit`, which ends the whole
        // run.
        pattern: r"\b(?:pytest|mark)(?: \. mark)? \. (?:skip|skipif|xfail|importorskip)\b|\bpytest \. exit\b",
    },
    MarkerRule {
        languages: &[L::Python],
        place: MarkerScope::Anywhere,
        says: SKIPS,
        // unittest: decorators, `self.skipTest("…")` and `raise SkipTest`.
        pattern: r"@ (?:unittest \. )?(?:skip|skipIf|skipUnless|expectedFailure)\b|\bself \. skipTest\b|\bSkipTest\b|\b__test__ = False\b|\bunittest \. (?:skip\w*|expectedFailure)\b",
    },
    MarkerRule {
        languages: &[L::Python],
        place: MarkerScope::Anywhere,
        says: SLOW,
        // Markers of pytest-rerunfailures and the package `flaky`.
        pattern: r"@ (?:pytest \. mark \. )?(?:flaky|retry_test)\b",
    },
    MarkerRule {
        languages: &[L::Rust],
        place: MarkerScope::Anywhere,
        says: SKIPS,
        // `#[ignore]`, also behind a condition: `#[cfg_attr(windows, ignore)]`.
        pattern: r"# \[ (?:cfg_attr \( [^\]]*, )?ignore\b",
    },
    MarkerRule {
        languages: &[L::Rust],
        place: MarkerScope::Anywhere,
        says: SKIPS,
        // Conditions that are never true while tests are compiled: `#[cfg(any())]`,
        // `#[cfg(not(test))]`.
        pattern: r"# !? ?\[ cfg \( (?:any \( \)|all \( test , not|not \( test \)|FALSE|false)",
    },
    MarkerRule {
        languages: &[L::Go],
        place: MarkerScope::Anywhere,
        says: SKIPS,
        // `t.Skip("…")` of the package testing, and `suite.T().Skip()` of testify.
        pattern: r"\b(?:t|b|tb|f|s|suite)(?: \. T \( \))? \. (?:Skip|Skipf|SkipNow)\b",
    },
    MarkerRule {
        languages: &[L::Jvm],
        place: MarkerScope::Anywhere,
        says: SKIPS,
        // JUnit 4 and 5, TestNG, Spock, Kotest.
        pattern: r"@ (?:org \. junit(?: \. \w+)* \. )?(?:Disabled\w*|Ignore|IgnoreRest|PendingFeature|EnabledIf\w*)\b|\bAssum(?:e|ptions) \. assum\w+|\bXCTSkip\w*|\bskip : true\b",
    },
    MarkerRule {
        languages: &[L::CSharp],
        place: MarkerScope::Anywhere,
        says: SKIPS,
        // NUnit and MSTest (`[Ignore]`, `[Explicit]`), xUnit (`[Fact(Skip = "…")]`).
        pattern: r"\[ (?:Ignore|Explicit)\b|\b(?:Fact|Theory|InlineData) \( (?:\w+ = \S+ , )*Skip =|\bAssert \. (?:Ignore|Inconclusive|Pass)\b",
    },
    MarkerRule {
        languages: &[L::Php],
        place: MarkerScope::Anywhere,
        says: SKIPS,
        // PHPUnit and Pest. A test that performs no assertions is reported as passed with this
        // annotation.
        pattern: r"\bmarkTest(?:Skipped|Incomplete)\b|- > (?:skip|todo) \(|@ (?:doesNotPerformAssertions)\b",
    },
    MarkerRule {
        languages: &[L::Ruby],
        place: MarkerScope::Tests,
        says: SKIPS,
        // minitest and RSpec: `skip "…"`, `pending`, metadata `skip: true`, `:skip => "…"`.
        pattern: r#"(?:^|[^.\w] )(?:skip|pending)(?: "S"|\b)|: (?:skip|pending) = >|\b(?:skip|pending) : (?:true|"S")"#,
    },
    MarkerRule {
        languages: &[L::Elixir],
        place: MarkerScope::Anywhere,
        says: SKIPS,
        // ExUnit: `@tag :skip`, `@moduletag skip: "…"`.
        pattern: r"@ (?:module|describe)?tag : skip|@ (?:module|describe)?tag skip :",
    },
    MarkerRule {
        languages: &[L::C],
        place: MarkerScope::Anywhere,
        says: SKIPS,
        // googletest (`GTEST_SKIP()`, `DISABLED_Name`), Qt Test, Unity. `SUCCEED()` replaces an
        // assertion by nothing.
        pattern: r"\bGTEST_SKIP\b|\bDISABLED_\w+|\bQSKIP\b|\bTEST_IGNORE\w*|\bSUCCEED \( \)",
    },
    MarkerRule {
        languages: &[L::Rust],
        place: MarkerScope::Anywhere,
        says: SILENCES,
        // `#[allow(lint)]` and `#![allow(lint)]`; `expect` silences just as well.
        pattern: r"# !? ?\[ (?:cfg_attr \( [^\]]*?, )?(?:allow|expect) \( [^\]]*\]|# !? ?\[ rustfmt : : skip|# !? ?\[ coverage \( off",
    },
    MarkerRule {
        languages: &[L::Jvm],
        place: MarkerScope::Anywhere,
        says: SILENCES,
        // `@Generated` too: most checkers leave generated code out.
        pattern: r"@ (?:file : )?(?:SuppressWarnings|Suppress|SuppressLint|SuppressFBWarnings|Generated) [^)]*\)|@ unchecked\b|@ nowarn\b",
    },
    MarkerRule {
        languages: &[L::CSharp, L::C],
        place: MarkerScope::Anywhere,
        says: SILENCES,
        pattern: r"# pragma (?:warning (?:\( )?disable|(?:GCC|clang) diagnostic (?:ignored|warning)|warning \( disable)|# nullable disable|\[ (?:assembly : )?(?:SuppressMessage|ExcludeFromCodeCoverage)\b",
    },
    MarkerRule {
        languages: &[L::C],
        place: MarkerScope::Anywhere,
        says: SILENCES,
        // Attributes of GCC and Clang, and the standard ones of C++17.
        pattern: r"\b__attribute__ \( \( (?:no_sanitize|unused)\w*|\[ \[ (?:gsl : : suppress|clang : : no_sanitize)",
    },
    MarkerRule {
        languages: &[L::Python],
        place: MarkerScope::Anywhere,
        says: ENDS,
        // Ends the process at once: pytest cannot report what failed before.
        pattern: r"\bos \. _exit \(",
    },
    MarkerRule {
        languages: &[L::Python],
        place: MarkerScope::Top,
        says: ENDS,
        // At the top of a file it runs while tests are collected; in a function it may be the
        // program's own end.
        pattern: r"\b(?:sys \. exit|exit|quit|raise SystemExit) \( (?:0 |None )?\)|\braise SystemExit\b",
    },
    MarkerRule {
        languages: &[L::Script],
        place: MarkerScope::Top,
        says: ENDS,
        pattern: r"\bprocess \. (?:exit|reallyExit) \( (?:0 )?\)|\bDeno \. exit \( (?:0 )?\)",
    },
    MarkerRule {
        languages: &[L::Script],
        place: MarkerScope::Tests,
        says: ENDS,
        pattern: r"\bprocess \. (?:exit|reallyExit) \( (?:0 )?\)",
    },
    MarkerRule {
        languages: &[L::Script],
        place: MarkerScope::Anywhere,
        says: ENDS,
        // An assignment replaces the function, or sets the code that the runner wanted to report.
        pattern: r"\bprocess \. (?:exit|reallyExit|exitCode) = (?:\( |0\b|\w+ = >)",
    },
    MarkerRule {
        languages: &[L::Python],
        place: MarkerScope::Anywhere,
        says: ENDS,
        // The same in Python: the runner's own call then has no effect.
        pattern: r"\b(?:sys \. exit|os \. _exit|builtins \. exit) =[^=]",
    },
    MarkerRule {
        languages: &[L::Go],
        place: MarkerScope::Tests,
        says: ENDS,
        pattern: r"\bos \. Exit \( 0 \)",
    },
    MarkerRule {
        languages: &[L::Rust],
        place: MarkerScope::Tests,
        says: ENDS,
        pattern: r"\bprocess : : exit \( 0 \)",
    },
    MarkerRule {
        languages: &[L::Script],
        place: MarkerScope::Anywhere,
        says: PATCHES,
        // Replaces a function of the runner for all tests, `global.expect = …`.
        pattern: r"\b(?:global|globalThis|window) \. (?:it|test|describe|expect|assert|beforeEach|afterEach) =[^=]|\b(?:expect|assert) \. \w+ = (?:\(|async|function|\w+ = >|vi|jest)",
    },
    MarkerRule {
        languages: &[L::Python],
        place: MarkerScope::Anywhere,
        says: PATCHES,
        // Replaces a method of the runner, `TestCase.assertEqual = …`.
        pattern: r"\b(?:TestCase|TestResult|TestSuite|TextTestResult|TextTestRunner) \. \w+ =[^=]|\bsetattr \( (?:unittest|pytest|_pytest)\b|\bbuiltins \. AssertionError\b",
    },
    MarkerRule {
        languages: &[L::Python],
        place: MarkerScope::Anywhere,
        says: PATCHES,
        // An object that is equal to everything passes every comparison.
        pattern: r"\bdef __(?:eq|ne)__ \( self , \w+ (?:: \w+ )?\) (?:- > \w+ )?: return True\b",
    },
    MarkerRule {
        languages: &[L::Python],
        place: MarkerScope::File("conftest.py"),
        says: PATCHES,
        // Hooks in a `conftest.py` can change results and leave tests out (docs.pytest.org, Hooks).
        pattern: r"\bdef pytest_(?:runtest|collection|collect|ignore|sessionfinish|pyfunc|report|cmdline|exception|itemcollected|deselected|terminal|fixture_setup|assertion)\w*|\bcollect_ignore(?:_glob)?\b",
    },
    MarkerRule {
        languages: ANY,
        place: MarkerScope::Tests,
        says: PATCHES,
        // An assertion asserts nothing if its panic is caught.
        pattern: r"\bcatch_unwind \( .{0,40}assert",
    },
];

/// The compiled patterns, in the order of [`RULES`].
static PATTERNS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| RULES.iter().map(|rule| Pattern::new(rule.pattern)).collect());

/// Names of files that change how tests run by being there.
const RUNNER_FILES: &[&str] = &["sitecustomize.py", "usercustomize.py"];

/// A file that is searched.
pub(super) struct Searched<'a> {
    pub(super) path: &'a str,
    pub(super) family: Family,
    pub(super) tokens: &'a [Token],
    /// `true` if the file is a test or has tests in it.
    pub(super) has_tests: bool,
}

/// Adds a mark for each place where a rule matches the tokens of a file.
pub(super) fn find_markers(file: &Searched<'_>, found: &mut Vec<CountedMark>) {
    let name = file.path.rsplit('/').next().unwrap_or(file.path);
    if RUNNER_FILES.contains(&name)
        || name.rsplit_once('.').is_some_and(|(_, extension)| extension == "pth")
    {
        found.push(CountedMark::new(PATCHES, name, 1));
    }
    let (text, starts) = join_tokens(file.tokens);
    for (rule, pattern) in RULES.iter().zip(&*PATTERNS) {
        let is_own = rule.languages.is_empty() || rule.languages.contains(&file.family);
        let is_there = match rule.place {
            MarkerScope::Anywhere | MarkerScope::Top => true,
            MarkerScope::Tests => file.has_tests,
            MarkerScope::File(wanted) => name == wanted,
        };
        if !(is_own && is_there) {
            continue;
        }
        for hit in pattern.find_iter(&text) {
            // A pattern may begin with the token before the one it is about.
            let at = starts.partition_point(|start| *start <= hit.start()).saturating_sub(1);
            let Some(token) = file.tokens.get(at) else { continue };
            if rule.place == MarkerScope::Top && !is_top(file.tokens, at) {
                continue;
            }
            found.push(CountedMark::new(rule.says, hit.as_str().trim(), token.line));
        }
    }
}

/// Returns `true` if the line of a token begins in the first column, as code at the top level
/// of a file does.
fn is_top(tokens: &[Token], at: usize) -> bool {
    let Some(line) = tokens.get(at).map(|token| token.line) else { return false };
    let first = tokens.partition_point(|token| token.line < line);
    tokens.get(first).is_some_and(|token| token.column == 0)
}

/// Returns the tokens joined by one blank, and the position at which each begins.
///
/// A string is `"S"`, so that its content cannot match. An access by name counts as one by `.`:
/// `x["skip"]` is `x . skip`.
fn join_tokens(tokens: &[Token]) -> (String, Vec<usize>) {
    let mut text = String::new();
    let mut starts = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        starts.push(text.len());
        match token.kind {
            TokenKind::Text if is_member(tokens, at) => {
                text.push_str(". ");
                text.push_str(&token.text);
            }
            TokenKind::Text => text.push_str("\"S\""),
            TokenKind::Mark if token.text == "[" && is_member(tokens, at + 1) => continue,
            TokenKind::Mark if token.text == "]" && at > 0 && is_member(tokens, at - 1) => continue,
            _ => text.push_str(&token.text),
        }
        text.push(' ');
    }
    (text, starts)
}

/// Returns `true` if a string names a member, as in `x["skip"]`.
fn is_member(tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at).filter(|token| token.kind == TokenKind::Text) else {
        return false;
    };
    let is_name =
        !token.text.is_empty() && token.text.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name
        && at > 1
        && is_mark(tokens, at - 1, "[")
        && is_mark(tokens, at + 1, "]")
        && tokens.get(at - 2).is_some_and(|owner| owner.kind == TokenKind::Word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_compile() {
        let broken = RULES.iter().zip(&*PATTERNS).filter(|(_, pattern)| !pattern.is_valid());
        assert_eq!(broken.map(|(rule, _)| rule.pattern).collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
