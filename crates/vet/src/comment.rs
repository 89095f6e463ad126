//! A change without an effect: one comment more at the end of a source file.

use super::FileSides;
use papayu_base::domain::RepoPath;
use papayu_lang::{Family, PathClass};

/// Returns the characters that begin a comment in a source file, `#` or `//`; `None` for files
/// that are not source code and for other languages.
pub fn comment_mark(path: &RepoPath) -> Option<&'static str> {
    if PathClass::of_path(path.as_str()) != PathClass::Source {
        return None;
    }
    match Family::of_path(path.as_str()) {
        Family::Python | Family::Ruby | Family::Shell | Family::Elixir => Some("#"),
        Family::Rust | Family::Script | Family::Go | Family::Jvm | Family::CSharp | Family::C => {
            Some("//")
        }
        _ => None,
    }
}

/// Returns both sides of a source file that gets a comment; `None` where a comment could change the meaning of
/// the file or satisfy a check of its end.
pub fn with_comment(path: &RepoPath, before: Vec<u8>) -> Option<FileSides> {
    let mark = comment_mark(path)?;
    let text = std::str::from_utf8(&before).ok()?;
    // A file of several languages, or one without a line end, may read a comment otherwise.
    // A last line without its end, or with a continuation, would swallow the comment.
    let is_plain = text.ends_with('\n') && !text.ends_with("\\\n") && !text.contains("</");
    // `\` continues a shell or C line, and `__END__` ends a Ruby program: a line after them is
    // not a comment.
    let is_plain =
        is_plain && path.as_str().rsplit('.').next() != Some("vue") && !text.contains("__END__");
    if !is_plain {
        return None;
    }
    let after = format!("{text}{mark} checked\n").into_bytes();
    Some(FileSides { path: path.clone(), before: Some(before), after: Some(after) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_code_gets_a_comment_and_other_files_do_not() {
        let after = |path: &str, text: &str| {
            let sides = with_comment(&RepoPath::parse(path).unwrap(), text.into())?;
            String::from_utf8(sides.after.unwrap()).ok()
        };
        assert_eq!(after("a.py", "x = 1\n").as_deref(), Some("x = 1\n# checked\n"));
        assert_eq!(after("src/a.rs", "fn a() {}\n").as_deref(), Some("fn a() {}\n// checked\n"));
        for (path, text) in [
            ("a.py", "x = 1"),
            ("a.md", "x\n"),
            ("tests/test_a.py", "x = 1\n"),
            ("a.sh", "cat <<END\n</a>\nEND\n"),
            ("pyproject.toml", "a = 1\n"),
        ] {
            assert_eq!(after(path, text), None, "{path}");
        }
    }
}
