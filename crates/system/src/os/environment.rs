//! The process's own environment, read once.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::OnceLock;

/// A variable's name and value.
pub(super) type EnvironmentVariable = (OsString, OsString);

/// The environment that `main` took over; see [`super::handover`].
struct Taken {
    /// With names and values that may not be UTF-8.
    variables: Vec<EnvironmentVariable>,
    /// The reason why other processes can read the environment.
    exposure: Option<String>,
}

/// Set once, before any thread is started.
static TAKEN: OnceLock<Taken> = OnceLock::new();

/// Sets the variables that all other functions return; the first call counts.
pub(super) fn set_process_environment(
    variables: Vec<EnvironmentVariable>,
    exposure: Option<String>,
) {
    let _ = TAKEN.set(Taken { variables, exposure });
}

/// Returns every variable with a UTF-8 name and value.
#[expect(clippy::disallowed_methods, reason = "the only module that reads the environment")]
pub fn snapshot() -> Vec<(String, String)> {
    let text = |(name, value): EnvironmentVariable| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    match TAKEN.get() {
        Some(taken) => taken.variables.iter().cloned().filter_map(text).collect(),
        None => std::env::vars_os().filter_map(text).collect(),
    }
}

/// Returns the value of a variable that is set and not empty. `None` otherwise.
#[expect(clippy::disallowed_methods, reason = "the only module that reads the environment")]
pub(super) fn variable(name: &str) -> Option<OsString> {
    let value = match TAKEN.get() {
        Some(taken) => {
            let found = taken.variables.iter().find(|(known, _)| known == OsStr::new(name));
            found.map(|(_, value)| value.clone())
        }
        None => std::env::var_os(name),
    };
    value.filter(|value| !value.is_empty())
}

/// Returns the folder for temporary files.
pub(super) fn temporary_folder() -> PathBuf {
    variable("TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from)
}

/// Returns the reason why other processes of the user can read the environment of this one; `None`
/// when they cannot, or when the program did not take its environment over.
pub fn exposure() -> Option<String> {
    TAKEN.get().and_then(|taken| taken.exposure.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_snapshot_holds_the_search_path() {
        assert!(snapshot().iter().any(|(name, value)| name == "PATH" && !value.is_empty()));
        assert!(variable("PATH").is_some());
    }
}
