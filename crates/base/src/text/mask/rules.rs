//! The rules that find a secret by its form, and those that separate a secret from source code.

use regex::Captures;

use super::rule::{MIN_CHARS, SecretRule, Start, entropy, is_assigned_secret, secret_text};
use super::vendors::vendor_rules;

/// Returns every form that is known.
pub(super) fn all_rules() -> Vec<SecretRule> {
    let mut rules = vec![address_rule()];
    rules.extend(key_rules());
    rules.extend(argument_rules());
    rules.extend(assignment_rules());
    rules.extend(vendor_rules());
    rules
}

fn cues(cues: &[&str]) -> Vec<String> {
    cues.iter().map(|&cue| cue.to_owned()).collect()
}

/// Returns the rule for passwords in addresses.
fn address_rule() -> SecretRule {
    let mut in_address = SecretRule::new(
        cues(&["://"]),
        Start::Anywhere,
        r#"^://(?:(?<secret_user>[A-Za-z0-9_-]{16,})(?::(?:x-oauth-basic)?)?|[^\s/:@"'<>`]*:(?<secret>[^\s/@"'<>`]+))@"#,
    )
    .accepting(|found| !secret_text(found).starts_with(['$', '{', '%', '*']));
    in_address.is_worth_it = |rest| {
        let end = |byte: &&u8| **byte == b'@' || **byte == b'/' || byte.is_ascii_whitespace();
        rest.iter().find(end) == Some(&b'@')
    };
    in_address
}

/// Returns the rules for keys, and for tokens in headers.
fn key_rules() -> Vec<SecretRule> {
    vec![
        SecretRule::new(
            // Without its end a key is known by its headers and lines of base64.
            cues(&["-----begin ", "---- begin ssh2 "]),
            Start::Anywhere,
            r"^-{4,5} ?BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)? ?-{4,5}(?:(?:[^-]|-{1,3}[^-])*-{4,5} ?END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)? ?-{4,5}|(?:\s*(?:Proc-Type|DEK-Info|Comment|Version|Subject): ?[^\n\\]*)*(?:\\+[nr]|[\sA-Za-z0-9+/=])*)",
        ),
        SecretRule::new(
            cues(&["eyj"]),
            Start::Word,
            r"^eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*",
        ),
        // `sk-toggleable` is a CSS class; keys have digits.
        SecretRule::new(cues(&["sk-"]), Start::Word, r"^sk-[A-Za-z0-9_-]{8,}")
            .accepting(|found| has_digit(secret_text(found))),
        // "Bearer authentication" is prose.
        SecretRule::new(
            cues(&["bearer", "authorization"]),
            Start::Word,
            r#"(?i)^(?:authorization["']?\s*[:=]\s*["']?(?:[a-z]+\s+)?|bearer\s+)(?<secret>[A-Za-z0-9._~+/=-]{8,})"#,
        )
        .accepting(|found| has_digit(secret_text(found)) || secret_text(found).len() >= 20),
        SecretRule::new(
            cues(&["cookie:", "cookie\":"]),
            Start::Anywhere,
            r#"(?i)^cookie"?:\s*"?[A-Za-z0-9_.-]+=(?<secret>[A-Za-z0-9%._~+/=:-]{16,}[^\n"']*)"#,
        ),
    ]
}

