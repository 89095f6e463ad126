//! The environment variables that child processes do not receive.

/// A set of variable names; case is ignored.
struct Names {
    whole: &'static [&'static str],
    starts: &'static [&'static str],
    ends: &'static [&'static str],
    parts: &'static [&'static str],
}

impl Names {
    /// Returns `true` if the set has the name. Windows has no case in names of variables, and tools on Unix read
    /// both cases, so case is ignored.
    fn contains(&self, name: &str) -> bool {
        let name = name.to_ascii_uppercase();
        self.whole.contains(&name.as_str())
            || self.starts.iter().any(|text| name.starts_with(text))
            || self.ends.iter().any(|text| name.ends_with(text))
            || self.parts.iter().any(|text| name.contains(text))
    }
}

/// Names that secrets go by (README, "What a reply may not do"). What else looks like one is kept
/// back too: a command that needs it can be given it by name, a leaked token cannot be called back.
const SECRETS: Names = Names {
    whole: &["NETRC", "SSH_AUTH_SOCK"],
    starts: &["PAPAYU_", "ACTIONS_ID_TOKEN_", "ACTIONS_RUNTIME_"],
    // The headers of OTLP carry the API key of the observability service.
    ends: &[
        "_PASS", "_PWD", "_PAT", "_AUTH", "_JWT", "_DSN", "_KEY", "_OTLP_HEADERS",
        "_OTLP_TRACES_HEADERS",
    ],
    parts: &[
        "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "PASSPHRASE", "APIKEY", "WEBHOOK",
    ],
};

/// Files through which a job's step sets outputs and variables of the steps after it: nothing but
/// us has a word to say there.
const OF_THE_RUNNER: [&str; 5] =
    ["GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"];

/// Returns true when a variable of this name is withheld from child processes as a secret.
pub fn is_secret(name: &str) -> bool {
    SECRETS.contains(name)
}

/// Variables that commands of the repository see, unless their names are those of secrets.
const PUBLIC: Names = Names {
    whole: &[
        "PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TZDIR", "USER", "LOGNAME", "SHELL", "HOSTNAME",
        "TMPDIR", "TMP", "TEMP", "COLUMNS", "LINES", "DISPLAY", "NO_COLOR", "FORCE_COLOR", "DEBUG",
        "SOURCE_DATE_EPOCH", "CI", "CONTINUOUS_INTEGRATION", "IMAGEOS", "IMAGEVERSION",
    ],
    // The system, CI services, and tools: their homes, caches and options.
    starts: &[
        "LC_", "TERM", "COLOR", "CLICOLOR", "XDG_DATA_", "SSL_CERT_", "BUILD_", "GITHUB_",
        "RUNNER_", "GITLAB_CI", "CI_", "CARGO", "RUST", "GO", "CGO_", "NODE", "NPM_", "NVM_",
        "FNM_", "VOLTA_", "COREPACK_", "YARN_", "PNPM_", "BUN_", "DENO_", "VITEST", "JEST_",
        "PLAYWRIGHT_", "PUPPETEER_", "CYPRESS_", "PYTHON", "PYTEST_", "PYENV_", "PIP_", "PIPENV_",
        "POETRY_", "UV_", "TOX_", "NOX_", "CONDA_", "VIRTUAL_ENV", "DJANGO_", "FLASK_", "JAVA_",
        "JDK_", "MAVEN_", "M2", "GRADLE_", "KOTLIN_", "SBT_", "SDKMAN_", "ANDROID_", "DOTNET_",
        "NUGET_", "MSBUILD", "RUBY", "GEM_", "BUNDLE_", "RBENV_", "RAILS_", "RACK_", "PHP",
        "COMPOSER_", "SYMFONY_", "ASDF_", "MISE_", "CC", "CXX", "LD", "AR", "CFLAGS", "CPPFLAGS",
        "CMAKE_", "CTEST_", "GTEST_", "MAKE", "NINJA_", "MESON_", "PKG_CONFIG", "LIB", "CPATH",
        "LLVM_", "ASAN_", "SCCACHE_", "OMP_", "MPL", "QT_",
    ],
    ends: &["_CA_BUNDLE", "_PROXY"],
    parts: &[],
};

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
        PUBLIC.contains(name) && !is_kept_back(name) && !has_password(value)
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
