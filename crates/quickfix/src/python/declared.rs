//! The names of packages that the manifests of a Python project declare.

use papayu_base::domain::RepoPath;
use papayu_system::Tree;

/// Longest manifest that is read, in bytes.
const MAX_MANIFEST: u64 = 1024 * 1024;

/// Returns the manifests of Python among the files of a repository that can be read, each with the names that it declares.
pub fn declared_packages<'f>(
    tree: &'f dyn Tree,
    files: &'f [String],
) -> impl Iterator<Item = (&'f str, Vec<String>)> {
    files.iter().filter(|path| is_manifest(path)).filter_map(|path| {
        let bytes = tree.read(&RepoPath::parse(path).ok()?, MAX_MANIFEST).ok()?;
        Some((path.as_str(), declared_names(&String::from_utf8_lossy(&bytes))))
    })
}

/// Returns `true` for a file that declares packages: `requirements.txt`, `pyproject.toml`, `Pipfile`, `setup.py`.
fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_text = matches!(name.rsplit_once('.'), Some((_, "txt")));
    let is_list = path.contains("requirements") && is_text;
    is_list || matches!(name, "pyproject.toml" | "setup.py" | "setup.cfg" | "Pipfile")
}

/// Returns the names by which the packages of a manifest may be imported: each word that begins a line or a quoted text, as
/// in `requests>=2`, `"requests>=2"` and `requests = "^2"`. Other words of the manifest are among them.
fn declared_names(manifest: &str) -> Vec<String> {
    let starts = manifest.lines().flat_map(|line| line.split(['"', '\'']));
    let names = starts.filter_map(|start| {
        let start = start.trim_start();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let name = start.split(|c| !is_part(c)).next().unwrap_or_default();
        name.starts_with(|c: char| c.is_ascii_alphabetic()).then(|| name.replace('-', "_"))
    });
    names.collect()
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
            assert!(is_manifest(path), "{path}");
            let names = declared_names(text);
            for name in ["requests", "ruamel_yaml"] {
                assert!(names.iter().any(|it| it == name), "{text}: {names:?}");
            }
        }
        assert!(!is_manifest("notes.txt"));
    }
}
