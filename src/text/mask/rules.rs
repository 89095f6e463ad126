//! The rules that tell a secret by its form, and those that separate a secret from source code.

use std::ops::Range;

use regex::{Captures, Match};

use super::vendors::vendor_rules;
use crate::text::Pattern;

/// Shorter values would mask ordinary words.
pub(super) const MIN_CHARS: usize = 6;

/// The longest secret that is looked for, in bytes: a private key with its chain.
const MAX_BYTES: usize = 64 * 1024;

/// Where a pattern is tried, seen from the cue.
#[derive(Clone, Copy)]
pub(super) enum Start {
    /// At the cue.
    Anywhere,
    /// At the cue, if it begins a word.
    Word,
    /// Somewhere in the run of visible characters around the cue.
    Near,
    /// At the first of the characters of a name that end with the cue.
    Name,
}

/// One form of secret.
pub(super) struct Rule {
    /// A secret of this form appears only in a text with one of these cues, in any ASCII case.
    pub(super) cues: Vec<String>,
    pub(super) start: Start,
    /// The secret is the group `secret` or else the whole match.
    pub(super) pattern: Pattern,
    /// The least Shannon entropy of the secret, in bits a character.
    pub(super) entropy: f64,
    /// Says of the text after the cue whether the pattern is worth trying.
    pub(super) is_worth_it: fn(&[u8]) -> bool,
    /// Looks again at what the pattern found.
    pub(super) accepts: fn(&Captures<'_>) -> bool,
}

impl Rule {
    const fn new(cues: Vec<String>, start: Start, pattern: &'static str) -> Self {
        Self::of(cues, start, Pattern::new(pattern))
    }

    /// Returns the rule that takes every match.
    pub(super) const fn of(cues: Vec<String>, start: Start, pattern: Pattern) -> Self {
        Self { cues, start, pattern, entropy: 0.0, is_worth_it: |_| true, accepts: |_| true }
    }

