//! Remotes and their credentials, which never appear in arguments, logs or messages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::ExposeSecret as _;
use url::Url;

use super::error::GitError;
use super::oid::Oid;
use super::program::Git;
use papayu_base::domain::{AccessToken, HostToken};

/// The way of authentication with a remote.
#[derive(Clone, Debug)]
pub enum Credentials {
    /// As the user's own git does: credential helpers, askpass, a header left by a checkout action,
    /// SSH.
    Own,
    /// A user's name and a token, as a header.
    Header {
        /// The user name; forges accept any with a token.
        user: String,
        /// The token or password.
        token: AccessToken,
    },
}

/// A remote that is pushed to.
#[derive(Clone, Debug)]
pub struct Remote {
    /// The address without a user or password.
    address: String,
    /// The same, where it is one over HTTP.
    url: Option<Url>,
    credentials: Credentials,
}

/// The server of a remote, and the path of the repository on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemotePlace {
    /// The host; empty for a folder.
    pub host: String,
    /// The path without `.git` and without slashes at its ends.
    pub path: String,
}

impl Remote {
    /// Reads the remote of that name. What the address itself carries as a password is taken out of it.
    ///
    /// # Errors
    ///
    /// The error of git if there is no remote of that name.
    pub fn find_remote(git: &Git<'_>, name: &str) -> Result<Self, GitError> {
        let doing = format!("find the remote `{name}`");
        let output = git.run_local(&doing, &["remote", "get-url", "--push", "--", name], &[])?;
        Ok(Self::at_address(output.trim()))
    }

    /// The same for an address.
    pub fn at_address(address: &str) -> Self {
        let address = address.to_owned();
        let url = Url::parse(&address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let Some(mut url) = url else {
            return Self { address, url: None, credentials: Credentials::Own };
        };
        let (user, password) = (url.username().to_owned(), url.password().map(str::to_owned));
        // Both fail only for addresses that cannot have a user.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let header = |user: &str, password: &str| Credentials::Header {
            user: decode_percent(user),
            token: AccessToken::new(&decode_percent(password).into()),
        };
        let credentials = match password {
            Some(password) if user.is_empty() => header("x-access-token", &password),
            Some(password) => header(&user, &password),
            // A lone user name may be the token itself (`https://TOKEN@host`).
            None if !user.is_empty() => header(&user, ""),
            None => Credentials::Own,
        };
        Self { address: url.to_string(), url: Some(url), credentials }
    }

    /// Returns the address as it may be shown.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the server of the remote, and the path of the repository on it.
    pub fn place(&self) -> RemotePlace {
        let url = self.url.clone().or_else(|| Url::parse(&self.address).ok());
        let named = url.as_ref().and_then(|url| Some((url.host_str()?, url.path())));
        // `git@host:owner/name.git`; the part before the colon of a `file:` address is no host.
        let short = || {
            let address = self.address.strip_prefix("file:").unwrap_or(&self.address);
            let (host, path) = address.split_once(':')?;
            Some((host.rsplit('@').next()?, path)).filter(|(host, _)| !host.contains('/'))
        };
        let folder = self.address.strip_prefix("file://").unwrap_or(&self.address);
        let (host, path) = named.or_else(short).unwrap_or(("", folder));
        let path = decode_percent(path.trim_matches('/'));
        let path = path.strip_suffix(".git").unwrap_or(&path).to_owned();
        RemotePlace { host: host.to_owned(), path }
    }

    /// Returns the same remote with a token, if it is on the token's own host: it must not go anywhere else.
    #[must_use]
    pub fn give_token(self, token: Option<&HostToken>) -> Self {
        let is_its_host = |known: &&HostToken| {
            self.url.as_ref().and_then(Url::host_str) == Some(known.host.as_str())
        };
        match token.filter(is_its_host) {
            Some(HostToken { user, token, .. }) => {
                let (user, token) = ((*user).to_owned(), token.clone());
                Self { credentials: Credentials::Header { user, token }, ..self }
            }
            None => self,
        }
    }

