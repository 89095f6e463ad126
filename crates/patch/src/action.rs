//! Actions that the gates have passed, each with the bytes of the file it applies to.

use papayu_base::domain::{ActionKind, Edit, RepoPath};

/// One action of a reply, with its path resolved and the bytes that are on disk now.
/// The module `vet` makes it from a reply's action; every later step works on these values
/// only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeAction {
    /// Position in the reply, from 0.
    /// Error messages and traces name it, so that the model finds the action in its reply.
    pub index: usize,
    /// The kind the reply named.
    pub kind: ActionKind,
    /// The path, links followed.
    /// A path through a symbolic link inside the repository is that of the file it points to.
    pub path: RepoPath,
    /// The operation.
    pub op: TreeOp,
}

/// The operation of a [`TreeAction`].
/// The bytes in `before` are the base of the change: the module `apply` refuses to write if the
/// file has others by then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeOp {
    /// Creates a folder that does not exist.
    CreateDir {
        /// Folders to create before it, outermost first; other actions may name them too.
        missing_parents: Vec<RepoPath>,
    },
    /// Writes a file that does not exist.
    CreateFile {
        /// Folders to create before it, outermost first; other actions may name them too.
        missing_parents: Vec<RepoPath>,
        /// The whole text.
        content: String,
    },
    /// Replaces the whole text of a file (protocol v1).
    WriteFile {
        /// The file's bytes.
        before: Vec<u8>,
        /// The whole new text.
        content: String,
    },
    /// Applies a unified diff to a file that has the digest of the base.
    PatchFile {
        /// The file's bytes: text, in an encoding that is certain.
        before: Vec<u8>,
        /// As the model wrote it; looks like a unified diff.
        patch: String,
    },
    /// Replaces lines of a file that has the digest of the base.
    ReplaceRange {
        /// The file's bytes: text, in an encoding that is certain.
        before: Vec<u8>,
        /// First line replaced, from 1; not checked against the file's length.
        start_line: u64,
        /// Last line replaced; not checked against `start_line`.
        end_line: u64,
        /// The lines that take their place.
        content: String,
    },
    /// Makes anchored edits in a file that has the digest of the base.
    EditFile {
        /// The file's bytes: UTF-8 without NUL.
        before: Vec<u8>,
        /// As the model wrote them; not compared with the file.
        edits: Vec<Edit>,
    },
    /// Removes a file.
    DeleteFile {
        /// The file's bytes.
        before: Vec<u8>,
    },
    /// Removes a folder with everything below it.
    DeleteDir {
        /// Every file below it with its bytes.
        files: Vec<(RepoPath, Vec<u8>)>,
        /// Every folder below it, parents before children.
        dirs: Vec<RepoPath>,
    },
}
