//! Lists every name and version in a manifest, a lock file or a CI definition.

use std::sync::LazyLock;

use globset::{GlobSet, GlobSetBuilder};
use serde::Deserialize;

use super::lock_file::list_go_modules;
use super::msbuild::list_msbuild;
use super::named_version::NamedVersion;
use super::other_lock::{list_gradle, list_pnpm, list_yarn};
use super::pom::list_pom_versions;
use super::requirement::normalize_name;
use papayu_base::config_text::{ConfigFormat, ConfigValue, Field, Node, parse};
use papayu_base::text::{NamedRequirement, read_requirement};

/// The table of files.
static FILES: LazyLock<Vec<(GlobSet, VersionFile)>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct Table {
        file: Vec<VersionFile>,
    }
    // The tests read the table, so it always parses.
    let table = toml::from_str::<Table>(include_str!("versions.toml"));
    let rows = table.map(|table| table.file).unwrap_or_default().into_iter();
    let with_globs = rows.map(|row| {
        let mut globs = GlobSetBuilder::new();
        row.names.iter().flat_map(|name| globset::Glob::new(name)).for_each(|it| _ = globs.add(it));
        (globs.build().unwrap_or_default(), row)
    });
    with_globs.collect()
});

/// A row of the table of files.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VersionFile {
    names: Vec<String>,
    format: Option<TableFormat>,
    #[serde(default)]
    tables: Vec<String>,
    #[serde(default)]
    lists: Vec<String>,
    #[serde(default)]
    texts: Vec<String>,
    lines: Option<VersionForm>,
    #[serde(default)]
    installed: bool,
}

/// The format of a file with values.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TableFormat {
    Json,
    Toml,
}

/// The form of a file that is read by lines.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum VersionForm {
    Yarn,
    Pnpm,
    Go,
    Pom,
    Gradle,
    Msbuild,
    /// The indented `name (version)` of Bundler.
    Gems,
    Requirements,
    /// `FROM image:tag`.
    Images,
    /// `name version`.
    Words,
    /// The version of the tool that the file is named after.
    Whole,
    /// Actions, images, machines and versions of tools in a definition of a CI system.
    Ci,
}

/// Returns the names and versions in a file, in its order; none for a file that names no versions.
pub fn list_versions(path: &str, text: &str) -> Vec<NamedVersion> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some(file) = find_file(path) else { return Vec::new() };
    let pairs = |rows: Vec<(&str, &str)>| -> Vec<NamedVersion> {
        rows.into_iter().map(|(name, version)| (name.to_owned(), version.to_owned())).collect()
    };
    match (file.lines, file.format) {
        (Some(VersionForm::Yarn), _) => list_yarn(text),
        (Some(VersionForm::Pnpm), _) => list_pnpm(text),
        (Some(VersionForm::Go), _) => list_go_modules(text),
        (Some(VersionForm::Pom), _) => list_pom_versions(text),
        (Some(VersionForm::Gradle), _) => list_gradle(text),
        (Some(VersionForm::Msbuild), _) => list_msbuild(text),
        (Some(VersionForm::Gems), _) => pairs(text.lines().filter_map(read_gem).collect()),
        (Some(VersionForm::Requirements), _) => text.lines().filter_map(read_pin).collect(),
        (Some(VersionForm::Images), _) => text.lines().filter_map(read_from).collect(),
        (Some(VersionForm::Words), _) => {
            pairs(text.lines().filter_map(|line| line.trim().split_once(' ')).collect())
        }
        (Some(VersionForm::Whole), _) => pairs(vec![(name, text.trim())]),
        (Some(VersionForm::Ci), _) => {
            let mut found = Vec::new();
            let parsed = parse(ConfigFormat::Yaml, text);
            parsed.documents.iter().for_each(|node| add_ci_versions(node, &mut found));
            found
        }
        (None, Some(TableFormat::Json)) => file.read(parse(ConfigFormat::Json, text).root()),
        (None, Some(TableFormat::Toml)) => file.read(parse(ConfigFormat::Toml, text).root()),
        (None, None) => Vec::new(),
    }
}

/// Returns `true` for a file of packages that a command installs before any other uses them, so that a change of the file alone
/// changes nothing.
pub fn names_installed(path: &str) -> bool {
    find_file(path).is_some_and(|file| file.installed)
}

/// Returns `true` for a manifest or a lock file of packages, not for one of tools, images or actions.
pub fn names_packages(path: &str) -> bool {
    use VersionForm::{Ci, Images, Whole, Words};
    find_file(path).is_some_and(|file| !matches!(file.lines, Some(Ci | Images | Whole | Words)))
}

/// Returns `true` for the path of a file that [`list_versions`] can read.
pub fn names_versions(path: &str) -> bool {
    find_file(path).is_some()
}

