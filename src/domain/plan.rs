//! A decoded PLAN reply and what it still wants to read.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One question about the repository (section 6).
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
        /// Only in files whose path matches.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        glob: Option<String>,
    },
    /// The end of a log.
    Logs {
        /// `failure` or `verify`; other sources are answered with the names that exist.
        source: String,
        /// How many lines.
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
    /// Where a name is defined.
    FindDefinition {
        /// The name.
        symbol: String,
    },
    /// Where a name stands.
    FindReferences {
        /// The name.
        symbol: String,
    },
    /// What the files of a folder, or one file, define.
    GetStructure {
        /// Unchecked path; the whole repository without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// How hard files are to read.
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
    /// What a file takes from others.
    GetDependencies {
        /// Unchecked path.
        path: String,
    },
    /// Which files take something from it.
    GetDependents {
        /// Unchecked path.
        path: String,
    },
    /// What is changed since the last commit.
    GitStatus {
        /// Unchecked path; the whole repository without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// How it is changed.
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
    /// What must be read before APPLY.
    pub context_requests: Vec<ContextRequest>,
    /// The reply as validated, for the trace and the next prompt.
    pub validated: Value,
}
