//! Finds the commands that install what a fresh clone of a project lacks.

use serde_json::Value;

use super::detect::find_kinds;
use super::installation::{InstallMarker, InstallVariable, Installation, list_inputs};
use super::profile::ProjectKind;
use super::root::Root;
use super::test_command::find_package_manager;
use super::{python, python_setup};
use papayu_system::Tree;

/// Returns the usual installations of a repository that a command may need: those of the kinds with a program that the
/// command begins with, or of every kind with a marker at the root if it begins with none. A kind without dependencies has none.
///
/// Every command is made of words of this module: a repository chooses among them and writes none.
pub fn find_installations(tree: &dyn Tree, command: &str) -> Vec<Installation> {
    let root = Root::list(tree);
    let found = find_kinds(&root);
    let program = shlex::split(command).and_then(|words| words.into_iter().next());
    // The shell decides what a line with several programs runs.
    let program = program.filter(|_| !command.contains(['&', '|', ';', '\n']));
    let uses = |kind: &ProjectKind| program.as_deref().is_some_and(|it| is_program(*kind, it));
    let named: Vec<ProjectKind> = found.iter().copied().filter(uses).collect();
    let kinds = if named.is_empty() { found } else { named };
    kinds.into_iter().filter_map(|kind| find_installation(kind, &root)).collect()
}

/// Returns `true` for a program that builds or tests projects of a kind, or runs their own programs.
fn is_program(kind: ProjectKind, program: &str) -> bool {
    // Their recipes run programs of any kind.
    if matches!(
        kind,
        ProjectKind::Make | ProjectKind::Just | ProjectKind::Task | ProjectKind::PreCommit
    ) {
        return false;
    }
    let versions = kind.version_commands().iter().filter_map(|words| words.first());
    let builds = kind.build_commands().iter().filter_map(|command| command.words().first());
    let runners: &[&str] = match kind {
        ProjectKind::Node => &["npx", "pnpm", "pnpx", "yarn", "bun", "bunx"],
        ProjectKind::Python => &["uv", "poetry", "pipenv", "tox", "nox"],
        _ => &[],
    };
    versions.chain(builds).chain(runners).any(|known| *known == program)
}

/// Returns the usual installation of one kind.
fn find_installation(kind: ProjectKind, root: &Root<'_>) -> Option<Installation> {
    match kind {
        ProjectKind::Rust => Some(Installation::by_command("cargo fetch", &[".cargo/registry"])),
        // Vendored modules are used as they are.
        ProjectKind::Go => (!root.has_file("vendor/modules.txt"))
            .then(|| Installation::by_command("go mod download", &["go/pkg", ".cache/go-build"])),
        ProjectKind::Python => python_setup::find_installation(root, python::needs_pytest(root)),
        ProjectKind::Node => find_node(root),
        ProjectKind::Maven => {
            let wrapped = root.has_file("mvnw");
            let program = if wrapped { "./mvnw" } else { "mvn" };
            let command = format!("{program} --batch-mode --quiet dependency:go-offline");
            Some(Installation::by_command(&command, &[".m2/repository", ".m2/wrapper"]))
        }
        ProjectKind::Gradle => {
            let program = if root.has_file("gradlew") { "./gradlew" } else { "gradle" };
            let command = format!("{program} --quiet dependencies");
            Some(Installation::by_command(&command, &[".gradle/caches", ".gradle/wrapper"]))
        }
        ProjectKind::Dotnet => {
            root.find(&["*.sln", "*.slnx", "*.csproj", "*.fsproj"])?;
            Some(Installation::by_command("dotnet restore", &[".nuget/packages"]))
        }
        ProjectKind::Ruby => root.has_name("Gemfile").then(|| Installation {
            // Gems of the system stay as they are.
            variables: vec![InstallVariable::Folder("BUNDLE_PATH", "vendor/bundle")],
            ..Installation::by_command("bundle install", &[".bundle/cache"])
        }),
        ProjectKind::Php => root.has_name("composer.json").then(|| Installation {
            marker: Some(InstallMarker::of_tool("vendor/composer/installed.json")),
            inputs: list_inputs(root, &["composer.lock"], &["composer.json"]),
            ..Installation::by_command(
                "composer install --no-interaction --no-progress --prefer-dist",
                &[".cache/composer"],
            )
        }),
        // These install when they run, or have recipes that do.
        ProjectKind::Deno
        | ProjectKind::Elixir
        | ProjectKind::Swift
        | ProjectKind::Sbt
        | ProjectKind::Make
        | ProjectKind::Just
        | ProjectKind::Task
        | ProjectKind::PreCommit
        | ProjectKind::Unknown => None,
    }
}

/// The tables of `package.json` that name packages, or other projects that have some.
const NODE_TABLES: [&str; 4] =
    ["dependencies", "devDependencies", "optionalDependencies", "workspaces"];

/// Returns the installation of a Node project by the package manager that it names.
fn find_node(root: &Root<'_>) -> Option<Installation> {
    let manifest: Value = serde_json::from_str(&root.read_text("package.json")).ok()?;
    let npm_locks = ["package-lock.json", "npm-shrinkwrap.json"];
    let needs_any = NODE_TABLES.iter().any(|table| manifest.get(table).is_some());
    let has_lock = root.find(&npm_locks).is_some();
    if !needs_any && !has_lock {
        return None;
    }
    let named = manifest.get("packageManager").and_then(Value::as_str).unwrap_or_default();
    let marker = |path| Some(InstallMarker::of_tool(path));
    let (command, locks, marker, caches): (_, &[&str], _, &[&str]) =
        match find_package_manager(root, named) {
            "pnpm" => (
                "pnpm install --frozen-lockfile",
                &["pnpm-lock.yaml"],
                marker("node_modules/.modules.yaml"),
                &[".local/share/pnpm/store", ".cache/pnpm"],
            ),
            // The second generation of yarn has a settings file, or is named with its version.
            "yarn" if root.has_name(".yarnrc.yml") || is_modern_yarn(named) => (
                "yarn install --immutable",
                &["yarn.lock"],
                marker("node_modules/.yarn-state.yml"),
                &[".yarn/berry/cache"],
            ),
            "yarn" => (
                "yarn install --frozen-lockfile --non-interactive",
                &["yarn.lock"],
                marker("node_modules/.yarn-integrity"),
                &[".cache/yarn"],
            ),
            "bun" => (
                "bun install --frozen-lockfile",
                &["bun.lock", "bun.lockb"],
                None,
                &[".bun/install/cache"],
            ),
            _ if has_lock => (
                "npm ci --no-audit --no-fund",
                &npm_locks,
                marker("node_modules/.package-lock.json"),
                &[".npm"],
            ),
            _ => (
                "npm install --no-package-lock --no-audit --no-fund",
                &[],
                marker("node_modules/.package-lock.json"),
                &[".npm"],
            ),
        };
    let inputs = list_inputs(root, locks, &["package.json"]);
    Some(Installation { marker, inputs, ..Installation::by_command(command, caches) })
}

fn is_modern_yarn(named: &str) -> bool {
    named.strip_prefix("yarn@").is_some_and(|version| !version.starts_with("1."))
}

#[cfg(test)]
mod tests;
