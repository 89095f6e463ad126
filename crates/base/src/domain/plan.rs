//! A decoded PLAN reply and what it still wants to read.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One question about the repository (protocol section 6).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContextRequest {
    /// A file, or a range of its lines.
    ReadFile {
        /// Unchecked path.
        path: String,
        /// First line wanted, 1-based.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        start_line: Option<u32>,
        /// Last line wanted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        end_line: Option<u32>,
    },
    /// Lines of the repository that contain the query.
    Search {
        /// Literal text.
        query: String,
        /// Restricts the search to files with a path that matches.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        glob: Option<String>,
    },
    /// The end of a log.
    Logs {
        /// `failure` or `verify`; other sources are answered with the names that exist.
        source: String,
        /// The number of lines.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_n: Option<u32>,
    },
    /// Tool versions and the project's kind; never environment variables.
    Env {},
    /// The lines of one function or method.
    GetFunction {
        /// Unchecked path.
        path: String,
        /// Its name, `Class.method` where one name is not enough.
        name: String,
    },
    /// The lines of one class, struct, interface, trait or enum.
    GetClass {
        /// Unchecked path.
        path: String,
        /// Its name.
        name: String,
    },
    /// The definitions of a name.
    FindDefinition {
        /// The name.
        symbol: String,
    },
    /// The uses of a name.
    FindReferences {
        /// The name.
        symbol: String,
    },
    /// The definitions in the files of a folder, or in one file.
    GetStructure {
        /// Unchecked path; the whole repository without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// The complexity of files.
    GetComplexity {
        /// The same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// Notes left in comments.
    GetTodos {
        /// The same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// The imports of a file.
    GetDependencies {
        /// Unchecked path.
        path: String,
    },
    /// The files that import a file.
    GetDependents {
        /// Unchecked path.
        path: String,
    },
    /// The files that changed since the last commit.
    GitStatus {
        /// Unchecked path; the whole repository without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// The changes since the last commit, as a diff.
    GitDiff {
        /// The same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
}

/// A decoded PLAN reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Diagnosis, steps, the command that verifies.
    pub summary: String,
    /// The questions to answer before APPLY.
    pub context_requests: Vec<ContextRequest>,
    /// The reply as validated, for the trace and the next prompt.
    pub validated: Value,
}
