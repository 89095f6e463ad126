//! The addresses of the forges, and the names by which they know repositories.

use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::config::{ForgeConfig, Outside};
use super::error::ForgeError;
use super::forge_word::ForgeKind;
use super::wire::is_gitlab_job_token;
use super::{Azure, Bitbucket, Forge, GitHub, GitLab, Gitea};
use papayu_base::domain::{AccessToken, HostToken};

/// Hosts of APIs that everyone knows, and their forges.
const API_HOSTS: [(&str, ForgeKind); 3] = [
    ("api.github.com", ForgeKind::GitHub),
    ("api.bitbucket.org", ForgeKind::Bitbucket),
    ("dev.azure.com", ForgeKind::Azure),
];

/// Endings of the address of an API, and the forge that has them there.
const API_PATHS: [(&str, ForgeKind); 3] =
    [("/api/v3", ForgeKind::GitHub), ("/api/v4", ForgeKind::GitLab), ("/api/v1", ForgeKind::Gitea)];

/// Hosts of repositories that everyone knows, and their forges.
const HOSTS: [(&str, ForgeKind); 5] = [
    ("github.com", ForgeKind::GitHub),
    ("gitlab.com", ForgeKind::GitLab),
    ("bitbucket.org", ForgeKind::Bitbucket),
    ("dev.azure.com", ForgeKind::Azure),
    ("ssh.dev.azure.com", ForgeKind::Azure),
];

impl ForgeKind {
    /// Returns the forge that has its API at an address; `None` if its form is that of no forge.
    pub fn from_api(api_url: &str) -> Option<Self> {
        let url = Url::parse(api_url).ok()?;
        let (host, path) = (url.host_str()?, url.path().trim_end_matches('/'));
        if host.ends_with(".visualstudio.com") {
            return Some(Self::Azure);
        }
        // GitHub Enterprise Cloud with data residency: `https://api.SUBDOMAIN.ghe.com`
        if host.starts_with("api.") && host.ends_with(".ghe.com") {
            return Some(Self::GitHub);
        }
        let of_host = API_HOSTS.iter().find(|(known, _)| *known == host);
        let found = of_host.or_else(|| API_PATHS.iter().find(|(end, _)| path.ends_with(end)));
        found.map(|(_, kind)| *kind)
    }

    /// Returns the forge of a well-known host of repositories, such as `github.com`; `None` for any other.
    pub fn from_host(host: &str) -> Option<Self> {
        let known = HOSTS.iter().find(|(known, _)| *known == host).map(|(_, kind)| *kind);
        known.or_else(|| host.ends_with(".visualstudio.com").then_some(Self::Azure))
    }

    /// Returns the address of the API for a repository at a path of the forge's public server; `None` for a forge
    /// without one.
    pub fn public_api(self, path: &str) -> Option<String> {
        match self {
            Self::GitHub => Some("https://api.github.com".to_owned()),
            Self::GitLab => Some("https://gitlab.com/api/v4".to_owned()),
            Self::Bitbucket => Some("https://api.bitbucket.org/2.0".to_owned()),
            Self::Gitea => None,
            Self::Azure => {
                let organisation = path.strip_prefix("v3/").unwrap_or(path).split('/').next()?;
                let is_name = !organisation.is_empty() && organisation != "_git";
                is_name.then(|| {
                    format!("https://dev.azure.com/{}", super::field::escape(organisation))
                })
            }
        }
    }

    /// Returns the server that repositories are on where the API is at this address.
    pub fn git_host(self, api_url: &str) -> String {
        let url = Url::parse(api_url).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
        let inner = host.strip_prefix("api.");
        let is_other = match self {
            Self::GitHub => host == "api.github.com" || host.ends_with(".ghe.com"),
            Self::Bitbucket => host == "api.bitbucket.org",
            Self::GitLab | Self::Gitea | Self::Azure => false,
        };
        inner.filter(|_| is_other).unwrap_or(host).to_owned()
    }

    /// Returns the name of the repository at a path of its server; empty where the path has none.
    pub fn repository_name(self, path: &str) -> String {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let (owner, name) = match (self, parts.as_slice()) {
            (Self::GitLab, [_, _, ..]) => return parts.join("/"),
            // `ORG/PROJECT/_git/NAME`, `PROJECT/_git/NAME` and `v3/ORG/PROJECT/NAME`; a repository that is called as
            // its project has no project in the path.
            (Self::Azure, [.., project, "_git", name] | ["v3", _, project, name]) => {
                (project, name)
            }
            (Self::Azure, ["_git", name]) => (name, name),
            (Self::GitHub | Self::Gitea | Self::Bitbucket, [.., owner, name]) => (owner, name),
            (Self::GitHub | Self::GitLab | Self::Gitea | Self::Bitbucket | Self::Azure, _) => {
                return String::new();
            }
        };
        format!("{owner}/{name}")
    }

