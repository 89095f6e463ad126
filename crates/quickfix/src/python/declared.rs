//! The names of packages that the manifests of a Python project declare.

use papayu_base::config_text::{self, ConfigFormat, Node};
use papayu_base::domain::RepoPath;
use papayu_base::text::read_requirement;
use papayu_lang::{Language, parse_tree};
use papayu_system::Tree;

/// Longest manifest that is read, in bytes.
const MAX_MANIFEST: u64 = 1024 * 1024;

/// The keys of requirements in manifests with values: lists, or texts with a requirement in each line. `*` is any key.
const REQUIREMENTS: [&[&str]; 11] = [
    &["project", "dependencies"],
    &["project", "optional-dependencies", "*"],
    &["dependency-groups", "*"],
    &["tool", "uv", "dev-dependencies"],
    &["tool", "pdm", "dev-dependencies", "*"],
    &["tool", "hatch", "envs", "*", "dependencies"],
    &["tool", "hatch", "envs", "*", "extra-dependencies"],
    // Those of setup.cfg, where a section is one key.
    &["options", "install_requires"],
    &["options", "tests_require"],
    &["options", "setup_requires"],
    &["options.extras_require", "*"],
];

/// The keys of tables with a package for each key.
const TABLES: [&[&str]; 5] = [
    &["tool", "poetry", "dependencies"],
    &["tool", "poetry", "dev-dependencies"],
    &["tool", "poetry", "group", "*", "dependencies"],
    // Those of a Pipfile.
    &["packages"],
    &["dev-packages"],
];

/// Returns the manifests of Python among the files of a repository that can be read, each with the names that it declares.
pub fn declared_packages<'f>(
    tree: &'f dyn Tree,
    files: &'f [String],
) -> impl Iterator<Item = (&'f str, Vec<String>)> {
    files.iter().filter(|path| is_manifest(path)).filter_map(|path| {
        let bytes = tree.read(&RepoPath::parse(path).ok()?, MAX_MANIFEST).ok()?;
        Some((path.as_str(), declared_names(path, &String::from_utf8_lossy(&bytes))))
    })
}

/// Returns `true` for a file that declares packages: `requirements.txt`, `pyproject.toml`, `Pipfile`, `setup.py`.
fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_text = matches!(name.rsplit_once('.'), Some((_, "txt" | "in")));
    let is_list = path.contains("requirements") && is_text;
    is_list || matches!(name, "pyproject.toml" | "setup.py" | "setup.cfg" | "Pipfile")
}

/// Returns the names by which the packages of a manifest may be imported: `ruamel_yaml` for `Ruamel-YAML>=1`.
fn declared_names(path: &str, manifest: &str) -> Vec<String> {
    let names = match path.rsplit('/').next() {
        Some("pyproject.toml" | "Pipfile") => read_values(ConfigFormat::Toml, manifest),
        Some("setup.cfg") => read_values(ConfigFormat::Ini, manifest),
        Some("setup.py") => read_script(manifest),
        _ => manifest.lines().filter_map(package_name).collect(),
    };
    names.into_iter().map(|name| name.replace('-', "_").to_ascii_lowercase()).collect()
}

fn package_name(requirement: &str) -> Option<String> {
    read_requirement(requirement).map(|it| it.name.to_owned())
}

/// Returns the packages in a manifest with values.
fn read_values(format: ConfigFormat, manifest: &str) -> Vec<String> {
    let parsed = config_text::parse(format, manifest);
    let find = |path: &&[&'static str]| parsed.root().find_all(path.iter().copied());
    let lists = REQUIREMENTS.iter().flat_map(find);
    let texts =
        lists.flat_map(|list| list.texts().chain(list.as_str().into_iter().flat_map(str::lines)));
    let keys = TABLES.iter().flat_map(find).flat_map(Node::fields);
    texts.filter_map(package_name).chain(keys.map(|field| field.name.clone())).collect()
}

/// Returns the packages in the texts of arguments and variables with the names of requirements, as in
/// `setup(install_requires=["requests"])`. Those that the script computes are not known.
fn read_script(script: &str) -> Vec<String> {
    let Some(tree) = parse_tree(Language::Python, script) else { return Vec::new() };
    let mut found = Vec::new();
    let mut nodes = vec![(tree.root_node(), false)];
    while let Some((node, is_list)) = nodes.pop() {
        let text = script.get(node.byte_range()).unwrap_or_default();
        if is_list && node.kind() == "string_content" {
            found.extend(package_name(text));
        }
        let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("left"));
        let name = name.and_then(|name| script.get(name.byte_range())).unwrap_or_default();
        let is_list = is_list || is_of_requirements(name);
        // The key of a pair is the name of an extra.
        let key = node.child_by_field_name("key");
        let children = (0..node.child_count()).filter_map(|at| node.child(at));
        nodes.extend(children.filter(|it| Some(*it) != key).map(|child| (child, is_list)));
    }
    found
}

/// Returns `true` for `install_requires`, `extras_require` and `REQUIREMENTS`.
fn is_of_requirements(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["requires", "require", "requirements"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_read_from_every_kind_of_manifest_and_no_other_words() {
        for (path, text) in [
            ("requirements.txt", "# web\nrequests>=2 ; python_version > '3'\nRuamel-YAML\n"),
            (
                "requirements/dev.in",
                "-r base.txt\nrequests[socks]==2\n--hash=sha256:ab\nruamel_yaml\n",
            ),
            (
                "pyproject.toml",
                "[project]\nname = \"shop\"\ndependencies = [\"requests>=2\"]\n[dependency-groups]\ndev = ['ruamel-yaml']\n[tool.ruff]\nselect = [\"flask\"]\n",
            ),
            (
                "web/pyproject.toml",
                "[tool.poetry.dependencies]\nrequests = \"^2\"\n[tool.poetry.group.dev.dependencies]\nruamel-yaml = \"*\"\n[tool.flask]\ndebug = true\n",
            ),
            (
                "Pipfile",
                "[[source]]\nname = \"flask\"\n[packages]\nrequests = \"*\"\n[dev-packages]\nruamel-yaml = \"*\"\n",
            ),
            (
                "setup.cfg",
                "[metadata]\nname = shop\n[options]\ninstall_requires =\n    requests>=2\n[options.extras_require]\nflask =\n    ruamel-yaml\n",
            ),
            (
                "setup.py",
                "REQUIRES = ['requests']\nsetup(name='shop', install_requires=REQUIRES, extras_require={'flask': [\"ruamel-yaml>1\"]})\n",
            ),
        ] {
            assert!(is_manifest(path), "{path}");
            let mut names = declared_names(path, text);
            names.sort_unstable();
            assert_eq!(names, ["requests", "ruamel_yaml"], "{path}");
        }
        assert!(!is_manifest("notes.txt"));
    }
}
