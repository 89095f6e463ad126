//! Finds the test command of a project of a kind.

use serde_json::Value;

use super::profile::{ProjectKind, TestCommand};
use super::python;
use super::root::Root;
use papayu_base::config_text::{self, ConfigFormat};

/// Returns the command that runs the tests of a project of this kind; `None` if nothing shows that there are any.
///
/// Every command is made of words of this module: a repository chooses one of them and writes none.
// One arm for each kind, so that a new kind does not compile without a decision.
pub(super) fn find_test_command(kind: ProjectKind, root: &Root<'_>) -> Option<TestCommand> {
    match kind {
        ProjectKind::Rust => Some(TestCommand::new("cargo test", "Cargo.toml")),
        ProjectKind::Go => Some(TestCommand::new("go test ./...", "go.mod")),
        ProjectKind::Python => python::find_command(root),
        ProjectKind::Node => find_node_script(root),
        ProjectKind::Maven => Some(TestCommand::new(
            wrapper(root, "mvnw", "./mvnw -B test", "mvn -B test"),
            "pom.xml",
        )),
        ProjectKind::Gradle => find_gradle(root),
        ProjectKind::Dotnet => {
            let file = root.find(&["*.sln", "*.slnx", "*.csproj", "*.fsproj"])?;
            Some(TestCommand::new("dotnet test", file))
        }
        ProjectKind::Ruby => find_ruby(root),
        ProjectKind::Php => find_php(root),
        // A makefile next to `CMakeLists.txt` mostly calls CMake with the right options.
        ProjectKind::Make => {
            find_make(root).or_else(|| find_ctest(root)).or_else(|| find_meson(root))
        }
        ProjectKind::Just => find_just(root),
        ProjectKind::Deno => find_deno(root),
        ProjectKind::Elixir => Some(TestCommand::new("mix test", "mix.exs")),
        ProjectKind::Swift => Some(TestCommand::new("swift test", "Package.swift")),
        ProjectKind::Sbt => Some(TestCommand::new("sbt test", "build.sbt")),
        ProjectKind::Task => find_task(root),
        // Linters are no tests, so that they are asked last.
        ProjectKind::PreCommit => {
            let file = root.find(kind.markers())?;
            Some(TestCommand::new("pre-commit run --all-files", file))
        }
        ProjectKind::Unknown => None,
    }
}

/// Returns the first command if the script is at the root, else the second.
fn wrapper(
    root: &Root<'_>,
    script: &str,
    with: &'static str,
    without: &'static str,
) -> &'static str {
    // The wrapper has the version of the tool that the project wants.
    if root.has_file(script) { with } else { without }
}

/// Returns the command of Gradle, by its wrapper where the repository has one.
fn find_gradle(root: &Root<'_>) -> Option<TestCommand> {
    let files = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];
    let command = wrapper(root, "gradlew", "./gradlew test", "gradle test");
    Some(TestCommand::new(command, root.find(&files)?))
}

/// `npm init` writes a test script that always fails, so it verifies nothing.
const NPM_PLACEHOLDER: &str = "no test specified";

/// Scripts that check a project, the strongest first.
const NODE_SCRIPTS: [(&str, [&str; 4]); 4] = [
    ("test", ["npm test", "pnpm test", "yarn test", "bun run test"]),
    ("check", ["npm run check", "pnpm run check", "yarn run check", "bun run check"]),
    (
        "typecheck",
        ["npm run typecheck", "pnpm run typecheck", "yarn run typecheck", "bun run typecheck"],
    ),
    ("build", ["npm run build", "pnpm run build", "yarn run build", "bun run build"]),
];

