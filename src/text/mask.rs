//! Masks secrets, so that none leaves the machine or is written to a file.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use regex::{Captures, Regex};

/// What stands in a secret's place.
const MASK: &str = "***";

/// Shorter known values would mask ordinary words.
const MIN_KNOWN_CHARS: usize = 6;

/// One replacement can complete another secret (a known value next to a mask); more rounds than this
/// are never needed by text that was not made for it.
const MAX_ROUNDS: usize = 8;

/// One form of secret.
struct Rule {
    /// Text without any of these cannot hold the secret; ASCII case does not matter.
    cues: &'static [&'static str],
    /// The secret is the group `secret`; what the pattern matches around it stays.
    pattern: &'static str,
    /// Looks again at what the pattern found.
    accepts: fn(&Captures<'_>) -> bool,
}

const RULES: &[Rule] = &[
    Rule {
        cues: &["PRIVATE KEY-----"],
        pattern: r"(?<secret>-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?:[\s\S]*?-----END [A-Z0-9 ]*PRIVATE KEY-----|(?:\\n|[\sA-Za-z0-9+/=])*))",
        accepts: |_| true,
    },
    Rule {
        cues: &["://"],
        pattern: r#"[A-Za-z][A-Za-z0-9+.-]*://(?:[^\s/:@"'<>`]*:(?<secret>[^\s/@"'<>`]+)|(?<secret_user>[A-Za-z0-9_-]{16,}))@"#,
        accepts: |found| !value(found).starts_with(['$', '{', '%', '*']),
    },
    Rule {
        cues: &["eyj"],
        pattern: r"\b(?<secret>eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*)",
        accepts: |_| true,
    },
    Rule {
        cues: &[
            "sk-",
            "ghp_",
            "gho_",
            "ghs_",
            "ghu_",
            "ghr_",
            "github_pat_",
            "glpat-",
            "akia",
            "asia",
            "xox",
            "npm_",
            "pypi-",
            "aiza",
            "hf_",
            "gsk_",
        ],
        pattern: r"\b(?<secret>sk-[A-Za-z0-9_-]{8,}|gh[opsur]_[A-Za-z0-9]{8,}|github_pat_[A-Za-z0-9_]{8,}|glpat-[A-Za-z0-9_-]{8,}|A[KS]IA[0-9A-Z]{16}|xox[a-z]-[A-Za-z0-9-]{8,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|AIza[A-Za-z0-9_-]{30,}|(?:hf|gsk)_[A-Za-z0-9]{20,})",
        // `sk-toggleable` is a CSS class; keys have digits, and Anthropic's have their own prefix.
        accepts: |found| {
            let value = value(found);
            !value.starts_with("sk-") || value.starts_with("sk-ant-") || has_digit(value)
        },
    },
    Rule {
        cues: &["bearer", "authorization"],
        pattern: r#"(?i)\b(?:authorization["']?\s*[:=]\s*["']?(?:[a-z]+\s+)?|bearer\s+)(?<secret>[A-Za-z0-9._~+/=-]{8,})"#,
        // "Bearer authentication" is prose.
        accepts: |found| has_digit(value(found)) || value(found).len() >= 20,
    },
    Rule {
        cues: &["password", "passwd", "pwd", "secret", "token", "key", "credential"],
        pattern: r#"(?i)(?<key>[A-Z0-9_.-]*(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?))["']?(?<mark>\s*(?::|=)\s*)(?<quote>["']?)(?<secret>[^\s"'`&;,(){}\[\]<>*|\\]{3,})(?<next>[(\[<]?)"#,
        accepts: is_literal_value,
    },
];

static CUES: LazyLock<Option<(AhoCorasick, Vec<usize>)>> = LazyLock::new(|| {
    let mut cues = Vec::new();
    let mut owners = Vec::new();
    for (owner, rule) in RULES.iter().enumerate() {
        for cue in rule.cues {
            cues.push(*cue);
            owners.push(owner);
        }
    }
    let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(cues).ok()?;
    Some((finder, owners))
});

static PATTERNS: LazyLock<Vec<Option<Regex>>> =
    LazyLock::new(|| RULES.iter().map(|rule| Regex::new(rule.pattern).ok()).collect());

/// Masks secrets that are known by their form: keys with a vendor's prefix, bearer tokens, JWTs, private
/// key blocks, passwords in URLs, values of `password=`, `token:` and their like. Digests and commit
/// hashes stay. Masking twice changes nothing more.
pub fn mask(text: &str) -> Cow<'_, str> {
    to_the_end(text, mask_once)
}

