//! Environment variables that make test runners name each test, without a change of what runs.

/// Makes pytest list every result but the outputs: failed, error, passed, skipped, expected failure.
const PYTEST: &str = "-rfEpsxX";

/// Options that are given to test runners by their own variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunnerOptions {
    pytest: String,
    go: String,
}

impl RunnerOptions {
    /// Returns the options for an environment, in which the user may have given some already.
    /// Options of the user remain and come first, so that ours are added to them.
    pub fn new(environment: &[(String, String)]) -> Self {
        let own = |name: &str| {
            let found = environment.iter().find(|(key, _)| key == name);
            // A blank separates two options.
            found.map_or(String::new(), |(_, value)| format!("{value} "))
        };
        Self { pytest: own("PYTEST_ADDOPTS") + PYTEST, go: own("GOFLAGS") + "-v" }
    }

    /// Returns the variables for a command.
    ///
    /// `GOFLAGS` is set for `go test` only, because other commands of go print package names with it.
    pub fn variables(&self, command: &str) -> Vec<(String, String)> {
        let mut all = vec![("PYTEST_ADDOPTS".to_owned(), self.pytest.clone())];
        // With `-json` go names each test already.
        if command.contains("go test") && !command.contains("-json") {
            all.push(("GOFLAGS".to_owned(), self.go.clone()));
        }
        all.retain(|(_, value)| !value.is_empty());
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_own_options_stay_in_front() {
        let own = [("PYTEST_ADDOPTS".to_owned(), "-x".to_owned())];
        let all = RunnerOptions::new(&own).variables("go test ./...");
        let expected = [("PYTEST_ADDOPTS", "-x -rfEpsxX"), ("GOFLAGS", "-v")];
        assert_eq!(all, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(RunnerOptions::new(&own).variables("make").len(), 1);
    }
}
