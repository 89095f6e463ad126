//! Reads command lines: the values of options that take a password, and what is sent to a command that reads one.

use std::ops::Range;

use super::generated::is_generated;
use super::judge::{is_placeholder, password_at};
use super::names::{is_context, is_secret_option, is_user_option};
use super::value::{Reader, line_before, place_of};
use super::wording::{MIN_CHARS, has_digit, is_command_line, is_password_word, is_phrase};

/// The longest value of an option.
const MAX_WORD: usize = 256;

/// Programs that print their arguments.
const PRINTERS: [&str; 5] = ["echo", "printf", "yes", "print", "Write-Output"];

/// An option of one or two letters, and its value.
struct ShortOption<'t> {
    /// The command before the option.
    before: &'t str,
    option: &'t str,
    value: Range<usize>,
}

/// Returns `true` if the text after a dash may be that of an option of which the name does not show whether it takes a password.
pub(super) fn may_be_option(rest: &[u8]) -> bool {
    let is_long = rest.first() == Some(&b'-') && matches!(rest.get(1), Some(b'u' | b'p' | b'a'));
    let letters = rest.iter().take(3).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let ends = rest.get(letters).is_some_and(|byte| b" \"'=".contains(byte));
    is_long || (1..3).contains(&letters) && ends
}

/// Returns the passwords that an option of which the dash is at `dash` gives a command.
pub(super) fn option_secret(text: &str, dash: usize) -> Option<Range<usize>> {
    let found = short_option(text, dash)?;
    let shown = text.get(found.value.clone())?;
    if shown.len() < MIN_CHARS || shown.starts_with(['-', '/', '.']) {
        return None;
    }
    if is_user_option(program_of(found.before), found.option) {
        return password_of_user(text, &found.value);
    }
    if is_generated(shown) {
        return Some(found.value);
    }
    if is_secret_option(program_of(found.before), found.option) {
        return Some(found.value).filter(|_| !is_placeholder(shown));
    }
    let is_password = matches!(found.option, "-p" | "-pw" | "-P") && names_user(found.before);
    if is_password && is_word(shown) && is_command_line(found.before) {
        return Some(found.value);
    }
    let options = ["-p", "-x", "-a", "-pw", "-w", "-P", "-A", "-X", "-s"];
    let place = password_at(text, found.value.start).filter(|_| options.contains(&found.option))?;
    (names_user(found.before) || is_context(found.before)).then_some(place)
}

/// Returns `true` for a word or phrase that is no path, port or address.
fn is_word(shown: &str) -> bool {
    let is_number = shown.bytes().all(|byte| byte.is_ascii_digit());
    !is_number
        && !is_placeholder(shown)
        && !shown.contains(['/', '.', ':'])
        && (is_password_word(shown) || is_phrase(shown))
}

/// Returns the option of which the dash is at `dash`, and its value.
fn short_option(text: &str, dash: usize) -> Option<ShortOption<'_>> {
    let rest = text.get(dash..text.floor_char_boundary(dash + MAX_WORD))?;
    let letters = rest.trim_start_matches('-');
    let length =
        letters.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-').count();
    let head = rest.len() - letters.len() + length;
    let option = rest.get(..head)?;
    let before = line_before(text, dash);
    let mut reader = Reader { text, at: dash + head, most: MAX_WORD };
    let blanks = reader.skip(b" \t", 4) + reader.skip(b"=", 1);
    let is_quoted = matches!(reader.peek(), Some(b'"' | b'\''));
    if blanks == 0 && !is_quoted || option.len() > 3 && !option.starts_with("--") {
        return None;
    }
    let value = shell_word(&mut reader)?;
    Some(ShortOption { before, option, value })
}

/// Returns the next word of a command, without quotes around it.
fn shell_word(reader: &mut Reader<'_>) -> Option<Range<usize>> {
    if let Some(quoted) = reader.quoted() {
        return Some(quoted);
    }
    let rest = reader.text.get(reader.at..reader.text.floor_char_boundary(reader.at + MAX_WORD))?;
    let word = rest.split(|c: char| c.is_whitespace() || "|;\"'`<>()".contains(c)).next()?;
    (!word.is_empty()).then(|| place_of(reader.text, word))
}

