//! The traits of the outside world: disk, processes, network and time, and the values of their
//! calls.
//!
//! All other modules receive a [`System`]; only `system::os` names `std::fs`, `std::process` and
//! clocks.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use self::survey::Stamp;
pub use address::{is_own_machine, is_public_address, names_private_host};
pub use cores::{core_count, join, lower_priority, map_parallel, spawn_workers, stream_parallel};
use papayu_base::domain::{RepoPath, SandboxRecord, Sha256};
pub use percent::decode_percent;
pub use replace::{replace_file, wait_for_lock, wait_until_free};
pub use sandbox::{
    CommandNetwork, Confinement, NetworkMode, SandboxConfig, SandboxMode, SharedSandbox,
};

mod address;
pub mod cache;
mod cores;
#[cfg(any(test, feature = "testing"))]
pub mod crash;
pub mod environment;
#[cfg(any(test, feature = "testing"))]
pub mod in_memory;
pub mod memory;
pub mod os;
mod percent;
pub mod read;
mod replace;
pub mod retry;
mod sandbox;
pub mod survey;
pub mod trace;

/// The outside world, as one run sees it. Passing it as a value makes each effect visible in a
/// signature, and replaceable in a test.
#[derive(Clone, Copy)]
pub struct System<'a> {
    /// Files outside repositories, and the way into one.
    pub disk: &'a dyn Disk,
    /// Commands.
    pub process: &'a dyn Process,
    /// Requests to providers.
    pub http: &'a dyn Http,
    /// Time, fresh ids, the wish to stop.
    pub clock: &'a dyn Clock,
}

/// The owner of a file: the numbers of a Unix user and group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The number of the user.
    pub uid: u32,
    /// The number of the group.
    pub gid: u32,
}

/// The object at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Nothing.
    Missing,
    /// A regular file.
    File {
        /// Bytes.
        len: u64,
        /// Unix permission bits (0o644 where there are none).
        mode: u32,
        /// The number of hard links; 1 where the file system does not count them.
        links: u64,
        /// The owner, where files have owners.
        owner: Option<Owner>,
    },
    /// A directory.
    Dir,
    /// A symbolic link, not followed; the target as stored.
    Link {
        /// The link's target.
        target: PathBuf,
    },
    /// A device, socket or pipe.
    Other,
}

/// A repository's folder: nothing outside it can be named through it or reached by a link.
pub trait Tree: Send + Sync {
    /// Returns the absolute path of the root, for commands and messages.
    fn root(&self) -> &Path;

    /// Returns the top of the repository where that is further up than the root, as for a folder of a monorepo. What the
    /// program keeps in a repository (journals, results, memory) is there.
    fn top(&self) -> Option<RepositoryTop<'_>> {
        None
    }

    /// Returns a digest of `bytes` and the root that only this user of this machine can make: files
    /// that the repository brings do not have it. An error where the user's key cannot be kept.
    fn seal(&self, bytes: &[u8]) -> io::Result<Sha256>;

    /// Returns the object at the path itself; a final link is not followed.
    fn entry(&self, path: &RepoPath) -> io::Result<Entry>;

    /// Returns the path with every link on the way followed, the final one too; parts that do not
    /// exist yet are kept. An error of kind `PermissionDenied` when a link leaves the root.
    fn resolve(&self, path: &RepoPath) -> io::Result<RepoPath>;

    /// Returns the stamp of a regular file, which differs after each change of its content or permission bits; an error
    /// for all else, and where files have no stamps.
    fn stamp(&self, _path: &RepoPath) -> io::Result<Stamp> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Reads a whole regular file; `InvalidData` when it is longer than `limit` bytes.
    fn read(&self, path: &RepoPath, limit: u64) -> io::Result<Vec<u8>>;

    /// Lists a folder's names, sorted; names that are not UTF-8 are left out.
    fn list(&self, folder: Option<&RepoPath>) -> io::Result<Vec<String>>;

    /// Creates a file that must not exist, with these permission bits, and syncs it to disk.
    ///
    /// With an owner, the file is given to that owner where this user may do so; otherwise the
    /// set-user-id and set-group-id bits are cleared. No link on the way is followed, here and in
    /// all methods that move, remove or create: an object that replaced a folder is not that
    /// folder.
    fn create_for(
        &self,
        path: &RepoPath,
        bytes: &[u8],
        mode: u32,
        owner: Option<Owner>,
    ) -> io::Result<()>;

    /// The same for a file that belongs to this user.
    fn create(&self, path: &RepoPath, bytes: &[u8], mode: u32) -> io::Result<()> {
        self.create_for(path, bytes, mode, None)
    }

    /// Moves a file over another within the tree, atomically.
    fn rename(&self, from: &RepoPath, to: &RepoPath) -> io::Result<()>;

    /// Removes a file or a link.
    fn remove_file(&self, path: &RepoPath) -> io::Result<()>;

    /// Creates one folder in a parent that exists.
    fn create_dir(&self, path: &RepoPath) -> io::Result<()>;

    /// Removes one empty folder.
    fn remove_dir(&self, path: &RepoPath) -> io::Result<()>;

    /// Syncs a folder's names to disk; `None` is the root.
    fn sync_dir(&self, folder: Option<&RepoPath>) -> io::Result<()>;

    /// Takes the exclusive lock on a file (created when missing) without waiting.
    ///
    /// `WouldBlock` when another living process has it. The lock ends when the value is dropped or
    /// the process dies. A link at the path is not followed, and only a regular file is locked.
    fn lock(&self, path: &RepoPath) -> io::Result<Box<dyn Lock>>;

    /// The same for the root folder itself, which no command run in it removes; `Unsupported` where
    /// the file system locks no folders.
    fn lock_root(&self) -> io::Result<Box<dyn Lock>>;
}

