//! Reads names of settings and variables: which of them are names of secrets.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::text::{WordFinder, split_identifier};

/// The table of the words.
const TABLE: &str = include_str!("names.toml");

/// The kinds of names by the values that they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameFamily {
    /// It is secret even if it is a word.
    Password,
    /// It is secret unless it is a word.
    Secret,
    /// It is secret if it is random.
    Loose,
    /// The same, and digests are random.
    Service,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct NameTable {
    password: Vec<String>,
    secret: Vec<String>,
    short: Vec<String>,
    kinds: HashSet<String>,
    modifiers: HashSet<String>,
    others: HashSet<String>,
    public: HashSet<String>,
    services: Vec<String>,
    contexts: String,
    phrases: Vec<String>,
    accounts: Vec<String>,
    identifiers: String,
    plain_keys: HashSet<String>,
    secret_options: HashMap<String, Vec<String>>,
    user_options: HashMap<String, Vec<String>>,
}

/// The table; it is empty if it is not valid, which a test denies.
static NAMES: LazyLock<NameTable> = LazyLock::new(|| toml::from_str(TABLE).unwrap_or_default());

/// The families of the words that need no other word.
static WORDS: LazyLock<HashMap<&str, NameFamily>> = LazyLock::new(|| {
    let secret =
        NAMES.secret.iter().chain(&NAMES.short).map(|word| (word.as_str(), NameFamily::Secret));
    let password = NAMES.password.iter().map(|word| (word.as_str(), NameFamily::Password));
    secret.chain(password).chain([("pass", NameFamily::Password)]).collect()
});

/// The names of several words, joined by `_`.
static SEVERAL: LazyLock<Vec<(String, NameFamily)>> = LazyLock::new(|| {
    let several = WORDS.iter().filter(|entry| entry.0.contains([' ', '_', '-']));
    several.map(|entry| (entry.0.replace([' ', '-'], "_"), *entry.1)).collect()
});

/// Finds the words that make a random token secret.
static CONTEXTS: LazyLock<WordFinder> = LazyLock::new(|| {
    let words = NAMES.contexts.split_whitespace().map(str::to_owned);
    let others = NAMES.phrases.iter().chain(&NAMES.password).cloned();
    let foreign = NAMES.password.iter().flat_map(|word| other_cases(word));
    WordFinder::new(words.chain(others).chain(foreign)).in_any_case()
});

static SERVICES: LazyLock<WordFinder> =
    LazyLock::new(|| WordFinder::new(NAMES.services.clone()).in_any_case());

/// Returns the words with one of which each name of a secret contains.
pub(super) fn cues() -> Vec<String> {
    let all = [&NAMES.password, &NAMES.secret, &NAMES.short, &NAMES.services];
    let mut words: Vec<String> = all.into_iter().flatten().cloned().collect();
    words.push("key".to_owned());
    // A finder of cues needs three bytes.
    words.retain(|word| word.len() > 2);
    words.extend(words.clone().iter().flat_map(|word| other_cases(word)));
    words.sort();
    words.dedup();
    // A longer word of letters is found by the shorter one in it.
    let is_found = |word: &String| {
        word.bytes().all(|byte| byte.is_ascii_alphabetic())
            && words.iter().any(|other| other != word && word.contains(other.as_str()))
    };
    words.iter().filter(|word| !is_found(word)).cloned().collect()
}

/// Returns a word in upper case and with a capital, if it has letters of which finders do not fold the case: all but those of ASCII.
fn other_cases(word: &str) -> Vec<String> {
    let mut chars = word.chars();
    match chars.next() {
        Some(first) if !word.is_ascii() => {
            vec![word.to_uppercase(), first.to_uppercase().chain(chars).collect()]
        }
        _ => Vec::new(),
    }
}

/// Returns `true` if a word in the text means that a random token near it is secret.
pub(super) fn is_context(text: &str) -> bool {
    let Some(finder) = CONTEXTS.for_text(text) else { return false };
    finder
        .find_overlapping_iter(text)
        .any(|word| is_context_word(text, &(word.start()..word.end())))
}

