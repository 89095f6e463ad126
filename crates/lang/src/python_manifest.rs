//! The names of packages that the manifests of a Python project declare.

/// Returns `true` for a file that declares packages: `requirements.txt`, `pyproject.toml`, `Pipfile`, `setup.py`.
pub fn is_python_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_text = matches!(name.rsplit_once('.'), Some((_, "txt")));
    let is_list = path.contains("requirements") && is_text;
    is_list || matches!(name, "pyproject.toml" | "setup.py" | "setup.cfg" | "Pipfile")
}

/// Returns the names by which the packages of a manifest may be imported: each word that begins a line or a quoted text, as
/// in `requests>=2`, `"requests>=2"` and `requests = "^2"`. Other words of the manifest are among them.
pub fn declared_python_names(manifest: &str) -> Vec<String> {
    let starts = manifest.lines().flat_map(|line| line.split(['"', '\'']));
    let names = starts.filter_map(|start| {
        let start = start.trim_start();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let name = start.split(|c| !is_part(c)).next().unwrap_or_default();
        name.starts_with(|c: char| c.is_ascii_alphabetic()).then(|| name.replace('-', "_"))
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_read_from_every_kind_of_manifest() {
        for (path, text) in [
            ("requirements.txt", "# web\nrequests>=2 ; python_version > '3'\nruamel-yaml\n"),
            ("requirements/dev.txt", "-r base.txt\nrequests[socks]==2\nruamel_yaml\n"),
            ("pyproject.toml", "[project]\ndependencies = [\"requests>=2\", 'ruamel-yaml']\n"),
            (
                "pyproject.toml",
                "[tool.poetry.dependencies]\nrequests = \"^2\"\nruamel-yaml = \"*\"\n",
            ),
            ("setup.py", "setup(install_requires=[\"requests\", 'ruamel-yaml'])\n"),
        ] {
            assert!(is_python_manifest(path), "{path}");
            let names = declared_python_names(text);
            for name in ["requests", "ruamel_yaml"] {
                assert!(names.iter().any(|it| it == name), "{text}: {names:?}");
            }
        }
        assert!(!is_python_manifest("notes.txt"));
    }
}
