//! Files of a remote repository, read without a clone of the user's.

use super::error::{GitError, GitFault};
use super::program::Git;
use super::remote::Remote;
use super::repository::parse_entries;

/// The schemes of addresses.
// `ext::` and `fd::` are not among them, because they run commands.
pub const SCHEMES: [&str; 5] = ["https", "http", "ssh", "git", "file"];

/// A file of a remote repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteFile {
    /// Its path from the root of the repository.
    pub path: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}

impl Remote {
    /// Returns the regular files with a wanted path in the newest commit of a branch or tag; `None` is the remote's HEAD.
    /// Neither the configuration of a repository on this machine nor a hook takes part.
    ///
    /// # Errors
    ///
    /// The error of `git fetch` after at most ten minutes, of the disk for the temporary repository, or
    /// [`GitFault::Other`] for a file over 256 MiB.
    pub fn read_files(
        &self,
        git: &Git<'_>,
        name: Option<&str>,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<RemoteFile>, GitError> {
        let name = name.unwrap_or("HEAD");
        let doing = format!("read `{name}` at {}", self.address());
        let fault =
            |error: std::io::Error| GitError::new(&doing, GitFault::Other, error.to_string());
        let folder = git.system.disk.scratch().map_err(fault)?;
        let git = git.elsewhere(folder.path());
        git.run_local(&doing, &["init", "--quiet", "--bare", "--template=", "."], &[])?;
        let fetch = ["fetch", "--quiet", "--no-tags", "--depth=1", "--", self.address(), name];
        git.run_network(&doing, &fetch, &self.credential_variables(&git))?;
        let tree = git.local_bytes(&doing, &["ls-tree", "-r", "-z", "FETCH_HEAD"])?;
        let wanted = parse_entries(&tree)
            .into_iter()
            .filter(|(path, entry)| entry.mode.starts_with("100") && is_wanted(path));
        let read = |(path, entry): (String, super::CommitEntry)| {
            let bytes = git.local_bytes(&doing, &["cat-file", "blob", entry.oid.as_str()])?;
            Ok(RemoteFile { path, bytes })
        };
        wanted.map(read).collect()
    }

    /// Returns `true` if a text is an address that git fetches from: a URL, or `user@host:path`.
    pub fn is_address(text: &str) -> bool {
        match text.split_once("://") {
            Some((scheme, _)) => SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)),
            None => is_short_address(text),
        }
    }
}

/// Returns `true` if a text is git's own short form of an ssh address: `git@host:owner/name`.
pub fn is_short_address(text: &str) -> bool {
    // `C:\repo` has no `@`, so that a drive is no host. `ext::` and other transports of git run commands.
    let before = text.split_once(':').filter(|(_, after)| !after.starts_with(':'));
    before.is_some_and(|(host, _)| {
        host.contains('@') && !host.contains('/') && !host.starts_with('-')
    })
}
