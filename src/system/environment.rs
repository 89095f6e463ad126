//! The environment variables that child processes do not receive.

/// A pattern of variable names; case is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Is(&'static str),
    Begins(&'static str),
    Ends(&'static str),
    Contains(&'static str),
}

/// Names that secrets go by (README, "What a reply may not do"). What else looks like one is kept
/// back too: a command that needs it can be given it by name, a leaked token cannot be called back.
const SECRETS: &[Name] = &[
    Name::Contains("TOKEN"),
    Name::Contains("SECRET"),
    Name::Contains("PASSWORD"),
    Name::Contains("PASSWD"),
    Name::Contains("CREDENTIAL"),
    Name::Contains("PASSPHRASE"),
    Name::Contains("APIKEY"),
    Name::Contains("WEBHOOK"),
    Name::Ends("_PASS"),
    Name::Ends("_PWD"),
    Name::Ends("_PAT"),
    Name::Ends("_AUTH"),
    Name::Ends("_JWT"),
    Name::Ends("_DSN"),
    Name::Is("NETRC"),
    Name::Ends("_KEY"),
    Name::Begins("PAPAYU_"),
    // They carry the API key of the observability service.
    Name::Ends("_OTLP_HEADERS"),
    Name::Ends("_OTLP_TRACES_HEADERS"),
    Name::Begins("ACTIONS_ID_TOKEN_"),
    Name::Begins("ACTIONS_RUNTIME_"),
    Name::Is("SSH_AUTH_SOCK"),
];

/// Files through which a job's step sets outputs and variables of the steps after it: nothing but
/// us has a word to say there.
const OF_THE_RUNNER: [&str; 5] =
    ["GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"];

/// Returns true when a variable of this name is withheld from child processes as a secret.
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRETS.iter().any(|rule| match *rule {
        Name::Is(text) => name == text,
        Name::Begins(text) => name.starts_with(text),
        Name::Ends(text) => name.ends_with(text),
        Name::Contains(text) => name.contains(text),
    })
}

fn is_kept_back(name: &str) -> bool {
    is_secret(name) || OF_THE_RUNNER.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Returns the variables a child process may see: all but secrets and the way to the CI's runner,
/// and of those the ones that `keep` names.
pub fn scrubbed<'a>(
    environment: &'a [(String, String)],
    keep: &'a [String],
) -> impl Iterator<Item = (&'a str, &'a str)> {
    environment
        .iter()
        .filter(|(name, _)| !is_kept_back(name) || keep.contains(name))
        .map(|(name, value)| (name.as_str(), value.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_either_case() {
        for name in [
            "GITHUB_TOKEN",
            "npm_config__authToken",
            "AWS_SECRET_ACCESS_KEY",
            "PGPASSWORD",
            "MYSQL_PASSWD",
            "OPENAI_API_KEY",
            "openai_apikey",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "PAPAYU_LLM_MODEL",
            "SSH_AUTH_SOCK",
            "ACTIONS_ID_TOKEN_REQUEST_URL",
            "ACTIONS_RUNTIME_URL",
            "OTEL_EXPORTER_OTLP_HEADERS",
        ] {
            assert!(is_secret(name), "{name}");
        }
    }

    #[test]
    fn what_builds_need_is_kept() {
        for name in [
            "PATH",
            "HOME",
            "CI",
            "GITHUB_WORKSPACE",
            "GITHUB_SHA",
            "RUSTFLAGS",
            "CARGO_HOME",
            "KEYBOARD",
            "LC_ALL",
            "NODE_OPTIONS",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn a_secret_is_kept_when_it_is_asked_for_by_name() {
        let pair = |name: &str| (name.to_owned(), "1".to_owned());
        let environment =
            [pair("PATH"), pair("NPM_TOKEN"), pair("GITHUB_TOKEN"), pair("GITHUB_OUTPUT")];
        let keep = ["NPM_TOKEN".to_owned()];
        let names: Vec<_> = scrubbed(&environment, &keep).map(|(name, _)| name).collect();
        assert_eq!(names, ["PATH", "NPM_TOKEN"]);
    }
}