/// Returns the rules for arguments of commands.
fn argument_rules() -> Vec<SecretRule> {
    vec![
        SecretRule::new(
            cues(&["--password", "--passwd", "--pass", "--token", "--api-key", "--secret", "--access-token", "--auth-token", "--passphrase", "sshpass -p"]),
            Start::Word,
            r#"(?i)^(?:--[a-z-]+|sshpass -p) ?[ "'](?<secret>[^\s"'`&;,(){}\[\]<>*|\\$=-][^\s"'`;,(){}\[\]<>*|\\]{5,})"#,
        )
        .accepting(|found| has_digit(secret_text(found))),
        SecretRule::new(
            cues(&["-u ", "--user ", "--auth "]),
            Start::Word,
            r#"^(?:-u|--user|--auth) ["']?[A-Za-z0-9_.@-]+:(?<secret>[^\s"':$@/]{6,})["']?(?:\s|$)"#,
        )
        .accepting(|found| has_digit(secret_text(found))),
        // Options of single programs.
        SecretRule::new(
            cues(&["mysql", "redis-cli", "-storepass ", "-keypass ", "-srcstorepass ", "-passin pass:", "-passout pass:", "signtool sign", "net use "]),
            Start::Word,
            r#"^(?:mysql[a-z]* [^\n|;&]{0,200}?-p|redis-cli [^\n|;&]{0,200}?-a |-(?:src)?(?:store|key)pass |-pass(?:in|out) pass:|signtool sign [^\n|;&]{0,200}?/p |net use [^\n|;&]{0,200}?/user:\S+ )["']?(?<secret>[^\s"'`$;&|<>()]{6,})"#,
        )
        .accepting(|found| has_digit(secret_text(found))),
        // A variable that is set by a word between its name and value.
        SecretRule::new(
            cues(&["env ", "setx "]),
            Start::Word,
            r#"^(?:ENV|setx) (?i:[A-Z0-9_]*(?:PASSWORD|PASSWD|SECRET|TOKEN|KEY|PASSPHRASE)) +["']?(?<secret>[^\s"'`$=]{8,})"#,
        )
        .accepting(|found| has_digit(secret_text(found))),
    ]
}

/// Returns the rules for values of names that are those of secrets.
fn assignment_rules() -> Vec<SecretRule> {
    let mut of_name = SecretRule::new(
            cues(&["password", "passwd", "pwd", "secret", "token", "key", "credential", "passphrase", "_pass", "_pat", "_auth", "_dsn", "sessionid", "session_id", "sessid"]),
            Start::Name,
            r#"(?i)^(?<key>[A-Z0-9_.-]*(?:password|passwd|pwd|passphrase|_pass|secret|token|_pat|_auth|_dsn|sess(?:ion_?)?id|(?:api|access|private|secret|account|auth|signing|encryption|master|deploy|license|service|webhook|subscription|functions)[_-]?key|(?-i:[A-Z0-9_]+_KEY)|credentials?)(?:[_-](?:base|b64|base64|value|prod|production|dev|staging|live|[0-9]{1,2}))?)(?:\\*["']\]?)?(?<mark>\s*(?:=>|:=|=|:(?:\s?[A-Za-z_&][A-Za-z0-9_&<>\[\]]{0,20}\s?=)?)\s*)(?<quote>(?:(?:@|[bfru]{1,2}|[A-Za-z_.:]{1,16}\()?\\*["'])?)(?<secret>[^\s"'`&;,(){}\[\]<>*|\\]{3,}(?:\|[A-Za-z0-9_-]{20,})?)(?<next>[(\[<]?)"#,
        )
        .accepting(is_literal_value);
    of_name.is_worth_it = is_assigned_secret;
    let mut rules = vec![of_name];
    rules.push(
        SecretRule::new(
            cues(&[
                "password>", "passwd>", "passphrase>", "secret>", "token>", "api_key>", "apikey>",
                "secretkey>", "accesskey>", "privatekey>",
            ]),
            Start::Anywhere,
            r"^[A-Za-z_]+>\s*(?<secret>[^<>\s${}]{6,})\s*</",
        )
        .accepting(|found| has_digit(secret_text(found))),
    );
    // The constants of PHP.
    rules.push(SecretRule::new(
        cues(&["define("]),
        Start::Word,
        r#"(?i)^define\(\s*["'][A-Z0-9_]*(?:PASSWORD|PASSWD|SECRET|TOKEN|KEY|SALT)["']\s*,\s*["'](?<secret>[^"']{6,})"#,
    ));
    rules
}

/// Returns `true` if a text has a digit, as random keys of some length do and words do not.
fn has_digit(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
}

/// Names of keys that are no secrets.
const PLAIN_KEYS: [&str; 14] = [
    "cache", "primary", "foreign", "public", "partition", "sort", "idempotency", "registry",
    "restore", "row", "group", "index", "object", "hash",
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
    if group("quote").contains('(') {
        return entropy_of_key(text);
    }
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
    const SECRET_KEYS: [&str; 15] = [
        "api", "access", "private", "secret", "account", "auth", "signing", "encryption", "master",
        "deploy", "license", "service", "webhook", "subscription", "functions",
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
