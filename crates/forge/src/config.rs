//! The address, the repository and the token of a forge.

use papayu_base::domain::{AccessToken, EventSink};
use papayu_base::text::Masker;
use papayu_system::System;

use super::AppConfig;
use super::error::{ForgeError, ForgeFault};

/// The repository, the server's address, and the token.
#[derive(Clone, Debug, Default)]
pub struct ForgeConfig {
    /// The address of the API, such as `https://api.github.com` or `https://HOST/api/v4`.
    pub api_url: String,
    /// The name of the repository: `OWNER/NAME`, on GitLab with all groups.
    pub repository: String,
    /// The token.
    pub token: Option<AccessToken>,
    /// Servers with private addresses that may have job logs, as `HOST` or `HOST:PORT`.
    pub log_hosts: Vec<String>,
    /// The address of the CI run, which commit statuses link to.
    pub run_url: Option<String>,
    /// The GitHub App that obtains the token.
    pub app: Option<AppConfig>,
}

/// The outside world of a forge's client.
#[derive(Clone, Copy)]
pub struct Outside<'a> {
    /// Requests and waits.
    pub system: System<'a>,
    /// Receives `FORGE_RETRY`.
    pub events: &'a dyn EventSink,
    /// Hides secrets in what is sent and in messages.
    pub masker: &'a Masker,
}

impl ForgeConfig {
    /// Returns the address of the API without a slash at its end.
    pub(super) fn api(&self) -> &str {
        self.api_url.trim_end_matches('/')
    }

    /// Returns the parts of the repository's name.
    ///
    /// # Errors
    ///
    /// `NotFound` when there are fewer than `parts.start()` or more than `parts.end()`, or when one of them would
    /// change the path of the address that it becomes part of.
    pub(super) fn name_parts(
        &self,
        parts: std::ops::RangeInclusive<usize>,
    ) -> Result<Vec<&str>, ForgeError> {
        let found: Vec<&str> = self.repository.split('/').collect();
        if parts.contains(&found.len()) && found.iter().all(|part| is_name_part(part)) {
            return Ok(found);
        }
        let message = format!("`{}` is not `OWNER/NAME`", self.repository);
        Err(ForgeError::new("name the repository", ForgeFault::NotFound, message))
    }
}

/// Returns `true` for an owner or a name that forges permit.
fn is_name_part(part: &str) -> bool {
    // `.` and `..` would change the path of the URL that the name becomes a part of.
    let is_plain = part.chars().all(|c| c.is_ascii_alphanumeric() || "-_. ".contains(c));
    !part.trim().is_empty() && is_plain && !matches!(part, "." | "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_change_the_path_it_becomes_part_of() {
        assert!(["a", "a-b_c.d", "...", "A1", "a b"].iter().all(|name| is_name_part(name)));
        let bad = ["", ".", "..", "a/b", "a?b", "a%2f", "a#b", " ", "я"];
        assert!(bad.iter().all(|name| !is_name_part(name)));
    }

    #[test]
    fn a_name_has_as_many_parts_as_the_forge_permits() {
        let parts = |name: &str, range| {
            let config = ForgeConfig { repository: name.to_owned(), ..ForgeConfig::default() };
            config.name_parts(range).is_ok()
        };
        assert!(parts("o/r", 2..=2) && parts("g/h/r", 2..=20));
        for name in ["", "r", "o/r/x", "o/../r", "o//r"] {
            assert!(!parts(name, 2..=2), "{name}");
        }
    }
}