    /// Returns the users that [`Self::git_token`] sends a token with.
    pub fn git_users(self) -> &'static [&'static str] {
        match self {
            Self::GitHub | Self::Gitea | Self::Azure => &["x-access-token"],
            Self::GitLab => &["oauth2", "gitlab-ci-token"],
            Self::Bitbucket => &["x-token-auth", "x-bitbucket-api-token-auth"],
        }
    }

    /// Returns the token as git sends it to the server of the repositories.
    pub fn git_token(self, api_url: &str, token: &AccessToken) -> HostToken {
        let current = token.current();
        let words = current.expose_secret();
        let email_and_token = words.split_once(':').filter(|_| self == Self::Bitbucket);
        let (user, token) = match (self, email_and_token) {
            (_, Some((_, secret))) => {
                ("x-bitbucket-api-token-auth", AccessToken::new(&SecretString::from(secret)))
            }
            (Self::Bitbucket, None) => ("x-token-auth", token.clone()),
            (Self::GitLab, _) if is_gitlab_job_token(words) => ("gitlab-ci-token", token.clone()),
            (Self::GitLab, _) => ("oauth2", token.clone()),
            (Self::GitHub | Self::Gitea | Self::Azure, _) => ("x-access-token", token.clone()),
        };
        HostToken { host: self.git_host(api_url), user, token }
    }

    /// Opens one repository; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// `NotFound` when the repository is not named as this forge names repositories.
    pub fn open_repository<'a>(
        self,
        config: &ForgeConfig,
        outside: Outside<'a>,
    ) -> Result<Box<dyn Forge + 'a>, ForgeError> {
        Ok(match self {
            Self::GitHub => Box::new(GitHub::new(config, outside)?),
            Self::GitLab => Box::new(GitLab::new(config, outside)?),
            Self::Gitea => Box::new(Gitea::new(config, outside)?),
            Self::Bitbucket => Box::new(Bitbucket::new(config, outside)?),
            Self::Azure => Box::new(Azure::new(config, outside)?),
        })
    }

    /// Opens the forge itself, for questions about no one repository.
    pub fn open_whole<'a>(self, config: &ForgeConfig, outside: Outside<'a>) -> Box<dyn Forge + 'a> {
        match self {
            Self::GitHub => Box::new(GitHub::whole(config, outside)),
            Self::GitLab => Box::new(GitLab::whole(config, outside)),
            Self::Gitea => Box::new(Gitea::whole(config, outside)),
            Self::Bitbucket => Box::new(Bitbucket::whole(config, outside)),
            Self::Azure => Box::new(Azure::whole(config, outside)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forge_is_known_by_the_address_of_its_api() {
        for (api_url, kind) in [
            ("https://api.github.com", Some(ForgeKind::GitHub)),
            ("https://ghe.example/api/v3/", Some(ForgeKind::GitHub)),
            ("https://api.octo.ghe.com", Some(ForgeKind::GitHub)),
            ("https://git.example/gitlab/api/v4", Some(ForgeKind::GitLab)),
            ("https://codeberg.org/api/v1", Some(ForgeKind::Gitea)),
            ("https://api.bitbucket.org/2.0", Some(ForgeKind::Bitbucket)),
            ("https://dev.azure.com/org", Some(ForgeKind::Azure)),
            ("https://org.visualstudio.com/", Some(ForgeKind::Azure)),
            ("https://github.com.evil.example/", None),
            ("https://evilghe.com", None),
            ("words", None),
        ] {
            assert_eq!(ForgeKind::from_api(api_url), kind, "{api_url}");
        }
    }

    #[test]
    fn repositories_are_on_the_host_that_the_api_belongs_to() {
        for (kind, api_url, host) in [
            (ForgeKind::GitHub, "https://api.github.com", "github.com"),
            (ForgeKind::GitHub, "https://api.octo.ghe.com", "octo.ghe.com"),
            (ForgeKind::GitHub, "https://ghe.example/api/v3", "ghe.example"),
            (ForgeKind::GitHub, "https://api.example/api/v3", "api.example"),
            (ForgeKind::GitLab, "https://api.example/api/v4", "api.example"),
            (ForgeKind::Bitbucket, "https://api.bitbucket.org/2.0", "bitbucket.org"),
            (ForgeKind::Azure, "https://dev.azure.com/org", "dev.azure.com"),
            (ForgeKind::Gitea, "words", ""),
        ] {
            assert_eq!(kind.git_host(api_url), host, "{api_url}");
        }
    }

    #[test]
    fn each_forge_names_repositories_in_its_own_way() {
        for (kind, path, name) in [
            (ForgeKind::GitHub, "o/n", "o/n"),
            (ForgeKind::GitHub, "srv/git/o/n", "o/n"),
            (ForgeKind::GitHub, "n", ""),
            (ForgeKind::GitLab, "group/sub/n", "group/sub/n"),
            (ForgeKind::Azure, "org/a b/_git/n", "a b/n"),
            (ForgeKind::Azure, "p/_git/n", "p/n"),
            (ForgeKind::Azure, "v3/org/p/n", "p/n"),
            (ForgeKind::Azure, "_git/n", "n/n"),
            (ForgeKind::Azure, "o/n", ""),
        ] {
            assert_eq!(kind.repository_name(path), name, "{path}");
        }
        let api = |path| ForgeKind::Azure.public_api(path);
        assert_eq!(api("v3/org/p/n").as_deref(), Some("https://dev.azure.com/org"));
        assert_eq!(api("org/p/_git/n").as_deref(), Some("https://dev.azure.com/org"));
        assert_eq!(api(""), None);
    }

    #[test]
    fn git_sends_a_token_with_the_user_that_the_forge_expects() {
        for (kind, token, user, sent) in [
            (ForgeKind::GitHub, "ghs_x", "x-access-token", "ghs_x"),
            (ForgeKind::GitLab, "glpat-x", "oauth2", "glpat-x"),
            (ForgeKind::GitLab, "glcbt-x", "gitlab-ci-token", "glcbt-x"),
            (ForgeKind::Bitbucket, "ATCTT-x", "x-token-auth", "ATCTT-x"),
            (ForgeKind::Bitbucket, "a@b:ATATT-x", "x-bitbucket-api-token-auth", "ATATT-x"),
            (ForgeKind::Azure, "a:b", "x-access-token", "a:b"),
        ] {
            let token = AccessToken::new(&SecretString::from(token));
            let host = kind.git_token("https://h/api", &token);
            assert_eq!((host.user, host.token.current().expose_secret()), (user, sent));
            // The masker knows a token with these users only.
            assert!(kind.git_users().contains(&user), "{kind:?}: {user}");
        }
    }
}