/// Returns the words that make a random token secret.
pub(super) fn contexts() -> impl Iterator<Item = &'static str> {
    let several = NAMES.phrases.iter().chain(&NAMES.accounts).map(String::as_str);
    NAMES.contexts.split_whitespace().chain(several)
}

/// Returns `true` if one of those words is a whole one where it is found, or the last part of an identifier such as `dbPassword`.
pub(super) fn is_context_word(text: &str, word: &Range<usize>) -> bool {
    let before = text.get(..word.start).and_then(|text| text.chars().next_back());
    let mut after = text.get(word.end..).unwrap_or_default().chars();
    let next = after.next();
    let next = if matches!(next, Some('s' | 'S')) { after.next() } else { next };
    let is_long = word.len() >= 6;
    let starts = is_long || before.is_none_or(|c| !c.is_ascii_alphanumeric()) || {
        let first = text.get(word.start..).and_then(|text| text.chars().next());
        before.is_some_and(|c| c.is_ascii_lowercase()) && first.is_some_and(char::is_uppercase)
    };
    starts && next.is_none_or(|c| !c.is_ascii_lowercase())
}

/// Returns `true` for the key of a value that names a branch or a commit.
pub(super) fn is_plain_key(key: &str) -> bool {
    NAMES.plain_keys.contains(key)
}

/// The words before the random part of identifiers.
static IDENTIFIERS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| NAMES.identifiers.split_whitespace().collect());

/// Returns `true` for a word that services write before an identifier, which is shown in logs and is no key.
pub(super) fn is_identifier_prefix(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok_and(|word| IDENTIFIERS.contains(word))
}

/// Returns `true` for the name of a password; what tests print is none.
pub(super) fn is_password(name: &str) -> bool {
    !name.eq_ignore_ascii_case("pass") && family_of(name) == Some(NameFamily::Password)
}

/// Returns `true` for a word that ends the names of other things than secrets.
pub(super) fn is_other(word: &str) -> bool {
    NAMES.others.contains(word)
}

/// Returns `true` for an option of which the value is a password, whatever it is.
pub(super) fn is_secret_option(program: &str, option: &str) -> bool {
    NAMES.secret_options.get(program).is_some_and(|options| options.iter().any(|it| it == option))
}

/// Returns `true` for an option of which the value is a user and a password, with a sign between them.
pub(super) fn is_user_option(program: &str, option: &str) -> bool {
    NAMES.user_options.get(program).is_some_and(|options| options.iter().any(|it| it == option))
}

/// Returns the family of a name; `None` for names of other things.
pub(super) fn family_of(name: &str) -> Option<NameFamily> {
    let words = split_identifier(&name.replace(['-', '.', ' '], "_"));
    let is_modifier = |word: &String| {
        NAMES.modifiers.contains(word) || word.bytes().all(|byte| byte.is_ascii_digit())
    };
    if words.iter().any(|word| word == "public") {
        return None;
    }
    if words.len() > 1
        && let Some(family) = family_of_several(&words)
    {
        return Some(family);
    }
    if words.last().is_some_and(|last| NAMES.others.contains(last)) {
        return None;
    }
    let kept = words.iter().rposition(|word| !is_modifier(word)).map_or(0, |last| last + 1);
    let head = words.get(..kept).filter(|head| !head.is_empty()).unwrap_or(&words);
    let whole = family_of_last(head, name);
    if whole.is_some() {
        return whole;
    }
    let is_inside = (1..head.len())
        .any(|end| head.get(..end).is_some_and(|part| family_of_last(part, "").is_some()));
    if is_inside {
        return Some(NameFamily::Loose);
    }
    let is_service = SERVICES.is_in(name);
    let is_public = words.iter().any(|word| NAMES.public.contains(word));
    (is_service && !is_public).then_some(NameFamily::Service)
}

