//! The table of project kinds: their files, and the commands that print the versions of their tools.

use crate::domain::RepoPath;

/// The kind of a repository and what follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The first kind of the table with a marker at the root.
    pub kind: ProjectKind,
    /// The command that verifies a change when the user names none; `None` when no tests are known.
    pub verify: Option<String>,
    /// Manifests at the root, those of the project's own kind first; shown on import errors.
    pub manifests: Vec<RepoPath>,
}

/// A kind of project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectKind {
    /// Cargo.
    Rust,
    /// Go modules.
    Go,
    /// Any Python packaging.
    Python,
    /// `package.json`: JavaScript and TypeScript.
    Node,
    /// No marker of the table is at the root.
    Unknown,
}

/// One row of the table.
pub(super) struct Row {
    pub(super) kind: ProjectKind,
    name: &'static str,
    /// Any of these at the root decides the kind.
    pub(super) markers: &'static [&'static str],
    /// In order of priority; `*` matches any text.
    pub(super) manifests: &'static [&'static str],
    versions: &'static [&'static [&'static str]],
}

/// The kinds in order of precedence.
///
/// A Rust or Python repository often has a `package.json` for its tooling; the reverse is rare.
pub(super) const KINDS: [Row; 4] = [
    Row {
        kind: ProjectKind::Rust,
        name: "rust",
        markers: &["Cargo.toml"],
        manifests: &["Cargo.toml", "rust-toolchain.toml", "rust-toolchain"],
        versions: &[&["cargo", "--version"], &["rustc", "--version"]],
    },
    Row {
        kind: ProjectKind::Go,
        name: "go",
        markers: &["go.mod"],
        manifests: &["go.mod", "go.work"],
        versions: &[&["go", "version"]],
    },
    Row {
        kind: ProjectKind::Python,
        name: "python",
        markers: &[
            "pyproject.toml",
            "setup.py",
            "setup.cfg",
            "requirements.txt",
            "Pipfile",
            "tox.ini",
            "pytest.ini",
        ],
        manifests: &[
            "pyproject.toml",
            "requirements*.txt",
            "setup.py",
            "setup.cfg",
            "Pipfile",
            "tox.ini",
            "poetry.lock",
        ],
        versions: &[&["python3", "--version"], &["python3", "-m", "pip", "--version"]],
    },
    Row {
        kind: ProjectKind::Node,
        name: "node",
        markers: &["package.json"],
        manifests: &["package.json", "tsconfig.json", "pnpm-workspace.yaml"],
        versions: &[&["node", "--version"], &["npm", "--version"]],
    },
];

impl ProjectKind {
    /// Returns the kind's name: `rust`, `go`, `python`, `node` or `unknown`.
    pub fn name(self) -> &'static str {
        self.row().map_or("unknown", |row| row.name)
    }

    /// Returns the commands that print the versions of the kind's tools, program first.
    pub fn version_commands(self) -> &'static [&'static [&'static str]] {
        self.row().map_or(&[], |row| row.versions)
    }

    fn row(self) -> Option<&'static Row> {
        KINDS.iter().find(|row| row.kind == self)
    }
}