    /// Returns the variables for another repository than the user's, including the user's settings
    /// for the remote: credential helpers and headers may be among them.
    ///
    /// Fails with the error of git if it does not name the repository's configuration file.
    pub(super) fn variables_elsewhere(
        &self,
        git: &Git<'_>,
    ) -> Result<Vec<(String, String)>, GitError> {
        let doing = "find the repository's settings";
        let place = git.run_local(
            doing,
            &["rev-parse", "--path-format=absolute", "--git-path", "config"],
            &[],
        )?;
        let include = ("include.path".to_owned(), place.trim().to_owned());
        Ok(git.with_configuration(&[&[include], &self.configuration_pairs()[..]].concat()))
    }

    /// Returns the variables that carry the credentials. Headers that a checkout action left for
    /// the same server are dropped first: two of them are refused.
    pub(super) fn credential_variables(&self, git: &Git<'_>) -> Vec<(String, String)> {
        git.with_configuration(&self.configuration_pairs())
    }

    /// Returns the configuration with the credentials: an `Authorization` header for the server of
    /// the remote only, as `actions/checkout` sets it.
    fn configuration_pairs(&self) -> Vec<(String, String)> {
        let (Some(url), Credentials::Header { user, token }) = (&self.url, &self.credentials)
        else {
            return Vec::new();
        };
        let key = format!("http.{}/.extraheader", url.origin().ascii_serialization());
        let pair = STANDARD.encode(format!("{user}:{}", token.current().expose_secret()));
        let header = format!("AUTHORIZATION: basic {pair}");
        vec![
            (key.clone(), String::new()),
            (key, header),
            // An empty helper clears the list: a refused token must not fall back to other
            // credentials.
            ("credential.helper".to_owned(), String::new()),
            ("core.askPass".to_owned(), "true".to_owned()),
        ]
    }

    /// Returns true when the address is the path of a folder.
    pub(super) fn is_path(&self) -> bool {
        std::path::Path::new(&self.address).is_absolute()
    }

    /// Returns what must not be shown: a header's whole value is the token, too.
    pub fn secrets(&self) -> Vec<String> {
        match &self.credentials {
            Credentials::Own => Vec::new(),
            Credentials::Header { user, token } => {
                let token = token.current();
                let token = token.expose_secret();
                let pair = STANDARD.encode(format!("{user}:{token}"));
                let lone = token.is_empty().then(|| user.clone());
                [token.to_owned(), pair]
                    .into_iter()
                    .chain(lone)
                    .filter(|it| !it.is_empty())
                    .collect()
            }
        }
    }

    /// Returns the commit that a branch of the remote names; `None` where there is no such branch.
    ///
    /// # Errors
    ///
    /// The error of `git ls-remote`: the remote cannot be reached or refuses the credentials.
    pub fn commit_of(&self, git: &Git<'_>, branch: &str) -> Result<Option<Oid>, GitError> {
        let doing = format!("look for `{branch}` at {}", self.address);
        let name = format!("refs/heads/{branch}");
        let arguments = ["ls-remote", "--refs", "--", &self.address, &name];
        let output = git.run_network(&doing, &arguments, &self.credential_variables(git))?;
        // `ls-remote` matches the end of names: `refs/heads/x` also finds `refs/remotes/a/refs/heads/x`.
        let line = output.lines().find(|line| line.ends_with(&format!("\t{name}")));
        let oid = line.and_then(|line| line.split('\t').next());
        oid.map(|oid| super::repository::parse_oid(&doing, oid)).transpose()
    }

    /// Returns a sentence about unpushed commits that a branch from `base` would add to `branch`.
    /// `None` where there are none, or where a shallow clone cannot answer.
    ///
    /// # Errors
    ///
    /// The error of `git ls-remote` or `git rev-list`. A branch that the remote lacks is a sentence, not an
    /// error.
    pub fn describe_unpushed(
        &self,
        git: &Git<'_>,
        branch: &str,
        base: &Oid,
    ) -> Result<Option<String>, GitError> {
        let Some(tip) = self.commit_of(git, branch)? else {
            return Ok(Some(format!("`{branch}` is no branch of {}", self.address)));
        };
        if tip == *base || !git.has_commit(&tip) {
            return Ok(None);
        }
        let doing = format!("compare with `{branch}`");
        let range = format!("{tip}..{base}");
        let count = git.run_local(&doing, &["rev-list", "--count", &range, "--"], &[])?;
        Ok(match count.trim() {
            "0" => None,
            "1" => Some(format!("1 commit below it is not on `{branch}`")),
            count => Some(format!("{count} commits below it are not on `{branch}`")),
        })
    }

