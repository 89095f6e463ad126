//! The table of project kinds: their files, and the commands that print the versions of their tools.

use crate::domain::RepoPath;

/// The kind of a repository and what follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The first kind of the table with a marker at the root.
    pub kind: ProjectKind,
    /// The command that verifies a change when the user names none; `None` when no tests are known.
    pub verify: Option<TestCommand>,
    /// Manifests at the root, those of the project's own kind first; shown on import errors.
    pub manifests: Vec<RepoPath>,
}

/// A test command, and the file that it was found by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCommand {
    /// The command.
    pub command: String,
    /// The name of a file or folder at the root.
    pub found_in: String,
}

impl TestCommand {
    /// Returns a command and the name that it was found by.
    pub(super) fn new(command: &str, found_in: &str) -> Self {
        Self { command: command.to_owned(), found_in: found_in.to_owned() }
    }
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
    /// Maven.
    Maven,
    /// Gradle.
    Gradle,
    /// .NET.
    Dotnet,
    /// Bundler, Rake or RSpec.
    Ruby,
    /// Composer or PHPUnit.
    Php,
    /// Make or `CMake`.
    Make,
    /// just.
    Just,
    /// No marker of the table is at the root.
    Unknown,
}

/// One row of the table.
pub(super) struct ProfileRow {
    pub(super) kind: ProjectKind,
    /// Any of these at the root decides the kind; `*` matches any text.
    pub(super) markers: &'static [&'static str],
    /// In order of priority; `*` matches any text.
    pub(super) manifests: &'static [&'static str],
    versions: &'static [&'static [&'static str]],
}

/// The kinds in order of precedence.
///
/// A Rust or Python repository often has a `package.json` for its tooling; the reverse is rare.
pub(super) const KINDS: [ProfileRow; 11] = [
    ProfileRow {
        kind: ProjectKind::Rust,
        markers: &["Cargo.toml"],
        manifests: &["Cargo.toml", "rust-toolchain.toml", "rust-toolchain"],
        versions: &[&["cargo", "--version"], &["rustc", "--version"]],
    },
    ProfileRow {
        kind: ProjectKind::Go,
        markers: &["go.mod"],
        manifests: &["go.mod", "go.work"],
        versions: &[&["go", "version"]],
    },
    ProfileRow {
        kind: ProjectKind::Python,
        markers: &[
            "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "tox.ini",
            "pytest.ini", "conftest.py", "test_*.py",
        ],
        manifests: &[
            "pyproject.toml", "requirements*.txt", "setup.py", "setup.cfg", "Pipfile", "tox.ini",
            "poetry.lock",
        ],
        versions: &[&["python3", "--version"], &["python3", "-m", "pip", "--version"]],
    },
    ProfileRow {
        kind: ProjectKind::Node,
        markers: &["package.json"],
        manifests: &["package.json", "tsconfig.json", "pnpm-workspace.yaml"],
        versions: &[&["node", "--version"], &["npm", "--version"]],
    },
    ProfileRow {
        kind: ProjectKind::Maven,
        markers: &["pom.xml"],
        manifests: &["pom.xml"],
        versions: &[&["java", "--version"], &["mvn", "--version"]],
    },
    ProfileRow {
        kind: ProjectKind::Gradle,
        markers: &["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"],
        manifests: &["build.gradle*", "settings.gradle*", "gradle.properties"],
        versions: &[&["java", "--version"], &["gradle", "--version"]],
    },
    ProfileRow {
        kind: ProjectKind::Dotnet,
        markers: &["*.sln", "*.slnx", "*.csproj", "*.fsproj"],
        manifests: &["*.sln", "*.slnx", "*.csproj", "*.fsproj", "global.json"],
        versions: &[&["dotnet", "--version"]],
    },
    ProfileRow {
        kind: ProjectKind::Ruby,
        markers: &["Gemfile", "Rakefile", ".rspec"],
        manifests: &["Gemfile", "*.gemspec", "Rakefile"],
        versions: &[&["ruby", "--version"], &["bundle", "--version"]],
    },
    ProfileRow {
        kind: ProjectKind::Php,
        markers: &["composer.json", "phpunit.xml", "phpunit.xml.dist"],
        manifests: &["composer.json", "phpunit.xml*"],
        versions: &[&["php", "--version"], &["composer", "--version"]],
    },
    ProfileRow {
        kind: ProjectKind::Make,
        markers: &["CMakeLists.txt", "GNUmakefile", "makefile", "Makefile"],
        manifests: &["CMakeLists.txt", "GNUmakefile", "makefile", "Makefile"],
        versions: &[&["make", "--version"], &["cc", "--version"]],
    },
    ProfileRow {
        kind: ProjectKind::Just,
        markers: &["justfile", "Justfile", ".justfile"],
        manifests: &["justfile", "Justfile", ".justfile"],
        versions: &[&["just", "--version"]],
    },
];

/// Returns the names and patterns that decide a kind.
pub(super) fn markers_of(kind: ProjectKind) -> &'static [&'static str] {
    kind.row().map_or(&[], |row| row.markers)
}

impl ProjectKind {
    /// Returns the commands that print the versions of the kind's tools, program first.
    pub fn version_commands(self) -> &'static [&'static [&'static str]] {
        self.row().map_or(&[], |row| row.versions)
    }

    fn row(self) -> Option<&'static ProfileRow> {
        KINDS.iter().find(|row| row.kind == self)
    }
}