/// The top of a repository, seen from one of its folders.
#[derive(Clone, Copy)]
pub struct RepositoryTop<'a> {
    /// The top, opened.
    pub tree: &'a dyn Tree,
    /// The path of the folder from there.
    pub folder: &'a RepoPath,
}

/// Returns the tree of the repository's top, which is the tree itself unless its root is a folder further down.
pub fn find_top(tree: &dyn Tree) -> &dyn Tree {
    tree.top().map_or(tree, |top| top.tree)
}

/// A lock that lasts until it is dropped.
pub trait Lock: Send + Sync {}

/// Files outside repositories: logs, traces, results, settings.
pub trait Disk: Send + Sync {
    /// Opens a repository's folder.
    fn open_tree(&self, root: &Path) -> io::Result<Box<dyn Tree>>;

    /// Opens a file for reading from the start to the end; `-` is standard input. Reading a pipe
    /// that has nothing to say ends with `Interrupted` every now and then, so that a reader can
    /// give up.
    fn open(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>>;

    /// Writes a whole file through a temporary one and a rename; parents are made.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Appends to a file; parents are made.
    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Lists a folder's entries, sorted by name; empty when it does not exist.
    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>>;

    /// Deletes a folder with all that is in it; links in it are deleted, never followed.
    fn delete_folder(&self, folder: &Path) -> io::Result<()>;

    /// Returns the relative, `/`-separated paths of a repository's regular files, sorted, at most
    /// `limit`: `.gitignore` obeyed, hidden files included, `.git`, `.papa-yu` and caches left out.
    fn walk(&self, root: &Path, limit: usize) -> io::Result<Vec<String>>;

    /// Returns true when the path is a regular file.
    fn is_file(&self, path: &Path) -> bool;

    /// Appends to a regular file; the bytes are on the disk itself when it returns. Parents are made.
    fn append_durably(&self, _path: &Path, _bytes: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Makes a folder and those above it; one that exists is no error.
    fn make_folder(&self, _folder: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns the bytes of all regular files in a folder; links are not followed.
    fn size(&self, _folder: &Path) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Makes a folder for temporary files that only this user sees; it goes with the value.
    fn scratch(&self) -> io::Result<Box<dyn Scratch>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// A folder for temporary files.
pub trait Scratch: Send + Sync {
    /// Returns its absolute path.
    fn path(&self) -> &Path;
}

/// A command to run.
#[derive(Clone, Debug)]
pub struct CommandSpec {
    /// Program and arguments; no shell reads them.
    pub argv: Vec<String>,
    /// The working directory.
    pub cwd: PathBuf,
    /// Variables set on top of the scrubbed environment.
    pub env: Vec<(String, String)>,
    /// Names of variables that are kept although they look like secrets.
    pub keep_env: Vec<String>,
    /// After this long the whole process group is ended.
    pub timeout: Duration,
    /// After this many bytes of output the whole process group is ended.
    pub max_output: u64,
    /// The limits of a command that runs the repository's code; `None` for this program's own tools.
    pub confinement: Option<Confinement>,
}

/// The end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Code(i32),
    /// By a signal of somebody else.
    Signal(i32),
    /// By us: the time limit.
    TimedOut,
    /// By us: the output limit.
    TooMuchOutput,
    /// By us: the run was interrupted.
    Interrupted,
}

/// An output stream of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Commands.
pub trait Process: Send + Sync {
    /// Runs a command in its own process group, standard input empty, secrets out of its
    /// environment, and hands stdout and stderr over as they come. Returns how it ended, with no
    /// process of its group left.
    fn run(&self, command: &CommandSpec, output: &mut dyn FnMut(&[u8])) -> io::Result<End>;

    /// Runs a command with stdout and stderr separate, for programs with data on stdout. `input` is the text on its standard input;
    /// a confined command takes none.
    fn run_apart(
        &self,
        _command: &CommandSpec,
        _input: &[u8],
        _output: &mut dyn FnMut(Stream, &[u8]),
    ) -> io::Result<End> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns the protection of the confined commands so far; `None` before the first one.
    fn sandbox_record(&self) -> Option<SandboxRecord> {
        None
    }
}

impl<P: Process + ?Sized> Process for &P {
    fn run(&self, command: &CommandSpec, output: &mut dyn FnMut(&[u8])) -> io::Result<End> {
        (**self).run(command, output)
    }

    fn run_apart(
        &self,
        command: &CommandSpec,
        input: &[u8],
        output: &mut dyn FnMut(Stream, &[u8]),
    ) -> io::Result<End> {
        (**self).run_apart(command, input, output)
    }

    fn sandbox_record(&self) -> Option<SandboxRecord> {
        (**self).sandbox_record()
    }
}

/// An HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Reads.
    Get,
    /// Makes something new.
    Post,
    /// Changes a part of what is there.
    Patch,
    /// Sets.
    Put,
    /// Takes away.
    Delete,
}

/// A request to a provider or a forge.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    /// The HTTP method.
    pub method: Method,
    /// Absolute URL.
    pub url: String,
    /// Header names and values; the body's type is always JSON.
    pub headers: Vec<(String, secrecy::SecretString)>,
    /// JSON to send.
    pub body: Option<Vec<u8>>,
    /// For the whole exchange.
    pub timeout: Duration,
    /// Longest body that is read, in bytes; a longer one is an error.
    pub max_bytes: u64,
    /// Permission to reach a server on this machine or in a private network, which is given only where the user chose it.
    pub private_hosts: PrivateHosts,
}

/// Permission of a request to go to this machine or into a private network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrivateHosts {
    /// The user chose the server.
    Allowed,
    /// A name that leads there is refused too. With a proxy, the proxy resolves the name.
    Refused,
    /// The same without a proxy: the connection goes to the address that was checked.
    RefusedDirect,
}

