//! Splits shell text into the words of its simple commands.

/// Beginnings of words by which a script names its own folder.
const OWN_FOLDER: [&str; 8] = [
    "$(dirname \"$0\")",
    "$(dirname $0)",
    "`dirname $0`",
    "`dirname \"$0\"`",
    "$(dirname \"${BASH_SOURCE[0]}\")",
    "$(dirname \"$BASH_SOURCE\")",
    "${0%/*}",
    "${BASH_SOURCE%/*}",
];

/// Words before a command that is run by another one.
const PREFIXES: [&str; 21] = [
    "!", "command", "do", "elif", "else", "env", "exec", "if", "nice", "nohup", "npx", "run",
    "sudo", "then", "time", "timeout", "until", "while", "xvfb-run", "poetry", "uv",
];

/// Returns the words of each simple command of a text. `folder` is that of the script, for words such as `$(dirname "$0")/x`.
///
/// Expansions are left as they are, so words with them name no files.
pub(super) fn split_commands(text: &str, folder: &str) -> Vec<Vec<String>> {
    let mut text = text.replace("\\\n", " ");
    for name in OWN_FOLDER {
        text = text.replace(name, if folder.is_empty() { "." } else { folder });
    }
    let commands = split_at_operators(&text);
    let words = commands.iter().filter_map(|command| shlex::split(command));
    words.map(|words| strip_prefixes(&words)).filter(|words| !words.is_empty()).collect()
}

/// Splits a text at the operators of a shell that are in no quotes.
fn split_at_operators(text: &str) -> Vec<String> {
    let (mut commands, mut current) = (Vec::new(), String::new());
    let (mut quote, mut is_escaped) = (None, false);
    for letter in text.chars() {
        let is_open = quote.is_some() || is_escaped;
        is_escaped = letter == '\\' && !is_escaped && quote != Some('\'');
        match letter {
            '\'' | '"' if quote == Some(letter) => quote = None,
            '\'' | '"' if !is_open => quote = Some(letter),
            ';' | '&' | '|' | '\n' | '(' | ')' | '{' | '}' | '`' if !is_open => {
                commands.push(std::mem::take(&mut current));
                continue;
            }
            // The target of a redirection is a word of its own.
            '<' | '>' if !is_open => current.push(' '),
            _ => {}
        }
        current.push(letter);
        if matches!(letter, '<' | '>') && !is_open {
            current.push(' ');
        }
    }
    commands.push(current);
    commands
}

/// Removes assignments and commands that run another one, with their options and numbers.
fn strip_prefixes(words: &[String]) -> Vec<String> {
    let is_before = |word: &String| {
        let name = word.rsplit('/').next().unwrap_or(word);
        let is_assignment = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
        });
        is_assignment || PREFIXES.contains(&name)
    };
    let mut rest = words;
    while let Some((first, after)) = rest.split_first().filter(|(first, _)| is_before(first)) {
        rest = after;
        let has_options = !matches!(first.as_str(), "if" | "then" | "else" | "do");
        while let Some((option, after)) = rest.split_first().filter(|(option, _)| {
            has_options && (option.starts_with('-') || option.parse::<f64>().is_ok())
        }) {
            // `env -S 'a b'` has the command in the value of the option.
            if option == "-S" {
                return after.first().and_then(|text| shlex::split(text)).unwrap_or_default();
            }
            rest = after;
        }
    }
    rest.to_vec()
}