/// Lockfiles, and their package manager.
const NODE_LOCKS: [(&str, &str); 4] =
    [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun"), ("bun.lockb", "bun")];

/// Returns the command of the strongest script in `package.json`, for the package manager that the
/// manifest or the lockfile names.
fn find_node_script(root: &Root<'_>) -> Option<TestCommand> {
    let text = root.read_text("package.json");
    let manifest = serde_json::from_str::<Value>(&text);
    if manifest.is_err() && !text.trim().is_empty() {
        // The command names the syntax error.
        return Some(TestCommand::new("npm test", "package.json"));
    }
    let manifest = manifest.ok()?;
    let named = manifest.get("packageManager").and_then(Value::as_str).unwrap_or_default();
    let manager = find_package_manager(root, named);
    let is_real = |name: &str| {
        let script = manifest.get("scripts").and_then(|scripts| scripts.get(name));
        let script = script.and_then(Value::as_str).unwrap_or_default();
        // A blank script passes without checking anything.
        !script.trim().is_empty() && !script.contains(NPM_PLACEHOLDER)
    };
    let Some((_, commands)) = NODE_SCRIPTS.iter().find(|(name, _)| is_real(name)) else {
        // Bun has a runner of its own, which needs no script.
        return (manager == "bun").then(|| TestCommand::new("bun test", "package.json"));
    };
    let command = commands.iter().find(|it| it.split(' ').next() == Some(manager))?;
    Some(TestCommand::new(command, "package.json"))
}

/// Returns the package manager of a Node project: the one of `packageManager` in its manifest, else of its lock file, else
/// npm.
pub(super) fn find_package_manager(root: &Root<'_>, named: &str) -> &'static str {
    // Corepack obeys `packageManager`, which is `NAME@VERSION`, so that it is stronger than a lock file.
    let (named, _) = named.split_once('@').unwrap_or_default();
    let named = ["npm", "pnpm", "yarn", "bun"].into_iter().find(|manager| *manager == named);
    let lock = || NODE_LOCKS.iter().find(|(lock, _)| root.has_name(lock));
    named.or_else(|| lock().map(|(_, manager)| *manager)).unwrap_or("npm")
}

/// Returns the command of RSpec, where its files are, or of Rake.
fn find_ruby(root: &Root<'_>) -> Option<TestCommand> {
    // With a Gemfile the versions of the gems are those of its lockfile.
    let bundled = root.has_name("Gemfile");
    if root.has_name(".rspec")
        || root.list_folder("spec").iter().any(|name| name.ends_with("_spec.rb"))
    {
        let command = if bundled { "bundle exec rspec" } else { "rspec" };
        return Some(TestCommand::new(command, root.find(&[".rspec", "spec"])?));
    }
    let command = if bundled { "bundle exec rake test" } else { "rake test" };
    root.has_name("Rakefile").then(|| TestCommand::new(command, "Rakefile"))
}

/// Returns the script `test` of Composer, or PHPUnit where it is configured or required.
fn find_php(root: &Root<'_>) -> Option<TestCommand> {
    let manifest: Value =
        serde_json::from_str(&root.read_text("composer.json")).unwrap_or_default();
    let has =
        |section: &str, name: &str| manifest.get(section).is_some_and(|it| it.get(name).is_some());
    if has("scripts", "test") {
        return Some(TestCommand::new("composer test", "composer.json"));
    }
    let settings = root.find(&["phpunit.xml", "phpunit.xml.dist"]);
    let required = has("require-dev", "phpunit/phpunit").then_some("composer.json");
    Some(TestCommand::new("vendor/bin/phpunit", settings.or(required)?))
}

/// Returns `make` with the target `test` or `check`, or with its first target.
fn find_make(root: &Root<'_>) -> Option<TestCommand> {
    // The order in which GNU make looks for them.
    let file = root.find(&["GNUmakefile", "makefile", "Makefile"])?;
    let text = root.read_text(file);
    // `test` is the usual target, `check` that of GNU projects.
    let commands = [("test", "make test"), ("check", "make check")];
    let command = commands.iter().find(|(target, _)| has_rule(&text, target));
    // The first target of a program's makefile builds it.
    let command = command.map_or("make", |(_, command)| command);
    Some(TestCommand::new(command, file))
}

/// Returns `true` if a makefile has a rule for the target, or a justfile a recipe of that name.
fn has_rule(text: &str, target: &str) -> bool {
    text.lines().any(|line| {
        // A recipe's own lines are indented, and `:=` is an assignment.
        line.split_once(':').is_some_and(|(targets, rest)| {
            !line.starts_with([' ', '\t', '#'])
                && !rest.starts_with('=')
                // A recipe of `just` may begin with `@`, which makes it quiet.
                && targets.split_whitespace().any(|word| word.trim_start_matches('@') == target)
        })
    })
}

/// A build folder of its own, removed by `git clean` and seldom committed.
const CTEST: &str = "ctest --build-and-test . build --build-generator \"Unix Makefiles\" --test-command ctest --output-on-failure";

/// Returns the command that builds a CMake project and runs its tests in one step.
fn find_ctest(root: &Root<'_>) -> Option<TestCommand> {
    root.has_name("CMakeLists.txt").then(|| TestCommand::new(CTEST, "CMakeLists.txt"))
}

/// Returns the command that builds a Meson project and runs its tests, if a build folder of a usual name is set up.
fn find_meson(root: &Root<'_>) -> Option<TestCommand> {
    // `meson test` builds what changed, but it does not set up the folder.
    let folders = [
        ("builddir/build.ninja", "meson test -C builddir"),
        ("build/build.ninja", "meson test -C build"),
    ];
    let is_set_up = |(file, _): &&(&str, &str)| root.has_file(file);
    let (_, command) = folders.iter().find(is_set_up)?;
    root.has_name("meson.build").then(|| TestCommand::new(command, "meson.build"))
}

/// Returns the recipe `test`, `check` or `ci` of a justfile.
fn find_just(root: &Root<'_>) -> Option<TestCommand> {
    let file = root.find(&["justfile", "Justfile", ".justfile"])?;
    let text = root.read_text(file);
    let commands = [("test", "just test"), ("check", "just check"), ("ci", "just ci")];
    let (_, command) = commands.iter().find(|(recipe, _)| has_rule(&text, recipe))?;
    Some(TestCommand::new(command, file))
}

/// Returns the task `test` of Deno, or its test runner.
fn find_deno(root: &Root<'_>) -> Option<TestCommand> {
    let file = root.find(ProjectKind::Deno.markers())?;
    // Comments are allowed in both of its manifests.
    let manifest = config_text::parse(ConfigFormat::Json, &root.read_text(file));
    let has_task = manifest.root().get("tasks").is_some_and(|tasks| tasks.get("test").is_some());
    let command = if has_task { "deno task test" } else { "deno test" };
    Some(TestCommand::new(command, file))
}

/// Returns the task `test`, `check` or `ci` of Task.
fn find_task(root: &Root<'_>) -> Option<TestCommand> {
    let file = root.find(ProjectKind::Task.markers())?;
    let manifest = config_text::parse(ConfigFormat::Yaml, &root.read_text(file));
    let commands = [("test", "task test"), ("check", "task check"), ("ci", "task ci")];
    let has_task =
        |name: &str| manifest.root().get("tasks").is_some_and(|tasks| tasks.get(name).is_some());
    let (_, command) = commands.iter().find(|(name, _)| has_task(name))?;
    Some(TestCommand::new(command, file))
}