    fn accepting(mut self, accepts: fn(&Captures<'_>) -> bool) -> Self {
        self.accepts = accepts;
        self
    }

    /// Returns the place of the secret at the cue that stands at `cue`.
    pub(super) fn secret_at(&self, text: &str, cue: Range<usize>) -> Option<Range<usize>> {
        let (start, end) = match self.start {
            Start::Anywhere => (cue.start, cue.start + MAX_BYTES),
            Start::Word if begins_word(text, cue.start) => (cue.start, cue.start + MAX_BYTES),
            Start::Word => return None,
            Start::Name => (start_of_run(text, cue.start, 64, is_of_name), cue.start + MAX_BYTES),
            Start::Near => (
                start_of_run(text, cue.start, 128, |byte| !byte.is_ascii_whitespace()),
                cue.end + 256,
            ),
        };
        let slice = text.get(start..text.floor_char_boundary(end))?;
        if !(self.is_worth_it)(text.as_bytes().get(cue.end..).unwrap_or_default()) {
            return None;
        }
        // Most cues are no secret's; that is found without groups.
        if !self.pattern.is_match(slice) {
            return None;
        }
        let found = self.pattern.captures(slice)?;
        let secret = secret_part(&found)?;
        let is_secret = (self.entropy <= 0.0 || entropy(secret.as_str()) >= self.entropy)
            && (self.accepts)(&found);
        is_secret.then(|| start + secret.start()..start + secret.end())
    }
}

/// Returns every form that is known.
pub(super) fn all_rules() -> Vec<Rule> {
    let cues = |cues: &[&str]| cues.iter().map(|&cue| cue.to_owned()).collect();
    let mut in_address = Rule::new(
        cues(&["://"]),
        Start::Anywhere,
        r#"^://(?:[^\s/:@"'<>`]*:(?<secret>[^\s/@"'<>`]+)|(?<secret_user>[A-Za-z0-9_-]{16,}))@"#,
    )
    .accepting(|found| !secret_text(found).starts_with(['$', '{', '%', '*']));
    in_address.is_worth_it = |rest| {
        let end = |byte: &&u8| **byte == b'@' || **byte == b'/' || byte.is_ascii_whitespace();
        rest.iter().find(end) == Some(&b'@')
    };
    let mut rules = vec![
        in_address,
        Rule::new(
            cues(&["-----begin "]),
            Start::Anywhere,
            r"^-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:(?:[^-]|-{1,4}[^-])*-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|(?:\\n|[\sA-Za-z0-9+/=])*)",
        ),
        Rule::new(
            cues(&["eyj"]),
            Start::Word,
            r"^eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*",
        ),
        // `sk-toggleable` is a CSS class; keys have digits.
        Rule::new(cues(&["sk-"]), Start::Word, r"^sk-[A-Za-z0-9_-]{8,}")
            .accepting(|found| has_digit(secret_text(found))),
        // "Bearer authentication" is prose.
        Rule::new(
            cues(&["bearer", "authorization"]),
            Start::Word,
            r#"(?i)^(?:authorization["']?\s*[:=]\s*["']?(?:[a-z]+\s+)?|bearer\s+)(?<secret>[A-Za-z0-9._~+/=-]{8,})"#,
        )
        .accepting(|found| has_digit(secret_text(found)) || secret_text(found).len() >= 20),
        Rule::new(
            cues(&["cookie:", "cookie\":"]),
            Start::Anywhere,
            r#"(?i)^cookie"?:\s*"?[A-Za-z0-9_.-]+=(?<secret>[A-Za-z0-9%._~+/=:-]{16,}[^\n"']*)"#,
        ),
        Rule::new(
            cues(&["--password", "--passwd", "--pass", "--token", "--api-key", "--secret", "--access-token", "--auth-token", "--passphrase", "sshpass -p"]),
            Start::Word,
            r#"(?i)^(?:--[a-z-]+|sshpass -p) ?[ "'](?<secret>[^\s"'`&;,(){}\[\]<>*|\\$=-][^\s"'`;,(){}\[\]<>*|\\]{5,})"#,
        )
        .accepting(|found| has_digit(secret_text(found))),
        Rule::new(
            cues(&["-u ", "--user "]),
            Start::Word,
            r#"^(?:-u|--user) ["']?[A-Za-z0-9_.@-]+:(?<secret>[^\s"':$@/]{6,})["']?(?:\s|$)"#,
        )
        .accepting(|found| has_digit(secret_text(found))),
        Rule::new(
            cues(&["password", "passwd", "pwd", "secret", "token", "key", "credential", "passphrase", "_pass", "_pat", "_auth", "_dsn", "sessionid", "session_id", "sessid"]),
            Start::Name,
            r#"(?i)^(?<key>[A-Z0-9_.-]*(?:password|passwd|pwd|passphrase|_pass|secret|token|_pat|_auth|_dsn|sess(?:ion_?)?id|(?:api|access|private|secret|account|auth|signing|encryption|master|deploy|license|service|webhook)[_-]?key|(?-i:[A-Z0-9_]+_KEY)|credentials?))["']?(?<mark>\s*(?::|=)\s*)(?<quote>["']?)(?<secret>[^\s"'`&;,(){}\[\]<>*|\\]{3,})(?<next>[(\[<]?)"#,
        )
        .accepting(is_literal_value),
    ];
    rules.extend(vendor_rules());
    rules
}

/// Returns the part of a match that is the secret.
fn secret_part<'t>(found: &Captures<'t>) -> Option<Match<'t>> {
    found.name("secret").or_else(|| found.name("secret_user")).or_else(|| found.get(0))
}

/// Returns the text of the secret.
fn secret_text<'t>(found: &Captures<'t>) -> &'t str {
    secret_part(found).map_or("", |secret| secret.as_str())
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
}

/// Returns `true` for the characters of names of settings and variables.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)
}

/// Returns the start of the run of at most `most` such ASCII characters before `end`.
fn start_of_run(text: &str, end: usize, most: usize, is_of_run: fn(u8) -> bool) -> usize {
    let before = text.as_bytes().get(end.saturating_sub(most)..end).unwrap_or_default();
    let run = before.iter().rev().take_while(|byte| byte.is_ascii() && is_of_run(**byte));
    end - run.count()
}

