//! Finds the lock file or manifest that has the finding's package.

use super::copy::read_text;
use super::lock_file::{read_cargo_versions, read_go_versions, read_npm_versions};
use super::pom::find_pom_versions;
use super::requirement::read_requirement_versions;
use super::tools::BumpTools;
use super::unbumped::Unbumped;
use crate::domain::RepoPath;
use crate::findings::{Ecosystem, Finding};

/// Most files of a repository that are looked through.
const MAX_FILES: usize = 50_000;

/// Most manifests that are read for one finding.
const MAX_MANIFESTS: usize = 500;

/// The place of a package in the repository.
pub(super) struct Located {
    /// The lock file, or the manifest of a project without one.
    pub(super) path: RepoPath,
    /// Its text.
    pub(super) text: String,
    /// The affected versions of the package in it, the lowest first.
    pub(super) affected: Vec<String>,
    /// The first of them.
    pub(super) lowest: String,
    /// Every file of the repository.
    pub(super) files: Vec<String>,
}

impl Located {
    /// Returns the folder of the file; empty for the root.
    pub(super) fn folder(&self) -> &str {
        self.path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Returns the path of a file in the same folder.
    pub(super) fn sibling(&self, name: &str) -> Option<RepoPath> {
        let folder = self.folder();
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        RepoPath::parse(&path).ok()
    }

    /// Returns the files of the repository in the folder or below that have one of these names or endings.
    pub(super) fn files_below(&self, names: &[&str]) -> Vec<RepoPath> {
        let folder = self.folder();
        let is_below = |path: &str| {
            folder.is_empty() || path.strip_prefix(folder).is_some_and(|it| it.starts_with('/'))
        };
        let is_named = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            names.iter().any(|it| name == *it || it.starts_with('.') && name.ends_with(it))
        };
        let files = self.files.iter().filter(|path| is_below(path) && is_named(path));
        files.filter_map(|path| RepoPath::parse(path).ok()).collect()
    }

    /// Returns the versions of the package in a text of the located file.
    pub(super) fn read_versions(&self, text: &str, finding: &Finding) -> Vec<String> {
        read_versions(self.path.as_str(), text, finding)
    }
}

/// Returns the names of the files that say which versions are installed.
fn file_names(ecosystem: Ecosystem) -> &'static str {
    match ecosystem {
        Ecosystem::Npm => "package-lock.json or npm-shrinkwrap.json",
        Ecosystem::PyPi => "requirements*.txt or pyproject.toml",
        Ecosystem::Cargo => "Cargo.lock",
        Ecosystem::Go => "go.mod",
        Ecosystem::Maven => "pom.xml",
    }
}

fn is_candidate(ecosystem: Ecosystem, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_installed = path.split('/').any(|part| part == "node_modules" || part == "vendor");
    !is_installed
        && match ecosystem {
            Ecosystem::Npm => matches!(name, "package-lock.json" | "npm-shrinkwrap.json"),
            Ecosystem::PyPi => {
                name == "pyproject.toml"
                    || name.strip_suffix(".txt").is_some_and(|stem| {
                        stem.starts_with("requirements") || path.contains("requirements/")
                    })
            }
            Ecosystem::Cargo => name == "Cargo.lock",
            Ecosystem::Go => name == "go.mod",
            Ecosystem::Maven => name == "pom.xml",
        }
}

fn read_versions(path: &str, text: &str, finding: &Finding) -> Vec<String> {
    let package = finding.package.as_str();
    match finding.ecosystem {
        Ecosystem::Npm => read_npm_versions(text, package),
        Ecosystem::Cargo => read_cargo_versions(text, package),
        Ecosystem::Go => read_go_versions(text, package),
        Ecosystem::PyPi => read_requirement_versions(path, text, finding),
        Ecosystem::Maven => {
            find_pom_versions(text, package).into_iter().map(|it| it.value).collect()
        }
    }
}

/// Returns the file with the package: that which the scanner read, else the first one with an affected version, those
/// nearest to the root first.
pub(super) fn locate(tools: BumpTools<'_>, finding: &Finding) -> Result<Located, Unbumped> {
    let files = tools.system.disk.walk(tools.tree.root(), MAX_FILES)?;
    let mut candidates: Vec<&String> =
        files.iter().filter(|path| is_candidate(finding.ecosystem, path)).collect();
    let named = named_file(tools, finding);
    candidates.sort_by_key(|path| {
        // A path of the scanner is only a preference: it is untrusted, and may be of another machine.
        let is_named = named.as_ref().is_some_and(|named| named.ends_with(path.as_str()));
        (!is_named, path.matches('/').count())
    });
    let mut unaffected = None;
    for path in candidates.into_iter().take(MAX_MANIFESTS) {
        let Ok(path) = RepoPath::parse(path) else { continue };
        let Some(text) = read_text(tools.tree, &path) else { continue };
        let versions = read_versions(path.as_str(), &text, finding);
        let mut affected: Vec<String> =
            versions.iter().filter(|it| finding.is_affected(it)).cloned().collect();
        affected.sort_by(|one, other| finding.ecosystem.compare(one, other));
        affected.dedup();
        if let Some(lowest) = affected.first().cloned() {
            return Ok(Located { path, text, affected, lowest, files });
        }
        unaffected = unaffected.or_else(|| Some((path, versions.into_iter().next()?)));
    }
    let package = finding.package.to_string();
    Err(match unaffected {
        Some((file, version)) => Unbumped::NotAffected { file: file.to_string(), package, version },
        None => Unbumped::NotThere { files: file_names(finding.ecosystem), package },
    })
}

/// Returns the scanner's path as one of the repository: a suffix of an absolute path is enough.
fn named_file(tools: BumpTools<'_>, finding: &Finding) -> Option<String> {
    let file = finding.file.as_deref()?;
    let root = format!("{}/", tools.tree.root().display());
    Some(format!("/{}", file.strip_prefix(&root).unwrap_or(file).trim_start_matches("./")))
}
