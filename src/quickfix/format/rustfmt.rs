//! Has rustfmt print the files of the packages that the user's command checks.

use super::super::diagnostic_context::has_ending;

/// A rustfmt command that prints instead of writing, and the folder it runs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Printing {
    pub(super) folder: String,
    pub(super) argv: Vec<String>,
}

/// Returns the command for each `cargo fmt` or `rustfmt` in the user's command; the whole project's where
/// there is none.
pub(super) fn commands(run: &str) -> Vec<Printing> {
    let words = shlex::split(run).unwrap_or_default();
    let mut folder = String::new();
    let mut found = Vec::new();
    for part in words.split(|word| ["&&", "||", ";"].contains(&word.as_str())) {
        match part {
            [cd, to] if cd == "cd" => {
                let is_plain = !to.starts_with(['/', '~', '-', '$']) && !to.contains("..");
                if !is_plain {
                    break;
                }
                let parts = [folder.as_str(), to.trim_matches('/')];
                folder =
                    parts.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("/");
            }
            _ => {
                let argv = printing(part);
                found.extend(argv.map(|argv| Printing { folder: folder.clone(), argv }));
            }
        }
    }
    if found.is_empty() {
        let argv = ["cargo", "fmt", "--all", "--", "--emit", "stdout"].map(str::to_owned).to_vec();
        found.push(Printing { folder: String::new(), argv });
    }
    found
}

fn printing(part: &[String]) -> Option<Vec<String>> {
    let start = part.iter().position(|word| word == "cargo" || word == "rustfmt")?;
    let words: Vec<&str> = part.get(start..)?.iter().map(String::as_str).collect();
    let is_cargo = words.first() == Some(&"cargo");
    if is_cargo
        && words.iter().find(|word| !word.starts_with('+') && **word != "cargo") != Some(&"fmt")
    {
        return None;
    }
    let is_end = |word: &&str| word.starts_with(['|', '>', '<', '&']) || word.starts_with("2>");
    let end = words.iter().position(is_end).unwrap_or(words.len());
    let mut argv: Vec<String> = Vec::new();
    let mut words = words.get(..end)?.iter();
    while let Some(word) = words.next() {
        match *word {
            "--check" | "-q" | "--quiet" | "-v" | "--verbose" | "-l" | "--files-with-diff" => {}
            "--color" | "--emit" | "--message-format" => drop(words.next()),
            other if other.starts_with("--color=") || other.starts_with("--emit=") => {}
            other => argv.push(other.to_owned()),
        }
    }
    if argv.iter().any(|word| word.contains(['$', '`', '*'])) {
        return None;
    }
    if is_cargo && !argv.iter().any(|word| word == "--") {
        argv.push("--".to_owned());
    }
    argv.extend(["--emit".to_owned(), "stdout".to_owned()]);
    Some(argv)
}

/// Takes apart what rustfmt prints: each file under a line with its absolute path and an empty one.
pub(super) fn files(printed: &str, root: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut lines = printed.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let head = line.trim_end().strip_suffix(':').and_then(|path| path.strip_prefix(root));
        let head =
            head.and_then(|path| path.strip_prefix('/')).filter(|path| has_ending(path, "rs"));
        match (head, lines.peek()) {
            (Some(path), Some(next)) if next.trim_end().is_empty() => {
                lines.next();
                found.push((path.to_owned(), String::new()));
            }
            _ => {
                if let Some((_, text)) = found.last_mut() {
                    text.push_str(line);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_becomes_a_command_that_prints() {
        for (run, expected) in [
            ("cargo fmt --check", vec![("", "cargo fmt -- --emit stdout")]),
            ("cargo fmt --all -- --check", vec![("", "cargo fmt --all -- --emit stdout")]),
            (
                "cargo +nightly fmt -p a -- --check --color never",
                vec![("", "cargo +nightly fmt -p a -- --emit stdout")],
            ),
            ("cd a && cargo fmt --check && cargo test", vec![("a", "cargo fmt -- --emit stdout")]),
            (
                "rustfmt --check --edition 2024 src/lib.rs",
                vec![("", "rustfmt --edition 2024 src/lib.rs --emit stdout")],
            ),
            ("make lint", vec![("", "cargo fmt --all -- --emit stdout")]),
        ] {
            let found = commands(run);
            let shown: Vec<_> =
                found.iter().map(|it| (it.folder.as_str(), it.argv.join(" "))).collect();
            let expected: Vec<_> = expected.into_iter().map(|(a, b)| (a, b.to_owned())).collect();
            assert_eq!(shown, expected, "{run}");
        }
    }

    #[test]
    fn what_is_printed_is_taken_apart_by_its_paths() {
        let printed = "/r/src/a.rs:\n\nfn a() {}\n/r/src/lib.rs:\n\nmod a;\n// /r/x.rs:\n";
        let expected = [("src/a.rs", "fn a() {}\n"), ("src/lib.rs", "mod a;\n// /r/x.rs:\n")];
        let expected: Vec<_> =
            expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        assert_eq!(files(printed, "/r"), expected);
        assert_eq!(files("error: no such file\n", "/r"), []);
    }
}
