//! The repository's git side: reading state, commits without the user's checkout, pushes.
//!
//! The git program is run, no library: signing (PGP, SSH, X.509), credential helpers, askpass,
//! `http.extraheader` as CI systems configure it, proxies, partial clones and line endings come with it and
//! behave as in the user's own `git push`. libgit2 has no signing, helpers or partial clones
//! (docs/dependencies.md). The cost is a handful of processes in a run. Any git from 2.31 on is sufficient
//! (`GIT_CONFIG_COUNT`).
//!
//! Nothing here changes the user's working tree, index or HEAD: blobs are written to the object store, the tree
//! is built in an index of its own, and no ref points to a commit until a branch or a push does. Hooks, file
//! system monitors, filter programs and replacement objects are off, because the repository's code can choose them.
//! The program is found once, by its absolute path. What a commit has is compared with the checked change, path by
//! path, against the files of the base as they were listed before the repository's code ran.

mod branch;
mod change;
mod commit;
mod configuration;
mod error;
mod head;
mod mirror;
mod oid;
mod partial_copy;
mod program;
mod push;
mod range;
mod remote;
mod remote_files;
mod repository;
mod trailer;
mod worktree;

pub use branch::BranchName;
pub use change::{FileChange, PreviewBase, from_preview};
pub use commit::{CommitSpec, create_commit};
pub use configuration::Configuration;
pub use error::{GitError, GitFault};
pub use head::HeadPlace;
pub use oid::Oid;
pub use partial_copy::{CarriedChange, PartialCopy, Tip};
pub use program::{Git, GitPlace};
pub use push::{Lease, delete_branch, push_branch};
pub use range::RangeCommit;
pub use remote::{Credentials, Remote, RemotePlace};
pub use remote_files::{RemoteFile, SCHEMES, is_short_address};
pub use repository::CommitEntry;
pub use trailer::{ATTEMPT, FINGERPRINT, RUN, Trailers};
pub use worktree::{ChangedPath, CommittedFile};
