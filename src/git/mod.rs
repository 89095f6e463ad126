//! The repository's git side: who stands where, commits made beside the user's checkout, pushes.
//!
//! The git program does it, not a library: signing (PGP, SSH, X.509), credential helpers, askpass,
//! `http.extraheader` as CI systems leave it, proxies, partial clones and clean filters all come with
//! it and behave as the user's own `git push` does. libgit2 has none of the first and the last two.
//! What that costs is a handful of processes a run. Any git from 2.31 on will do (`GIT_CONFIG_COUNT`).
//!
//! Nothing here touches the user's working tree, index or HEAD: blobs go into the object store, the
//! tree is built in an index of its own, and a commit is named by nothing until a branch or a push
//! names it. Hooks and file system monitors are off: they are commands that the repository chose.

mod change;
mod commit;
mod configuration;
mod error;
mod mirror;
mod program;
mod push;
mod remote;
mod repository;
mod trailer;

pub use change::{FileChange, from_preview};
pub use commit::{CommitSpec, commit};
pub use configuration::Configuration;
pub use error::{GitError, GitFault};
pub use program::Git;
pub use push::{Lease, push};
pub use remote::{Credentials, Remote, Tip};
pub use repository::{Entry, Oid};
pub use trailer::{ATTEMPT, FINGERPRINT, RUN, Trailers};