/// Returns the row of a file.
fn find_file(path: &str) -> Option<&'static VersionFile> {
    let name = path.rsplit('/').next().unwrap_or(path);
    FILES.iter().find(|(globs, _)| globs.is_match(name)).map(|(_, file)| file)
}

impl VersionFile {
    /// Returns what the tables and lists of a file name.
    fn read(&self, root: &Node) -> Vec<NamedVersion> {
        let mut found = Vec::new();
        for table in self.tables.iter().flat_map(|path| root.find_all(path.split('.'))) {
            found.extend(table.fields().iter().filter_map(read_field));
        }
        for list in self.lists.iter().flat_map(|path| root.find_all(path.split('.'))) {
            let read = |entry: &Node| {
                let get = |key| entry.get(key).and_then(Node::as_str).map(str::to_owned);
                Some((get("name")?, get("version")?))
            };
            found.extend(items(list).iter().filter_map(read));
        }
        for list in self.texts.iter().flat_map(|path| root.find_all(path.split('.'))) {
            found.extend(list.texts().filter_map(read_pin));
        }
        found
    }
}

fn items(node: &Node) -> &[Node] {
    if let ConfigValue::List(items) = &node.value { items } else { &[] }
}

/// Reads a key with its version: a text, a table with one, or the list of bun that begins with `name@version`.
fn read_field(field: &Field) -> Option<NamedVersion> {
    if let Some(first) = field.value.texts().next() {
        let (name, version) = first.rsplit_once('@').filter(|(name, _)| !name.is_empty())?;
        return Some((name.to_owned(), version.to_owned()));
    }
    // npm names nested packages by their folders.
    let name = field.name.rsplit("node_modules/").next().filter(|name| !name.is_empty())?;
    let inner =
        || ["version", "resolved"].into_iter().find_map(|key| field.value.get(key)?.as_str());
    let version = field.value.as_str().or_else(inner)?;
    Some((name.to_owned(), version.trim_start_matches("==").to_owned()))
}

/// Reads a requirement of Python: its name and what follows, without markers, comments and options.
fn read_pin(line: &str) -> Option<NamedVersion> {
    let line = line.split(['#', ';', '\\']).next()?.split(" --").next()?;
    let NamedRequirement { name, rest } = read_requirement(line)?;
    let version = rest.trim().trim_start_matches("==");
    Some((normalize_name(name), version.to_owned()))
}

/// Reads `    name (1.0.0)`, the depth at which Bundler writes what is installed.
fn read_gem(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("    ").filter(|rest| !rest.starts_with(' '))?;
    rest.strip_suffix(')')?.split_once(" (")
}

/// Reads `FROM image:tag AS stage`.
fn read_from(line: &str) -> Option<NamedVersion> {
    let rest = line.trim().strip_prefix("FROM ")?;
    read_image(rest.split_whitespace().find(|word| !word.starts_with("--"))?)
}

/// Reads `registry:5000/image:tag@sha256:…`; `None` for an image without a version.
fn read_image(image: &str) -> Option<NamedVersion> {
    let at = image.rfind('/').unwrap_or(0);
    let end = at + image.get(at..)?.find([':', '@'])?;
    let (name, version) = (image.get(..end)?, image.get(end + 1..)?);
    Some((name.to_owned(), version.to_owned()))
}

