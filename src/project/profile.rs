//! The table of project kinds: their files, limits, and the commands that build and test them.

use super::build_command::BuildCommand;
use papayu_base::domain::RepoPath;

/// The kind of a repository and what follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The first kind of the table with a marker at the root.
    pub kind: ProjectKind,
    /// The name at the root that decides the kind; `None` if it is not known.
    pub marker: Option<String>,
    /// The command that verifies a change when the user names none; `None` when no tests are known.
    pub verify: Option<TestCommand>,
    /// Manifests at the root, those of the project's own kind first; shown on import errors.
    pub manifests: Vec<RepoPath>,
    /// The commands that build and test the kinds with a marker at the root; those of every kind if there is none.
    pub commands: Vec<BuildCommand>,
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
    /// Deno.
    Deno,
    /// Mix: Elixir.
    Elixir,
    /// Swift packages.
    Swift,
    /// sbt: Scala.
    Sbt,
    /// Make, `CMake` or Meson: mostly C and C++.
    Make,
    /// just.
    Just,
    /// Task.
    Task,
    /// pre-commit, in a repository without tests that are known.
    PreCommit,
    /// No marker of the table is at the root.
    Unknown,
}

/// Defaults of settings that differ from the general ones; `None` is the general default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindLimits {
    /// `run.verify_timeout_sec`, in seconds.
    pub verify_timeout_sec: Option<u16>,
    /// `run.timeout_sec`, in seconds.
    pub timeout_sec: Option<u16>,
    /// `context.max_files`.
    pub max_files: Option<u16>,
}

impl KindLimits {
    /// The general defaults.
    const GENERAL: Self = Self { verify_timeout_sec: None, timeout_sec: None, max_files: None };

    /// For tools that build everything before the first test runs.
    const COMPILED: Self = Self {
        // A cold build resolves and compiles all dependencies, which the general 15 minutes are too short for.
        verify_timeout_sec: Some(1200),
        // The command runs at least twice, before and after the change. A job of CI often ends after 45 minutes.
        timeout_sec: Some(2400),
        ..Self::GENERAL
    };

    /// Returns the limits with more files in the context.
    const fn with_small_files(self) -> Self {
        // One failure concerns more files, and each is shorter; the limit of characters is the same for all kinds.
        Self { max_files: Some(12), ..self }
    }
}

/// One row of the table.
pub(super) struct ProfileRow {
    pub(super) kind: ProjectKind,
    name: &'static str,
    /// Any of these at the root decides the kind; `*` matches any text.
    pub(super) markers: &'static [&'static str],
    /// In order of priority; `*` matches any text.
    pub(super) manifests: &'static [&'static str],
    versions: &'static [&'static [&'static str]],
    limits: KindLimits,
    commands: &'static [BuildCommand],
}

/// Phases of Maven's life cycles up to `verify`: later ones install and deploy.
const MAVEN_PHASES: &[&str] = &[
    "clean", "validate", "compile", "test-compile", "test", "package", "integration-test", "verify",
];

/// Tasks of Gradle's plugins for Java and Kotlin that build and check.
const GRADLE_TASKS: &[&str] = &[
    "assemble", "build", "check", "classes", "clean", "compileJava", "compileKotlin",
    "compileTestJava", "compileTestKotlin", "test", "testClasses",
];

/// Tasks of Rake by their usual names.
const RAKE_TASKS: &[&str] = &["build", "check", "compile", "rubocop", "spec", "test"];