/// An answer, whatever its status.
#[derive(Clone, Debug)]
pub struct HttpResponse {
    /// HTTP status.
    pub status: u16,
    /// The headers as sent, names in lower case; those that are no text are left out.
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Vec<u8>,
}

impl HttpResponse {
    /// Returns the first header of that name, which is in lower case. `None` if there is none.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// The time limit passed.
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    /// No connection, or it was lost.
    #[error("{0}")]
    Connection(String),
    /// The machine answers that no program accepts connections at the address.
    #[error("{0}")]
    Refused(String),
    /// The URL or a header cannot be sent.
    #[error("{0}")]
    Request(String),
    /// The answer is longer than the limit.
    #[error("the answer is longer than {0} bytes")]
    TooLarge(u64),
    /// The run was interrupted while waiting.
    #[error("interrupted")]
    Interrupted,
    /// Nothing was sent: the server did not answer others before, and is left alone for a while.
    #[error("{0}")]
    LeftAlone(String),
}

/// Requests to providers and forges. No redirect is followed.
pub trait Http: Send + Sync {
    /// Sends one request and reads the whole answer; ends early when the run is interrupted.
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, HttpError>;

    /// The same, but the body of a good answer (2xx) is handed over as it comes and not kept.
    fn stream(
        &self,
        request: &HttpRequest,
        body: &mut dyn FnMut(&[u8]),
    ) -> Result<HttpResponse, HttpError> {
        let mut answer = self.send(request)?;
        if (200..300).contains(&answer.status) {
            body(&std::mem::take(&mut answer.body));
        }
        Ok(answer)
    }
}

/// Time, fresh ids, the wish to stop.
pub trait Clock: Send + Sync {
    /// Returns the time since the program began.
    fn elapsed(&self) -> Duration;

    /// Returns the wall time as RFC 3339 in UTC.
    fn timestamp(&self) -> String;

    /// Returns a fresh random UUID.
    fn fresh_id(&self) -> String;

    /// Waits; returns early, `false`, when the run is interrupted.
    fn sleep(&self, time: Duration) -> bool;

    /// Returns true once a signal asked the run to stop.
    fn interrupted(&self) -> bool;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
