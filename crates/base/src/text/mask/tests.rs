//! What is masked, what must survive, and that masking is stable.

use proptest::prelude::{any, prop, proptest};
use proptest::strategy::Strategy;

use std::borrow::Cow;

use super::*;

const DIGEST: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

#[test]
fn secrets_of_a_known_form_are_masked_and_the_words_around_them_stay() {
    for (text, masked) in [
        ("key sk-ant-api03-abcDEF_ghi done", "key *** done"),
        ("sk-proj-abc123def456", "***"),
        ("Authorization: Bearer abcdef1234567890", "Authorization: Bearer ***"),
        ("authorization: Basic dXNlcjpwYXNzd29yZA==", "authorization: Basic ***"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "***"),
        ("gho_16C7e42F292c6912E7 ghs_16C7e42F292c6912E7", "*** ***"),
        ("github_pat_11ABCDEFG0_abcdef", "***"),
        ("glpat-abcdefghij0123456789", "***"),
        ("AKIAIOSFODNN7EXAMPLE.", "***."),
        ("xoxb-123456789012-abcdef", "***"),
        ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_DEF-1 end", "jwt *** end"),
        ("git clone https://user:pass@host/x.git", "git clone https://user:***@host/x.git"),
        ("https://ghx0123456789abcdef@host/x", "https://***@host/x"),
        ("postgres://u:p%40ss@db:5432/x", "postgres://u:***@db:5432/x"),
        ("password=hunter2", "password=***"),
        ("--db-password=correcthorse next", "--db-password=*** next"),
        ("DB_PASSWORD=correcthorse", "DB_PASSWORD=***"),
        ("https://x/?token=abcdef&b=1", "https://x/?token=***&b=1"),
        ("api_key: abc123def", "api_key: ***"),
        (r#"{"api_key": "abcdefgh"}"#, r#"{"api_key": "***"}"#),
        (r#"password = "hunter22""#, r#"password = "***""#),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----\nx", "***\nx"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE\n", "***\n"),
        (r#"DB_PASSWORD="river maple stone 42""#, r#"DB_PASSWORD="***""#),
        ("export VAULT_PASSPHRASE='correct horse battery staple'", "export VAULT_PASSPHRASE='***'"),
        ("ALTER ROLE app PASSWORD 'gingermaple'", "ALTER ROLE app PASSWORD '***'"),
        ("open root:Ke7e65sec@tcp(db:3306)/app", "open root:***@tcp(db:3306)/app"),
        ("xfreerdp -u bob -p I7NPOZoVvW8k host", "xfreerdp -u bob -p *** host"),
        (r#"./deploy --password "gingermaple""#, r#"./deploy --password "***""#),
    ] {
        assert_eq!(mask(text), masked, "{text}");
    }
}

/// Returns the text of a sample: each `{l8}` replaced by 8 characters of its class, and those pieces.
fn filled(sample: &str, seed: u64) -> (String, Vec<String>) {
    let (mut text, mut pieces, mut state) = (String::new(), Vec::new(), seed);
    let mut rest = sample;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((spec, after)) = after.split_once('}').filter(|(spec, _)| spec.len() <= 4) else {
            text.push('{');
            rest = after;
            continue;
        };
        let upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let (lower, digits) = (upper.to_lowercase(), "0123456789");
        let class = match spec.chars().next().unwrap() {
            'A' => format!("{upper}{lower}{digits}"),
            'U' => format!("{upper}234567"),
            'l' => format!("{lower}{digits}"),
            'x' => format!("abcdef{digits}"),
            'X' => format!("ABCDEF{digits}"),
            'd' => digits.to_owned(),
            'b' => format!("{upper}{lower}{digits}+/"),
            'w' => format!("{upper}{lower}{digits}-_"),
            other => panic!("class {other}"),
        };
        let mut piece = String::new();
        for _ in 0..spec.get(1..).unwrap().parse::<usize>().unwrap() {
            // The constants of Knuth's MMIX generator.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let at = usize::try_from(state >> 33).unwrap() % class.len();
            piece.push_str(class.get(at..=at).unwrap());
        }
        text.push_str(&piece);
        pieces.push(piece);
        rest = after;
    }
    (text + rest, pieces)
}

#[test]
fn keys_as_services_issue_them_are_masked_in_every_surrounding() {
    let samples = include_str!("vendor_samples.txt").lines().filter(|line| !line.starts_with('#'));
    let (mut shown, mut tried) = (Vec::new(), 0);
    for (seed, sample) in (1..).zip(samples) {
        let (secret, pieces) = filled(sample, seed);
        let long = pieces.iter().max_by_key(|piece| piece.len()).unwrap();
        for (before, after) in [
            ("", ""),
            ("see ", " there"),
            ("2026-01-01T00:00:00Z ", "\n"),
            ("\u{1b}[31m", "\u{1b}[0m"),
            (r"a\n", r"\nb"),
        ] {
            let text = format!("{before}{secret}{after}");
            tried += 1;
            if mask(&text).contains(long) {
                shown.push(format!("{text} -> {}", mask(&text)));
            }
        }
    }
    assert!(tried > 1_000);
    assert!(shown.len() * 100 <= tried * 2, "{} of {tried}:\n{}", shown.len(), shown.join("\n"));
}

#[test]
fn digests_prose_and_source_code_survive() {
    for text in [
        &format!("FILE[src/token.rs] (sha256={DIGEST}):"),
        &format!(r#""base_sha256":"{DIGEST}""#),
        "commit 6ceb498b221efa11f559602beb2463b8b52c2161",
        "let token = lexer.next();",
        "let token = tokens[2];",
        "password: String,",
        "password: Option<String>,",
        "token: uint64",
        "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf",
        "password=e.password||\"\",u=1",
        "PASSWORD_HELP=\"the password must have 8 characters\"",
        "fn token(&self) -> Token {",
        "connect(user=user, password=password)",
        "token=self.token,",
        "token=get_token2()",
        "if token == other2 {",
        "api_key: settings.api_key",
        r#""password": "string""#,
        r#""token_type": "bearer""#,
        r#"{ "type": "password" }"#,
        "token=None",
        "risk-assessment-2026 and sk-toggleable__label",
        "Bearer authentication is used",
        "postgres://${USER}:${PASS}@db/x",
        "https://example.com/a:b@c",
        "-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----",
        "error: unexpected token `foo`, expected `;`",
        "SyntaxError: Unexpected token: punc",
    ] {
        assert!(matches!(mask(text), Cow::Borrowed(_)), "{text} -> {}", mask(text));
    }
}

#[test]
fn sources_and_logs_that_only_name_secrets_survive() {
    for line in include_str!("../../../../../tests/attacks/plain_lines.txt").lines() {
        assert_eq!(mask(line), line);
    }
}

#[test]
fn known_values_are_masked_wherever_they_stand() {
    let masker = Masker::new(["opensesame", "short", "opensesame-longer", ""].map(str::to_owned));
    assert_eq!(
        masker.mask("x=opensesame-longer opensesame's short password=hunter2"),
        "x=*** ***'s short password=***"
    );
    assert_eq!(Masker::new([]).mask("plain"), "plain");
}

#[test]
fn a_long_text_is_masked_in_an_instant() {
    let text =
        "let token = self.next(); // the key of secret things, https://x/ sha256\n".repeat(1_700);
    assert!(text.len() > 120_000 && mask(&text) == text);
}

fn secretive() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "sk-", "sk-ant-", "abc123DEF456", "Bearer ", "password", "token", "=", ": ", "\"", "'",
        "***", "*", "https://", "user", ":", "@", "host", "eyJ", ".",
        "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "\n", " ", "known-one", "AKIA",
        "ABCDEFGHIJ123456", "authorization", "secret*", "&", "ghp_",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

#[test]
fn a_copied_mark_is_told_from_three_stars_of_the_text() {
    let masker = Masker::new(["known-one".to_owned()]);
    for (old, new, copied) in [
        ("a = known-one\nb = 1\n", "a = ***\nb = 2\n", true),
        ("a = known-one\nb = 1\n", "a = known-one\nb = 2\n", false),
        ("a = known-one\nb = 1\n", "b = 2\n", false),
        ("*** a\nknown-one\n", "*** b\nknown-one\n", false),
        ("b = 1\n", "b = '***'\n", false),
    ] {
        assert_eq!(masker.is_copied_mark(old, new), copied, "{old} -> {new}");
    }
}

proptest! {
    #[test]
    fn masking_twice_changes_nothing_more(text in secretive(), noise in any::<String>()) {
        let masker = Masker::new(["known-one", "*abc123", "secret*", "******"].map(str::to_owned));
        for text in [text, noise] {
            let once = masker.mask(&text).into_owned();
            assert_eq!(masker.mask(&once), once, "{text:?}");
            let once = mask(&text).into_owned();
            assert_eq!(mask(&once), once, "{text:?}");
        }
    }

    #[test]
    fn hashes_are_never_masked(hash in "[0-9a-f]{40}|[0-9a-f]{64}", before in "(sha256=|\"base_sha256\": \"|commit |at )") {
        let text = format!("{before}{hash}");
        assert_eq!(mask(&text), text);
    }
}
