//! Reads the lists and pipes of a shell command line: which of its exit codes the line hides.

use std::borrow::Cow;
use std::mem::take;

/// The operator between two commands of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    /// `&&`, a bracket, or the end of the line.
    None,
    /// `|` or `|&`.
    Pipe,
    /// `||`.
    Or,
    /// `;`, `&` or the end of a line.
    Next,
}

/// A command of a line, and the operator before it.
#[derive(Debug)]
struct ListedCommand {
    before: Operator,
    text: String,
}

/// Returns the operator by which a command line may end with exit code 0 although a part of it failed: `|`, `||` or `;`;
/// `None` if there is none.
pub fn hiding_operator(command: &str) -> Option<&'static str> {
    let parts = split_list(&script_of(command));
    let has = |operator: Operator| parts.iter().any(|part| part.before == operator);
    let is_strict = parts.first().is_some_and(|part| ends_at_errors(&part.text));
    [(Operator::Pipe, "|"), (Operator::Or, "||")]
        .into_iter()
        .find_map(|(operator, name)| has(operator).then_some(name))
        .or_else(|| (has(Operator::Next) && !is_strict).then_some(";"))
}

/// Returns `true` if a command line ends with exit code 0 whatever its other parts do: `make test || true`, `make test; exit 0`.
pub fn always_passes(command: &str) -> bool {
    let parts = split_list(&script_of(command));
    let Some(last) = parts.last().filter(|_| parts.len() > 1) else { return false };
    let words = shlex::split(&last.text).unwrap_or_default();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_success = matches!(words[..], ["true" | ":"] | ["exit", "0"]);
    is_success && matches!(last.before, Operator::Or | Operator::Next)
}

/// Returns the commands of a line, without the operators between them.
pub fn list_commands(command: &str) -> Vec<String> {
    split_list(&script_of(command)).into_iter().map(|part| part.text).collect()
}

/// Returns the command line in a shell that gives a pipe the exit code of the command in it that fails; `None` for a command
/// with a NUL character.
pub fn with_pipefail(command: &str) -> Option<String> {
    let script = script_of(command);
    let quoted = shlex::try_quote(&script).ok()?;
    Some(format!("bash -o pipefail -c {quoted}"))
}

/// Returns the script of `sh -c 'script'`, else the command line itself.
fn script_of(command: &str) -> Cow<'_, str> {
    let words = shlex::split(command).unwrap_or_default();
    match <[String; 3]>::try_from(words) {
        Ok([shell, option, script]) if option == "-c" && matches!(&*shell, "sh" | "bash") => {
            Cow::Owned(script)
        }
        _ => Cow::Borrowed(command),
    }
}

/// Returns `true` for `set -e`, after which a shell ends at the first error.
fn ends_at_errors(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.next() == Some("set")
        && words.any(|word| {
            word == "errexit"
                || word.starts_with('-') && !word.starts_with("--") && word.contains('e')
        })
}

/// Splits a line at its operators that are in no quotes.
fn split_list(command: &str) -> Vec<ListedCommand> {
    let mut parts = Vec::new();
    let (mut text, mut before) = (String::new(), Operator::None);
    let (mut quote, mut last) = (None, ' ');
    let mut letters = command.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_redirection = matches!(last, '>' | '<');
        last = letter;
        let operator = match letter {
            _ if quote == Some(letter) => {
                quote = None;
                None
            }
            '\\' if quote != Some('\'') => {
                text.push(letter);
                text.extend(letters.next());
                continue;
            }
            _ if quote.is_some() => None,
            '\'' | '"' => {
                quote = Some(letter);
                None
            }
            // `2>&1`, `>|file` and `&>file` are redirections.
            '|' | '&' if is_redirection => None,
            '&' if letters.peek() == Some(&'>') => None,
            '|' if letters.next_if_eq(&'|').is_some() => Some(Operator::Or),
            '|' => {
                let _ = letters.next_if_eq(&'&');
                Some(Operator::Pipe)
            }
            '&' if letters.next_if_eq(&'&').is_some() => Some(Operator::None),
            ';' | '\n' | '&' => Some(Operator::Next),
            '(' | ')' => Some(Operator::None),
            _ => None,
        };
        match operator {
            Some(operator) => {
                before = push_part(&mut parts, before, &take(&mut text), operator);
            }
            None => text.push(letter),
        }
    }
    push_part(&mut parts, before, &text, Operator::None);
    parts
}

/// Adds a command, unless it is empty, and returns the operator before the next one.
fn push_part(
    parts: &mut Vec<ListedCommand>,
    before: Operator,
    text: &str,
    after: Operator,
) -> Operator {
    let bare = text.trim().trim_start_matches("{ ").trim_matches('}').trim();
    if bare.is_empty() {
        // A bracket after `||` is a part of the same list.
        return if after == Operator::None { before } else { after };
    }
    parts.push(ListedCommand { before, text: bare.to_owned() });
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operator_that_hides_an_exit_code_is_found() {
        for (command, expected) in [
            ("npm test", None),
            ("make a && make b", None),
            ("make test > out.log 2>&1", None),
            ("make test &> out.log", None),
            ("pytest -k 'a|b;c'", None),
            (r"grep a\|b file", None),
            (r#"sh -c "a || b""#, Some("||")),
            ("sh -c 'a && b' || c", Some("||")),
            ("pytest | tail -1", Some("|")),
            ("pytest |& tail -1", Some("|")),
            ("(pytest || true) | cat", Some("|")),
            ("make test > out.log 2>&1 || true", Some("||")),
            ("cd a; make", Some(";")),
            ("cd a\nmake", Some(";")),
            ("make test & wait", Some(";")),
            ("make test;", None),
            ("set -e; cd a; make", None),
            ("set -euo pipefail\nmake\nmake b", None),
            ("set -o errexit; make", None),
            ("set -e; make || true", Some("||")),
        ] {
            assert_eq!(hiding_operator(command), expected, "{command}");
        }
    }

    #[test]
    fn a_line_that_ends_with_a_success_always_passes() {
        for (command, expected) in [
            ("make test || true", true),
            ("make test >/dev/null 2>&1 || :", true),
            ("make test; exit 0", true),
            ("{ make test || true; }", true),
            ("(make test || true)", true),
            ("make test\ntrue\n", true),
            ("true", false),
            ("make test && true", false),
            ("make test || exit 1", false),
            ("make test || make test", false),
            ("echo '|| true'", false),
        ] {
            assert_eq!(always_passes(command), expected, "{command}");
        }
    }
}