    /// Fetches a commit that is not here, as shallow as can be; nothing names it afterwards.
    ///
    /// # Errors
    ///
    /// The error of `git fetch`. The branch may have moved: success does not mean that the commit is here now.
    pub fn fetch_commit(&self, git: &Git<'_>, branch: &str, commit: &Oid) -> Result<(), GitError> {
        if git.has_commit(commit) {
            return Ok(());
        }
        let doing = format!("fetch `{branch}` from {}", self.address);
        let name = format!("refs/heads/{branch}");
        let mut arguments = vec!["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
        if git.is_shallow()? {
            arguments.push("--depth=1");
        }
        arguments.extend(["--", &self.address, &name]);
        git.run_network(&doing, &arguments, &self.credential_variables(git)).map(drop)
    }
}

/// Returns a part of an address with its `%xx` read.
fn decode_percent(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        let digits = more.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let value = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(value) = value.filter(|_| *first == b'%') {
            bytes.push(value);
            rest = more.get(2..).unwrap_or_default();
        } else {
            bytes.push(*first);
            rest = more;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;

    fn with_token(address: &str) -> Remote {
        let token = AccessToken::new(&SecretString::from("sk"));
        let host = "github.com".to_owned();
        let token = HostToken { host, user: "x-access-token", token };
        Remote::at_address(address).give_token(Some(&token))
    }

    #[test]
    fn the_host_and_the_path_are_read_from_any_address() {
        for (address, host, path) in [
            ("https://github.com/o/n.git", "github.com", "o/n"),
            ("https://me:pw@github.com/o/n/", "github.com", "o/n"),
            ("git@github.com:o/n.git", "github.com", "o/n"),
            ("ssh://git@github.com:22/o/n", "github.com", "o/n"),
            ("https://host/group/sub/n", "host", "group/sub/n"),
            ("https://dev.azure.com/org/a%20b/_git/r", "dev.azure.com", "org/a b/_git/r"),
            ("git@ssh.dev.azure.com:v3/org/p/r", "ssh.dev.azure.com", "v3/org/p/r"),
            ("/srv/git/o/r.git", "", "srv/git/o/r"),
            ("file:///srv/git/o/r.git", "", "srv/git/o/r"),
            ("../remote.git", "", "../remote"),
        ] {
            let expected = RemotePlace { host: host.to_owned(), path: path.to_owned() };
            assert_eq!(with_token(address).place(), expected, "{address}");
        }
    }

    #[test]
    fn a_token_goes_to_its_own_host_only() {
        let header = with_token("https://github.com/o/n").configuration_pairs();
        let expected = format!("AUTHORIZATION: basic {}", STANDARD.encode("x-access-token:sk"));
        assert_eq!(header[1], ("http.https://github.com/.extraheader".to_owned(), expected));
        for other in ["https://github.com.evil.example/o/n", "git@github.com:o/n", "/srv/n"] {
            assert_eq!(with_token(other).configuration_pairs(), [], "{other}");
        }
    }

    #[test]
    fn a_password_leaves_the_address_and_is_a_secret() {
        let remote = Remote::at_address("https://me:p%40ss@host/o/n");
        assert_eq!(remote.address(), "https://host/o/n");
        assert!(remote.secrets().contains(&"p@ss".to_owned()));
        let lone = Remote::at_address("https://tok%2B1@host/o/n");
        assert_eq!(lone.address(), "https://host/o/n");
        assert!(lone.secrets().contains(&"tok+1".to_owned()));
    }

    #[test]
    fn percent_escapes_are_read_and_other_percents_kept() {
        for (text, expected) in [("a%20b", "a b"), ("100%", "100%"), ("%zz%2", "%zz%2"), ("", "")] {
            assert_eq!(decode_percent(text), expected, "{text}");
        }
    }
}
