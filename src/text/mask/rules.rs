//! The table of secret forms, and the rules that separate a secret from source code.

use regex::{Captures, Match};

/// Shorter values would mask ordinary words.
pub(super) const MIN_CHARS: usize = 6;

/// One form of secret.
pub(super) struct SecretForm {
    /// A secret of this form appears only in a text with one of these cues, in any ASCII case.
    pub(super) cues: &'static [&'static str],
    /// The secret is the group `secret`; what the pattern matches around it stays.
    pub(super) pattern: &'static str,
    /// Looks again at what the pattern found.
    pub(super) accepts: fn(&Captures<'_>) -> bool,
}

/// Every form that is known.
pub(super) const SECRET_FORMS: &[SecretForm] = &[
    SecretForm {
        cues: &["PRIVATE KEY-----"],
        pattern: r"(?<secret>-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?:[\s\S]*?-----END [A-Z0-9 ]*PRIVATE KEY-----|(?:\\n|[\sA-Za-z0-9+/=])*))",
        accepts: |_| true,
    },
    SecretForm {
        cues: &["://"],
        pattern: r#"[A-Za-z][A-Za-z0-9+.-]*://(?:[^\s/:@"'<>`]*:(?<secret>[^\s/@"'<>`]+)|(?<secret_user>[A-Za-z0-9_-]{16,}))@"#,
        accepts: |found| !secret_text(found).starts_with(['$', '{', '%', '*']),
    },
    SecretForm {
        cues: &["eyj"],
        pattern: r"\b(?<secret>eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*)",
        accepts: |_| true,
    },
    SecretForm {
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
            let value = secret_text(found);
            !value.starts_with("sk-") || value.starts_with("sk-ant-") || has_digit(value)
        },
    },
    SecretForm {
        cues: &["bearer", "authorization"],
        pattern: r#"(?i)\b(?:authorization["']?\s*[:=]\s*["']?(?:[a-z]+\s+)?|bearer\s+)(?<secret>[A-Za-z0-9._~+/=-]{8,})"#,
        // "Bearer authentication" is prose.
        accepts: |found| has_digit(secret_text(found)) || secret_text(found).len() >= 20,
    },
    SecretForm {
        cues: &["password", "passwd", "pwd", "secret", "token", "key", "credential"],
        pattern: r#"(?i)(?<key>[A-Z0-9_.-]*(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?))["']?(?<mark>\s*(?::|=)\s*)(?<quote>["']?)(?<secret>[^\s"'`&;,(){}\[\]<>*|\\]{3,})(?<next>[(\[<]?)"#,
        accepts: is_literal_value,
    },
];

/// Returns the part of a match that is the secret.
pub(super) fn secret_part<'t>(found: &Captures<'t>) -> Option<Match<'t>> {
    found.name("secret").or_else(|| found.name("secret_user"))
}

/// Returns the text of the secret.
fn secret_text<'t>(found: &Captures<'t>) -> &'t str {
    secret_part(found).map_or("", |secret| secret.as_str())
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
}

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
        _ if mark.contains('=') => false,
        _ => {
            let sized = word.trim_end_matches(|c: char| c.is_ascii_digit());
            let is_type = ["int", "uint", "float", "bytes", "utf", "u", "i", "f"].contains(&sized);
            text.len() >= MIN_CHARS && has_digit(text) && !is_type && !text.contains("::")
        }
    }
}
