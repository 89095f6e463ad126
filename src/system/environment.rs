//! The environment variables that child processes do not receive.

/// A pattern of variable names; case is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    /// The whole name.
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
    matches(SECRETS, name)
}

/// Variables that commands of the repository see, unless their names are those of secrets.
const PUBLIC: &[Name] = &[
    // The system and its users.
    Name::Begins("LC_"),
    Name::Begins("TERM"),
    Name::Begins("COLOR"),
    Name::Begins("CLICOLOR"),
    Name::Begins("XDG_DATA_"),
    Name::Is("PATH"),
    Name::Is("HOME"),
    Name::Is("LANG"),
    Name::Is("LANGUAGE"),
    Name::Is("TZ"),
    Name::Is("TZDIR"),
    Name::Is("USER"),
    Name::Is("LOGNAME"),
    Name::Is("SHELL"),
    Name::Is("HOSTNAME"),
    Name::Is("TMPDIR"),
    Name::Is("TMP"),
    Name::Is("TEMP"),
    Name::Is("COLUMNS"),
    Name::Is("LINES"),
    Name::Is("DISPLAY"),
    Name::Is("NO_COLOR"),
    Name::Is("FORCE_COLOR"),
    Name::Is("DEBUG"),
    Name::Is("SOURCE_DATE_EPOCH"),
    Name::Begins("SSL_CERT_"),
    Name::Ends("_CA_BUNDLE"),
    Name::Ends("_PROXY"),
    // CI services.
    Name::Is("CI"),
    Name::Is("CONTINUOUS_INTEGRATION"),
    Name::Begins("BUILD_"),
    Name::Begins("GITHUB_"),
    Name::Begins("RUNNER_"),
    Name::Begins("GITLAB_CI"),
    Name::Begins("CI_"),
    Name::Is("IMAGEOS"),
    Name::Is("IMAGEVERSION"),
    // Tools: their homes, caches and options.
    Name::Begins("CARGO"),
    Name::Begins("RUST"),
    Name::Begins("GO"),
    Name::Begins("CGO_"),
    Name::Begins("NODE"),
    Name::Begins("NPM_"),
    Name::Begins("NVM_"),
    Name::Begins("FNM_"),
    Name::Begins("VOLTA_"),
    Name::Begins("COREPACK_"),
    Name::Begins("YARN_"),
    Name::Begins("PNPM_"),
    Name::Begins("BUN_"),
    Name::Begins("DENO_"),
    Name::Begins("VITEST"),
    Name::Begins("JEST_"),
    Name::Begins("PLAYWRIGHT_"),
    Name::Begins("PUPPETEER_"),
    Name::Begins("CYPRESS_"),
    Name::Begins("PYTHON"),
    Name::Begins("PYTEST_"),
    Name::Begins("PYENV_"),
    Name::Begins("PIP_"),
    Name::Begins("PIPENV_"),
    Name::Begins("POETRY_"),
    Name::Begins("UV_"),
    Name::Begins("TOX_"),
    Name::Begins("NOX_"),
    Name::Begins("CONDA_"),
    Name::Begins("VIRTUAL_ENV"),
    Name::Begins("DJANGO_"),
    Name::Begins("FLASK_"),
    Name::Begins("JAVA_"),
    Name::Begins("JDK_"),
    Name::Begins("MAVEN_"),
    Name::Begins("M2"),
    Name::Begins("GRADLE_"),
    Name::Begins("KOTLIN_"),
    Name::Begins("SBT_"),
    Name::Begins("SDKMAN_"),
    Name::Begins("ANDROID_"),
    Name::Begins("DOTNET_"),
    Name::Begins("NUGET_"),
    Name::Begins("MSBUILD"),
    Name::Begins("RUBY"),
    Name::Begins("GEM_"),
    Name::Begins("BUNDLE_"),
    Name::Begins("RBENV_"),
    Name::Begins("RAILS_"),
    Name::Begins("RACK_"),
    Name::Begins("PHP"),
    Name::Begins("COMPOSER_"),
    Name::Begins("SYMFONY_"),
    Name::Begins("ASDF_"),
    Name::Begins("MISE_"),
    Name::Begins("CC"),
    Name::Begins("CXX"),
    Name::Begins("LD"),
    Name::Begins("AR"),
    Name::Begins("CFLAGS"),
    Name::Begins("CPPFLAGS"),
    Name::Begins("CMAKE_"),
    Name::Begins("CTEST_"),
    Name::Begins("GTEST_"),
    Name::Begins("MAKE"),
    Name::Begins("NINJA_"),
    Name::Begins("MESON_"),
    Name::Begins("PKG_CONFIG"),
    Name::Begins("LIB"),
    Name::Begins("CPATH"),
    Name::Begins("LLVM_"),
    Name::Begins("ASAN_"),
    Name::Begins("SCCACHE_"),
    Name::Begins("OMP_"),
    Name::Begins("MPL"),
    Name::Begins("QT_"),
];

/// Returns `true` if one of the patterns matches the name. Windows has no case in names of
/// variables, and tools on Unix read both cases, so case is ignored.
fn matches(rules: &[Name], name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    rules.iter().any(|rule| match *rule {
        Name::Is(text) => name == text,
        Name::Begins(text) => name.starts_with(text),
        Name::Ends(text) => name.ends_with(text),
        Name::Contains(text) => name.contains(text),
    })
}

/// Returns `true` for a secret, and for a file of the CI runner.
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

/// Returns the variables that a command of the repository may see: those of a fixed list and
/// the ones that `keep` names.
///
/// Secrets and addresses with a password are left out of the list; `keep` is the user's own
/// choice and overrides that.
pub fn public<'a>(
    environment: &'a [(String, String)],
    keep: &'a [String],
) -> impl Iterator<Item = (&'a str, &'a str)> {
    let is_public = |name: &str, value: &str| {
        matches(PUBLIC, name) && !is_kept_back(name) && !has_password(value)
    };
    environment
        .iter()
        .filter(move |(name, value)| keep.contains(name) || is_public(name, value))
        .map(|(name, value)| (name.as_str(), value.as_str()))
}

/// Returns `true` for `scheme://user:password@host`.
fn has_password(value: &str) -> bool {
    value.split("://").skip(1).any(|rest| {
        let host = rest.split(['/', ' ']).next().unwrap_or_default();
        host.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'))
    })
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
            "PATH", "HOME", "CI", "GITHUB_WORKSPACE", "GITHUB_SHA", "RUSTFLAGS", "CARGO_HOME",
            "KEYBOARD", "LC_ALL", "NODE_OPTIONS",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn commands_see_a_fixed_list_without_secrets() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let environment = [
            pair("PATH", "/bin"),
            pair("NODE_ENV", "test"),
            pair("npm_config_registry", "https://registry.example/"),
            pair("PIP_INDEX_URL", "https://me:pass@registry.example/"),
            pair("NPM_TOKEN", "1"),
            pair("GITHUB_SHA", "1"),
            pair("GITHUB_ENV", "/x"),
            pair("DATABASE_URL", "postgres://localhost/x"),
            pair("MY_OWN", "1"),
            pair("SSH_AUTH_SOCK", "/x"),
        ];
        let keep = ["MY_OWN".to_owned()];
        let names: Vec<_> = public(&environment, &keep).map(|(name, _)| name).collect();
        assert_eq!(names, ["PATH", "NODE_ENV", "npm_config_registry", "GITHUB_SHA", "MY_OWN"]);
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