/// Adds the actions, images, machines and tools of a definition: `uses`, `image`, `container`, `runs-on` and
/// `…-version`.
fn add_ci_versions(node: &Node, found: &mut Vec<NamedVersion>) {
    for field in node.fields() {
        let (name, text) = (field.name.as_str(), field.value.as_str());
        let whole = |text: &str| Some((name.to_owned(), text.to_owned()));
        let read = match (name, text) {
            ("uses", Some(text)) => {
                text.rsplit_once('@').map(|(name, version)| (name.to_owned(), version.to_owned()))
            }
            ("image" | "container", Some(text)) => read_image(text),
            ("runs-on" | "vmImage", Some(text)) => whole(text),
            (name, Some(text)) if name.ends_with("-version") => whole(text),
            (name, None) if name.ends_with("-version") => match field.value.value {
                ConfigValue::Number(number) => whole(&number.to_string()),
                _ => None,
            },
            _ => None,
        };
        found.extend(read);
        add_ci_versions(&field.value, found);
    }
    for item in items(node) {
        add_ci_versions(item, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path and text of a file, and the names and versions in it.
    const CASES: [(&str, &str, &str); 23] = [
        (
            "package-lock.json",
            r#"{"packages": {"": {"version": "9"}, "node_modules/b/node_modules/a": {"version": "2.0.0"}}}"#,
            "a 2.0.0",
        ),
        (
            "web/package.json",
            r#"{"dependencies": {"@x/a": "^1.0"}, "devDependencies": {"b": "2"}}"#,
            "@x/a ^1.0, b 2",
        ),
        ("bun.lock", "{\"packages\": {\"a\": [\"a@1.2.0\", \"\", {}, \"sha512-x\"],}}", "a 1.2.0"),
        (
            "composer.lock",
            r#"{"packages": [{"name": "x/a", "version": "v1"}], "packages-dev": []}"#,
            "x/a v1",
        ),
        ("Pipfile.lock", r#"{"default": {"a": {"version": "==1.0"}}}"#, "a 1.0"),
        (
            "packages.lock.json",
            r#"{"dependencies": {"net8.0": {"A": {"resolved": "1.0"}}}}"#,
            "A 1.0",
        ),
        ("Cargo.lock", "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n", "a 1.0.0"),
        (
            "Cargo.toml",
            "[dependencies]\na = \"1\"\nb = { version = \"2\", features = [] }\nc.workspace = true\n",
            "a 1, b 2",
        ),
        (
            "pyproject.toml",
            "[project]\ndependencies = [\"A_b[x]>=1,<2; python_version < '4'\"]\n[dependency-groups]\ndev = [\"c==3\"]\n",
            "a-b >=1,<2, c 3",
        ),
        (
            "requirements-dev.txt",
            "# x\n-r a.txt\nJinja2==3.1.4 --hash=sha256:1\nclick\n",
            "jinja2 3.1.4, click ",
        ),
        ("yarn.lock", "\"@x/a@^1.0.0\", \"@x/a@^1.1\":\n  version \"1.1.0\"\n", "@x/a 1.1.0"),
        (
            "pnpm-lock.yaml",
            "packages:\n\n  '@x/a@1.0.0(b@2.0.0)':\n    x: y\n  /c/3.0.0_d:\n    x: y\n",
            "@x/a 1.0.0, c 3.0.0",
        ),
        ("go.mod", "module x\ngo 1.22\nrequire (\n\ta.com/b v1.2.3\n)\n", "a.com/b 1.2.3"),
        (
            "go.mod",
            "require a.com/b v1.2.3\nrequire c v1\nreplace a.com/b => ./b-1\nreplace (\n\tc v1 => c v1.3\n\td => e v2.0.0\n)\n",
            "a.com/b ./b-1, c 1.3, d e@v2.0.0",
        ),
        (
            "pom.xml",
            "<project><properties><v>1.2</v></properties><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>${v}</version></dependency></dependencies></project>",
            "g:a 1.2",
        ),
        (
            "src/Shop.csproj",
            "<Project><ItemGroup><PackageReference Include=\"A\" Version=\"1.0\" /><PackageReference Include=\"B\" /></ItemGroup></Project>",
            "A 1.0",
        ),
        ("gradle.lockfile", "org.x:core:2.14.1=compileClasspath\nempty=x\n", "org.x:core 2.14.1"),
        ("Gemfile.lock", "GEM\n  specs:\n    rack (3.0.0)\n      webrick (~> 1)\n", "rack 3.0.0"),
        (
            "app.Dockerfile",
            "FROM --platform=x r:5000/a/b:1.2 AS s\nFROM scratch\n",
            "r:5000/a/b 1.2",
        ),
        (".tool-versions", "nodejs 20.1.0\n", "nodejs 20.1.0"),
        (".nvmrc", "v20\n", ".nvmrc v20"),
        (
            ".github/workflows/ci.yml",
            "jobs:\n  a:\n    runs-on: ubuntu-24.04\n    container: node:20\n    steps:\n      - uses: actions/setup-node@v4\n        with:\n          node-version: 20\n",
            "runs-on ubuntu-24.04, node 20, actions/setup-node v4, node-version 20",
        ),
        ("src/main.rs", "fn main() {}", ""),
    ];

    #[test]
    fn every_row_of_the_table_names_versions() {
        assert!(FILES.len() > 20);
        for (path, text, expected) in CASES {
            let found = list_versions(path, text);
            let found: Vec<String> =
                found.iter().map(|(name, it)| format!("{name} {it}")).collect();
            assert_eq!(found.join(", "), expected, "{path}");
        }
        let installed = ["a/yarn.lock", "requirements-dev.txt", "uv.lock", "Gemfile.lock"];
        assert!(installed.into_iter().all(names_installed));
        for path in ["Cargo.lock", "go.mod", "Dockerfile", ".nvmrc", "ci.yml", "src/main.rs"] {
            assert!(!names_installed(path), "{path}");
            assert_eq!(names_packages(path), path.contains("lock") || path == "go.mod", "{path}");
        }
    }
}