/// Returns the family of the last of the words.
fn family_of_last(words: &[String], name: &str) -> Option<NameFamily> {
    let last = words.last()?;
    let before = words.len().checked_sub(2).and_then(|at| words.get(at));
    if before.is_some_and(|word| NAMES.public.contains(word)) {
        return None;
    }
    if NAMES.public.iter().any(|word| last.ends_with("key") && last.starts_with(word.as_str())) {
        return None;
    }
    // `rootPW` is `rootpw`.
    let joined = before.and_then(|before| WORDS.get(format!("{before}{last}").as_str()).copied());
    if let Some(family) = family_of_word(last).or(joined) {
        return Some(family);
    }
    if let Some(kind) = last.strip_suffix("key") {
        let kind = if kind.is_empty() { before.map_or("", String::as_str) } else { kind };
        if NAMES.kinds.contains(kind) {
            return Some(NameFamily::Secret);
        }
        // The variables of programs are written so.
        let is_variable = name.contains("_KEY") && !name.bytes().any(|b| b.is_ascii_lowercase());
        return is_variable.then_some(NameFamily::Loose);
    }
    let singular = last.strip_suffix('s').filter(|word| word.len() >= 5)?;
    WORDS.get(singular).map(|_| NameFamily::Loose)
}

/// Returns the family of a word, or of the long word that it ends in, as `dbpassword` does.
fn family_of_word(word: &str) -> Option<NameFamily> {
    let exact = WORDS.get(word).copied();
    let ends = word.char_indices().skip(1).filter_map(|(at, _)| word.get(at..));
    let mut ends = ends.take_while(|end| end.len() >= 5 || !end.is_ascii());
    let ending = exact.or_else(|| ends.find_map(|end| WORDS.get(end).copied()));
    // `remotepass` is one, `bypass` is none: the value decides.
    ending.or_else(|| word.ends_with("pass").then_some(NameFamily::Loose))
}

/// Returns the family of a name of several words, such as `mot de passe`.
fn family_of_several(words: &[String]) -> Option<NameFamily> {
    let joined = words.join("_");
    let mut several = SEVERAL.iter().filter(|entry| joined.ends_with(entry.0.as_str()));
    several.next().map(|entry| entry.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_valid() {
        let table: NameTable = toml::from_str(TABLE).unwrap();
        let all = [&table.password, &table.secret, &table.short, &table.services];
        assert!(all.into_iter().flatten().all(|word| *word == word.to_lowercase()));
        assert!(cues().contains(&"token".to_owned()));
    }

    #[test]
    fn names_are_read_by_their_words() {
        use NameFamily::{Loose, Password, Secret, Service};
        for (name, family) in [
            ("password", Some(Password)),
            ("dbPassword", Some(Password)),
            ("DB_PASS", Some(Password)),
            ("DBPASSWORD", Some(Password)),
            ("POSTGRES_PASSWORD_PROD", Some(Password)),
            ("my_password_super_secure", Some(Loose)),
            ("mot de passe", Some(Password)),
            ("请输入密码", Some(Password)),
            ("ПАРОЛЬ", Some(Password)),
            ("apiToken", Some(Secret)),
            ("APIKey", Some(Secret)),
            ("x-api-key", Some(Secret)),
            ("aws_secret_access_key", Some(Secret)),
            ("client.secret", Some(Secret)),
            ("CLOUD_THING_KEY", Some(Loose)),
            ("tokens", Some(Loose)),
            ("DATADOG", Some(Service)),
            ("public_key", None),
            ("publicKeyToken", None),
            ("cacheKey", None),
            ("tokenizer", None),
            ("token_type", None),
            ("secretName", None),
            ("max_tokens_count", None),
            ("rootPW", Some(Password)),
            ("bypass", Some(Loose)),
            ("keyboard", None),
            ("author", None),
            ("monkey", None),
        ] {
            assert_eq!(family_of(name), family, "{name}");
        }
    }

    #[test]
    fn a_context_is_a_whole_word() {
        for (text, is) in [
            ("docker login -u ci", true),
            ("dbPassword", true),
            ("the tokens are", true),
            ("tokenizer.next()", false),
            ("an author writes", false),
            ("compass", false),
        ] {
            assert_eq!(is_context(text), is, "{text}");
        }
    }
}