/// The kinds in order of precedence.
///
/// A Rust or Python repository often has a `package.json` for its tooling; the reverse is rare.
pub(super) const KINDS: [ProfileRow; 17] = [
    ProfileRow {
        kind: ProjectKind::Rust,
        name: "Rust",
        markers: &["Cargo.toml"],
        manifests: &["Cargo.toml", "rust-toolchain.toml", "rust-toolchain"],
        versions: &[&["cargo", "--version"], &["rustc", "--version"]],
        limits: KindLimits::COMPILED,
        commands: &[
            BuildCommand::any(&["cargo", "build"]),
            BuildCommand::any(&["cargo", "check"]),
            BuildCommand::any(&["cargo", "clippy"]),
            BuildCommand::any(&["cargo", "fmt"]),
            BuildCommand::any(&["cargo", "nextest"]),
            BuildCommand::any(&["cargo", "test"]),
        ],
    },
    ProfileRow {
        kind: ProjectKind::Go,
        name: "Go",
        markers: &["go.mod"],
        manifests: &["go.mod", "go.work"],
        versions: &[&["go", "version"]],
        limits: KindLimits::GENERAL,
        commands: &[
            BuildCommand::any(&["go", "build"]),
            BuildCommand::any(&["go", "test"]),
            BuildCommand::any(&["go", "vet"]),
        ],
    },
    ProfileRow {
        kind: ProjectKind::Python,
        name: "Python",
        markers: &[
            "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "tox.ini",
            "pytest.ini", "conftest.py", "noxfile.py", "test_*.py",
        ],
        manifests: &[
            "pyproject.toml", "requirements*.txt", "setup.py", "setup.cfg", "Pipfile", "tox.ini",
            "poetry.lock",
        ],
        versions: &[&["python3", "--version"], &["python3", "-m", "pip", "--version"]],
        limits: KindLimits::GENERAL,
        commands: &[
            BuildCommand::any(&["mypy"]),
            BuildCommand::any(&["nox"]),
            BuildCommand::any(&["pytest"]),
            BuildCommand::any(&["python", "-m", "mypy"]),
            BuildCommand::any(&["python", "-m", "pytest"]),
            BuildCommand::any(&["python", "-m", "unittest"]),
            BuildCommand::any(&["python3", "-m", "mypy"]),
            BuildCommand::any(&["python3", "-m", "pytest"]),
            BuildCommand::any(&["python3", "-m", "unittest"]),
            BuildCommand::any(&["ruff"]),
            BuildCommand::any(&["tox"]),
        ],
    },
    ProfileRow {
        kind: ProjectKind::Node,
        name: "Node.js",
        markers: &["package.json"],
        manifests: &["package.json", "tsconfig.json", "pnpm-workspace.yaml"],
        versions: &[&["node", "--version"], &["npm", "--version"]],
        limits: KindLimits::GENERAL,
        commands: &[
            // npm, pnpm and yarn are among the tools that every project may use.
            BuildCommand::any(&["bun", "run"]),
            BuildCommand::any(&["bun", "test"]),
        ],
    },
    ProfileRow {
        kind: ProjectKind::Maven,
        name: "Maven",
        markers: &["pom.xml"],
        manifests: &["pom.xml"],
        versions: &[&["java", "--version"], &["mvn", "--version"]],
        // A public class has a file of its own.
        limits: KindLimits::COMPILED.with_small_files(),
        commands: &[
            BuildCommand::targets(&["mvn"], MAVEN_PHASES),
            BuildCommand::targets(&["./mvnw"], MAVEN_PHASES),
        ],
    },
    ProfileRow {
        kind: ProjectKind::Gradle,
        name: "Gradle",
        markers: &["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"],
        manifests: &["build.gradle*", "settings.gradle*", "gradle.properties"],
        versions: &[&["java", "--version"], &["gradle", "--version"]],
        // A public class has a file of its own.
        limits: KindLimits::COMPILED.with_small_files(),
        commands: &[
            BuildCommand::targets(&["gradle"], GRADLE_TASKS),
            BuildCommand::targets(&["./gradlew"], GRADLE_TASKS),
        ],
    },
    ProfileRow {
        kind: ProjectKind::Dotnet,
        name: ".NET",
        markers: &["*.sln", "*.slnx", "*.csproj", "*.fsproj"],
        manifests: &["*.sln", "*.slnx", "*.csproj", "*.fsproj", "global.json"],
        versions: &[&["dotnet", "--version"]],
        // A type has a file of its own.
        limits: KindLimits::COMPILED.with_small_files(),
        commands: &[
            BuildCommand::any(&["dotnet", "build"]),
            BuildCommand::any(&["dotnet", "format"]),
            BuildCommand::any(&["dotnet", "restore"]),
            BuildCommand::any(&["dotnet", "test"]),
        ],
    },
    ProfileRow {
        kind: ProjectKind::Ruby,
        name: "Ruby",
        markers: &["Gemfile", "Rakefile", ".rspec"],
        manifests: &["Gemfile", "*.gemspec", "Rakefile"],
        versions: &[&["ruby", "--version"], &["bundle", "--version"]],
        // The loader of Rails expects a file for each class and module.
        limits: KindLimits::GENERAL.with_small_files(),
        commands: &[
            BuildCommand::any(&["bundle", "exec", "rspec"]),
            BuildCommand::any(&["rspec"]),
            BuildCommand::any(&["bundle", "exec", "rubocop"]),
            BuildCommand::any(&["rubocop"]),
            BuildCommand::any(&["bundle", "install"]),
            BuildCommand::targets(&["bundle", "exec", "rake"], RAKE_TASKS),
            BuildCommand::targets(&["rake"], RAKE_TASKS),
        ],
    },
    ProfileRow {
        kind: ProjectKind::Php,
        name: "PHP",
        markers: &["composer.json", "phpunit.xml", "phpunit.xml.dist"],
        manifests: &["composer.json", "phpunit.xml*"],
        versions: &[&["php", "--version"], &["composer", "--version"]],
        // PSR-4 expects a file for each class.
        limits: KindLimits::GENERAL.with_small_files(),
        commands: &[
            BuildCommand::any(&["composer", "install"]),
            BuildCommand::any(&["composer", "test"]),
            BuildCommand::any(&["composer", "validate"]),
            BuildCommand::any(&["vendor/bin/phpstan"]),
            BuildCommand::any(&["vendor/bin/phpunit"]),
        ],
    },
    ProfileRow {
        kind: ProjectKind::Deno,
        name: "Deno",
        markers: &["deno.json", "deno.jsonc", "deno.lock"],
        manifests: &["deno.json", "deno.jsonc"],
        versions: &[&["deno", "--version"]],
        limits: KindLimits::GENERAL,
        commands: &[
            BuildCommand::any(&["deno", "check"]),
            BuildCommand::any(&["deno", "fmt"]),
            BuildCommand::any(&["deno", "lint"]),
            BuildCommand::any(&["deno", "task"]),
            BuildCommand::any(&["deno", "test"]),
        ],
    },
    ProfileRow {
        kind: ProjectKind::Elixir,
        name: "Elixir",
        markers: &["mix.exs"],
        manifests: &["mix.exs"],
        versions: &[&["elixir", "--version"]],
        limits: KindLimits::COMPILED,
        commands: &[BuildCommand::targets(&["mix"], &["compile", "format", "test"])],
    },
    ProfileRow {
        kind: ProjectKind::Swift,
        name: "Swift",
        markers: &["Package.swift"],
        manifests: &["Package.swift"],
        versions: &[&["swift", "--version"]],
        limits: KindLimits::COMPILED,
        commands: &[BuildCommand::any(&["swift", "build"]), BuildCommand::any(&["swift", "test"])],
    },
    ProfileRow {
        kind: ProjectKind::Sbt,
        name: "sbt",
        markers: &["build.sbt"],
        manifests: &["build.sbt"],
        versions: &[&["java", "--version"]],
        limits: KindLimits::COMPILED,
        commands: &[BuildCommand::targets(&["sbt"], &["clean", "compile", "test"])],
    },
    ProfileRow {
        kind: ProjectKind::Make,
        name: "Make, CMake or Meson",
        markers: &["CMakeLists.txt", "GNUmakefile", "makefile", "Makefile", "meson.build"],
        manifests: &["CMakeLists.txt", "GNUmakefile", "makefile", "Makefile", "meson.build"],
        versions: &[&["make", "--version"], &["cc", "--version"]],
        // A function is declared in one file and defined in another.
        limits: KindLimits::COMPILED.with_small_files(),
        commands: &[
            BuildCommand::any(&["make"]),
            // `cmake -E` and `-P` run any program.
            BuildCommand::any(&["cmake", "-B"]),
            BuildCommand::any(&["cmake", "-S"]),
            BuildCommand::any(&["cmake", "--build"]),
            BuildCommand::any(&["ctest"]),
            BuildCommand::any(&["meson", "setup"]),
            BuildCommand::any(&["meson", "compile"]),
            BuildCommand::any(&["meson", "test"]),
            BuildCommand::any(&["ninja"]),
        ],
    },
    ProfileRow {
        kind: ProjectKind::Just,
        name: "just",
        markers: &["justfile", "Justfile", ".justfile"],
        manifests: &["justfile", "Justfile", ".justfile"],
        versions: &[&["just", "--version"]],
        // Its recipes are of any language.
        limits: KindLimits::GENERAL,
        commands: &[BuildCommand::any(&["just"])],
    },
    ProfileRow {
        kind: ProjectKind::Task,
        name: "Task",
        markers: &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "Taskfile.dist.yml"],
        manifests: &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "Taskfile.dist.yml"],
        versions: &[&["task", "--version"]],
        // Its tasks are of any language.
        limits: KindLimits::GENERAL,
        commands: &[BuildCommand::any(&["task"])],
    },
    ProfileRow {
        kind: ProjectKind::PreCommit,
        name: "pre-commit",
        markers: &[".pre-commit-config.yaml"],
        manifests: &[".pre-commit-config.yaml"],
        versions: &[&["pre-commit", "--version"]],
        // Its hooks are of any language.
        limits: KindLimits::GENERAL,
        commands: &[BuildCommand::any(&["pre-commit", "run"])],
    },
];

impl ProjectKind {
    /// Returns every kind of the table, in order of precedence.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|row| row.kind)
    }

    /// Returns the name that messages have, such as `Maven`.
    pub fn name(self) -> &'static str {
        self.row().map_or("unknown", |row| row.name)
    }

    /// Returns the names of which one at the root decides the kind; `*` matches any text.
    pub fn markers(self) -> &'static [&'static str] {
        self.row().map_or(&[], |row| row.markers)
    }

    /// Returns the commands that print the versions of the kind's tools, program first.
    pub fn version_commands(self) -> &'static [&'static [&'static str]] {
        self.row().map_or(&[], |row| row.versions)
    }

    /// Returns the defaults of settings for the kind.
    pub fn limits(self) -> KindLimits {
        self.row().map_or(KindLimits::GENERAL, |row| row.limits)
    }

    /// Returns the commands that build and test projects of the kind.
    pub fn build_commands(self) -> &'static [BuildCommand] {
        self.row().map_or(&[], |row| row.commands)
    }

    fn row(self) -> Option<&'static ProfileRow> {
        KINDS.iter().find(|row| row.kind == self)
    }
}
