//! The reasons why a package is not updated.

use std::io;

use papayu_base::domain::RepoPath;

/// Why there is no update.
#[derive(Debug, thiserror::Error)]
pub enum Unbumped {
    /// No manifest or lock file has the package.
    #[error("no {files} of the repository has `{package}`")]
    NotThere {
        /// The names of the files that were read.
        files: &'static str,
        /// The package.
        package: String,
    },
    /// The version in the repository does not have the weakness.
    #[error("`{file}` has `{package}` {version}, which is not affected")]
    NotAffected {
        /// The lock file or manifest.
        file: String,
        /// The package.
        package: String,
        /// The version.
        version: String,
    },
    /// The advisory names no fixed version above the installed one.
    #[error("the advisory names no fixed version of `{package}` above {version}")]
    NoFixedVersion {
        /// The package.
        package: String,
        /// The installed version.
        version: String,
    },
    /// The project keeps versions in a way that is not updated here.
    #[error("`{file}`: {reason}")]
    Unsupported {
        /// The file.
        file: String,
        /// Why it is not updated.
        reason: String,
    },
    /// Some files can be updated and others cannot, so nothing is.
    #[error("{left}; {updated} would be updated")]
    Left {
        /// The files that keep an affected version, each with the reason.
        left: String,
        /// The files that can be updated.
        updated: String,
    },
    /// Several files have an affected version, and none can be updated.
    #[error("{left}")]
    NoneUpdated {
        /// The files, each with the reason.
        left: String,
    },
    /// The package manager made no lock file without the weakness.
    #[error("`{command}` did not lead to a fixed version: {reason}")]
    Failed {
        /// The last command.
        command: String,
        /// Its message, or the version that remained.
        reason: String,
    },
    /// The copy of the manifests could not be made or read.
    #[error("the manifests cannot be copied: {0}")]
    Copy(#[from] io::Error),
    /// A signal asked the run to stop.
    #[error("interrupted")]
    Interrupted,
}

impl Unbumped {
    /// Returns the reason with the file.
    pub(super) fn describe_at(&self, file: &RepoPath) -> String {
        match self {
            Self::Unsupported { .. } => self.to_string(),
            _ => format!("`{file}`: {self}"),
        }
    }
}
