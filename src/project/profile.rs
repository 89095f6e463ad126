//! The table of project kinds: the files each is known by and the commands that show its tools' versions.

use crate::domain::RepoPath;

/// What a repository's own files say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The first kind of the table whose marker stands at the root.
    pub kind: ProjectKind,
    /// The command that verifies a change when the user names none.
    pub verify: Option<String>,
    /// Manifests at the root, the telling ones first; shown on import errors (section 6).
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
    /// None of the table.
    Unknown,
}

/// One row of the table.
pub(super) struct Row {
    pub(super) kind: ProjectKind,
    name: &'static str,
    /// Any of these at the root decides the kind.
    pub(super) markers: &'static [&'static str],
    /// In order of priority; a `*` stands for any text.
    pub(super) manifests: &'static [&'static str],
    versions: &'static [&'static [&'static str]],
}

/// Kinds in order of precedence: a Rust or Python repository may well carry a `package.json` for
/// its tooling, the other way round is rare.
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
