//! Judges the tests of a change as a whole: what moves from one file to another is neither added nor removed.

use super::finding::Weakening;
use super::test_items::find_tests;
use super::tests_compared::{Tests, compare_tests};
use papayu_lang::{ChangedText, Family, Tokens, cut_tokens};

/// Returns every test that checks less than before, files in the order given; empty for a change that weakens none.
///
/// ```
/// use papayu_lang::ChangedText;
/// use papayu_vet::weakening::judge;
///
/// let before = "def test_a():\n    assert f() == 1\n";
/// let change = ChangedText { path: "test_a.py", before, after: "def test_a():\n    f()\n" };
/// assert_eq!(judge(&[change])[0].rule, "takes away or changes an assertion of the test `test_a`");
/// ```
pub fn judge(changes: &[ChangedText<'_>]) -> Vec<Weakening> {
    let before: Vec<_> =
        changes.iter().map(|it| (it.path, cut_tokens(it.path, it.before))).collect();
    let after: Vec<_> = changes.iter().map(|it| (it.path, cut_tokens(it.path, it.after))).collect();
    compare_tests(&list_tests(&before), &list_tests(&after))
}

/// Returns the tests of each file.
fn list_tests<'a>(sides: &'a [(&'a str, Tokens)]) -> Vec<Tests<'a>> {
    let tests =
        sides.iter().map(|(path, tokens)| Tests::find(path, &tokens.code, Family::of_path(path)));
    tests.collect()
}

/// Returns `true` if a file has a test in it, by the marks of its language.
pub fn has_tests(path: &str, text: &str) -> bool {
    !find_tests(&cut_tokens(path, text).code, Family::of_path(path)).items.is_empty()
}