/// Returns `true` unless a letter or digit of the same word stands before `at`: one that belongs to an escape does not.
fn begins_word(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let Some(last) = before.chars().next_back().filter(char::is_ascii_alphanumeric) else {
        return true;
    };
    let tail = before.as_bytes().get(at.saturating_sub(16)..).unwrap_or_default();
    let nth_last = |n: usize| tail.len().checked_sub(n).and_then(|at| tail.get(at)).copied();
    let is_escaped = nth_last(2) == Some(b'\\') && "nrtbf".contains(last);
    let is_percent = nth_last(3) == Some(b'%') && last.is_ascii_hexdigit();
    let is_unicode = nth_last(6) == Some(b'\\') && matches!(nth_last(5), Some(b'u' | b'U'));
    let is_colour = last == 'm'
        && tail.iter().rev().skip(1).find(|byte| !byte.is_ascii_digit() && **byte != b';')
            == Some(&b'[');
    is_escaped || is_percent || is_unicode || is_colour
}

/// Returns the Shannon entropy in bits a byte.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX));
    let used = counts.iter().filter(|count| **count > 0);
    used.map(|count| f64::from(*count) / total).map(|share| -share * share.log2()).sum()
}

/// Names of keys that are no secrets.
const PLAIN_KEYS: [&str; 14] = [
    "cache",
    "primary",
    "foreign",
    "public",
    "partition",
    "sort",
    "idempotency",
    "registry",
    "restore",
    "row",
    "group",
    "index",
    "object",
    "hash",
];

/// Returns `true` for the literal value of a secret, and `false` for source code that only names
/// one, such as
/// `token = lexer.next()` or `password: String`. Masked code in a shown file could not be patched.
fn is_literal_value(found: &Captures<'_>) -> bool {
    const WORDS: [&str; 9] =
        ["none", "null", "nil", "true", "false", "undefined", "string", "required", "optional"];
    let group = |name| found.name(name).map_or("", |part| part.as_str());
    let (key, mark, text) = (group("key"), group("mark"), group("secret"));
    let word = text.to_ascii_lowercase();
    let is_call = !group("next").is_empty();
    if is_call || text.starts_with(['$', '%', '=', ':']) || WORDS.contains(&word.as_str()) {
        return false;
    }
    let lower_key = key.to_ascii_lowercase();
    if is_plain_key(&lower_key) && !(text.len() >= 16 && has_digit(text) && entropy(text) >= 3.5) {
        return false;
    }
    if PLAIN_KEYS.iter().any(|plain| lower_key.contains(plain)) && lower_key.ends_with("key") {
        return false;
    }
    let is_name = text.chars().all(|c| c.is_ascii_alphabetic() || "_.:-/?!".contains(c));
    let names_a_secret =
        ["password", "passwd", "secret", "token", "key"].iter().any(|part| word.contains(part));
    if !group("quote").is_empty() {
        return text.len() >= MIN_CHARS && !(is_name && names_a_secret);
    }
    let is_environment = !key.chars().any(|c| c.is_ascii_lowercase());
    match mark {
        "=" if is_environment => true,
        "=" => !(is_name && (names_a_secret || text.contains(['.', ':']))),
        // `token = next2` and `token: uint64` are code.
        _ if mark.contains('=') => entropy_of_key(text),
        _ => {
            let sized = word.trim_end_matches(|c: char| c.is_ascii_digit());
            let is_type = ["int", "uint", "float", "bytes", "utf", "u", "i", "f"].contains(&sized);
            text.len() >= MIN_CHARS && has_digit(text) && !is_type && !text.contains("::")
        }
    }
}

/// Returns `true` for a name that ends in `key` without saying that the key is secret.
fn is_plain_key(lower_key: &str) -> bool {
    const SECRET_KEYS: [&str; 13] = [
        "api",
        "access",
        "private",
        "secret",
        "account",
        "auth",
        "signing",
        "encryption",
        "master",
        "deploy",
        "license",
        "service",
        "webhook",
    ];
    let Some(kind) = lower_key.strip_suffix("key") else { return false };
    let kind = kind.trim_end_matches(['_', '-']);
    !SECRET_KEYS.iter().any(|secret| kind.ends_with(secret))
}

/// Returns `true` for a long value without the order of words and paths.
fn entropy_of_key(text: &str) -> bool {
    let has = |is: fn(&u8) -> bool| text.bytes().any(|byte| is(&byte));
    text.len() >= 20
        && !text.contains(['.', ':', '/'])
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && entropy(text) >= 3.5
}