/// Masks secrets by form and the ones whose values are known.
pub struct Masker {
    known: Option<AhoCorasick>,
}

impl Masker {
    /// Takes values that are secret whatever they look like; those under six characters and those
    /// that are not valid as search words are left out.
    pub fn new(known: impl IntoIterator<Item = String>) -> Self {
        let mut known: Vec<String> =
            known.into_iter().filter(|value| value.chars().count() >= MIN_KNOWN_CHARS).collect();
        known.sort();
        known.dedup();
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&known);
        Self { known: finder.ok().filter(|_| !known.is_empty()) }
    }

    /// Returns the text with every secret replaced by `***`. Masking twice changes nothing more.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some(known) = &self.known else { return mask(text) };
        to_the_end(text, |text| {
            if !known.is_match(text) {
                return mask_once(text);
            }
            let mut out = String::with_capacity(text.len());
            known.replace_all_with(text, &mut out, |_, _, out| {
                out.push_str(MASK);
                true
            });
            Cow::Owned(mask_once(&out).into_owned())
        })
    }
}

fn to_the_end<'t>(text: &'t str, once: impl Fn(&str) -> Cow<'_, str>) -> Cow<'t, str> {
    let mut current = Cow::Borrowed(text);
    for _ in 0..MAX_ROUNDS {
        match once(&current) {
            Cow::Owned(next) if next != *current => current = Cow::Owned(next),
            _ => break,
        }
    }
    current
}

fn mask_once(text: &str) -> Cow<'_, str> {
    let Some((finder, owners)) = &*CUES else { return Cow::Borrowed(text) };
    let mut wanted = [false; RULES.len()];
    for found in finder.find_overlapping_iter(text) {
        if let Some(flag) = owners.get(found.pattern().as_usize()).and_then(|o| wanted.get_mut(*o))
        {
            *flag = true;
        }
    }
    let mut current = Cow::Borrowed(text);
    let rules = RULES.iter().zip(&*PATTERNS).zip(wanted).filter(|(_, wanted)| *wanted);
    for ((rule, pattern), _) in rules {
        let Some(pattern) = pattern else { continue };
        if let Cow::Owned(next) =
            pattern.replace_all(&current, |found: &Captures<'_>| replaced(found, rule))
        {
            current = Cow::Owned(next);
        }
    }
    current
}

fn replaced(found: &Captures<'_>, rule: &Rule) -> String {
    let whole = found.get(0).map_or("", |all| all.as_str());
    let (Some(all), Some(secret)) = (found.get(0), secret(found)) else { return whole.to_owned() };
    if !(rule.accepts)(found) {
        return whole.to_owned();
    }
    let before = whole.get(..secret.start() - all.start()).unwrap_or_default();
    let after = whole.get(secret.end() - all.start()..).unwrap_or_default();
    format!("{before}{MASK}{after}")
}

fn secret<'t>(found: &Captures<'t>) -> Option<regex::Match<'t>> {
    found.name("secret").or_else(|| found.name("secret_user"))
}

fn value<'t>(found: &Captures<'t>) -> &'t str {
    secret(found).map_or("", |secret| secret.as_str())
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
}

/// Tells a secret's literal value from source code that only names one (`token = lexer.next()`,
/// `password: String`, `connect(password=password)`): what is masked in a shown file can no longer be
/// patched.
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
    let is_name = text.chars().all(|c| c.is_ascii_alphabetic() || "_.:-/?!".contains(c));
    let names_a_secret =
        ["password", "passwd", "secret", "token", "key"].iter().any(|part| word.contains(part));
    if !group("quote").is_empty() {
        return text.len() >= MIN_KNOWN_CHARS && !(is_name && names_a_secret);
    }
    let is_environment = !key.chars().any(|c| c.is_ascii_lowercase());
    match mark {
        "=" if is_environment => true,
        "=" => !(is_name && (names_a_secret || text.contains(['.', ':']))),
        // `token = next2` and `token: uint64` are code.
        _ if mark.contains('=') => false,
        _ => {
            let sized = word.trim_end_matches(|c: char| c.is_ascii_digit());
            let is_type = ["int", "uint", "float", "bytes", "utf", "u", "i", "f"].contains(&sized);
            text.len() >= MIN_KNOWN_CHARS && has_digit(text) && !is_type && !text.contains("::")
        }
    }
}

#[cfg(test)]
mod tests;