/// Returns the program of a command, without its folder and ending.
fn program_of(before: &str) -> &str {
    let command = before.rsplit(['|', ';', '`', '&', '(']).next().unwrap_or_default();
    let mut words = command
        .split_whitespace()
        .map(|word| word.trim_matches(['"', '\'', '$', '+', '>', '-', '[', ',']));
    let program = words.find(|word| {
        !word.is_empty()
            && !word.contains('=')
            && !word.ends_with(':')
            && !["sudo", "env", "exec", "time", "nohup", "RUN", "CMD"].contains(word)
    });
    let name = program.unwrap_or_default().rsplit(['/', '\\']).next().unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Returns `true` for the beginning of a command that names a user.
fn names_user(command: &str) -> bool {
    let mut words = command.split_whitespace();
    words.any(|word| ["-u", "-U", "-user", "--user", "--username", "-l"].contains(&word))
}

/// Returns the password of a value such as `bob:password`.
fn password_of_user(text: &str, value: &Range<usize>) -> Option<Range<usize>> {
    let shown = text.get(value.clone())?;
    let (user, password) = shown.split_once([':', '%'])?;
    let is_password =
        password.len() >= MIN_CHARS && !password.bytes().all(|byte| byte.is_ascii_digit());
    (is_password && !user.is_empty() && !is_placeholder(password)).then(|| place_of(text, password))
}

/// Returns what is sent to the command that reads a password at a cue: by a pipe, or in the rest of its line.
pub(super) fn sent_secret(text: &str, cue: Range<usize>) -> Option<Range<usize>> {
    let is_piped = text.as_bytes().get(cue.start) == Some(&b'|');
    let at = cue.start + usize::from(is_piped);
    let before = line_before(text, at);
    let rest = text.get(at..text.floor_char_boundary(at + MAX_WORD))?.lines().next()?;
    if let Some(here) = rest.find("<<<") {
        let mut reader = Reader { text, at: at + here + 3, most: MAX_WORD };
        reader.skip(b" \t", 4);
        let is_told = here > 0 || is_context(before) && is_command_line(before);
        return shell_word(&mut reader).filter(|word| is_told && is_sent(text, word));
    }
    let command = before.get(..before.rfind('|')?)?;
    let command = command.rsplit(['|', ';', '&']).next()?;
    let word = printed_word(text, command)?;
    let is_pair = rest.contains("chpasswd");
    let shown = text.get(word.clone())?;
    let word = match shown.split_once(':').filter(|_| is_pair) {
        Some((_, password)) => place_of(text, password),
        None => word,
    };
    is_sent(text, &word).then_some(word)
}

/// Returns the last argument of a command that prints its arguments.
fn printed_word(text: &str, command: &str) -> Option<Range<usize>> {
    let printer = command.split_whitespace().find(|word| PRINTERS.contains(word))?;
    let from = place_of(text, printer).end;
    let end = place_of(text, command).end;
    let mut reader = Reader { text, at: from, most: MAX_WORD };
    let mut last = None;
    while reader.at < end {
        reader.skip(b" \t", 8);
        let Some(word) = shell_word(&mut reader).filter(|word| word.end <= end) else { break };
        reader.at = reader.at.max(word.end);
        last = Some(word);
    }
    last
}

fn is_sent(text: &str, word: &Range<usize>) -> bool {
    let shown = text.get(word.clone()).unwrap_or_default();
    shown.len() >= MIN_CHARS && !shown.starts_with('-') && !is_placeholder(shown)
}

/// Returns the secret that a command gives another as a file, as in `<(echo 0a1b…)`, of which the word `echo` ends before `at`.
pub(super) fn substituted_secret(text: &str, at: usize) -> Option<Range<usize>> {
    let mut reader = Reader { text, at, most: MAX_WORD };
    let word = shell_word(&mut reader)?;
    let shown = text.get(word.clone())?;
    let is_secret = has_digit(shown) || is_password_word(shown);
    let is_quoted = matches!(text.as_bytes().get(at.saturating_sub(6)), Some(b'"' | b'\''));
    if is_quoted && !matches!(text.as_bytes().get(word.end), Some(b'"' | b'\'')) {
        return None;
    }
    (is_context(line_before(text, at)) && is_secret && is_sent(text, &word)).then_some(word)
}

/// Returns the part of a value that is the password: the text after the way in which it is given, as in `pass:x` and `echo x`.
pub(super) fn given_part(text: &str, value: Range<usize>) -> Range<usize> {
    let shown = text.get(value.clone()).unwrap_or_default();
    let part = shown.strip_prefix("pass:").or_else(|| shown.strip_prefix("echo "));
    part.map_or(value, |part| place_of(text, part))
}
