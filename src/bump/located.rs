//! Finds every lock file and manifest that has an affected version of the finding's package.

use std::sync::Arc;

use super::inherited::{Inherited, find_inherited};
use super::lock_file::read_npm_versions;
use super::manifest::Manifest;
use super::package_versions::{
    is_other_lock, read_cargo_versions, read_go_versions, read_other_versions,
};
use super::pom::find_pom_versions;
use super::requirement::read_requirement_versions;
use super::tools::{BumpTools, MAX_FILE_BYTES};
use super::unbumped::Unbumped;
use papayu_base::domain::RepoPath;
use papayu_logs::findings::{Ecosystem, Finding};

/// Most files of a repository that are looked through.
const MAX_FILES: usize = 500_000;

/// Most manifests that are read for one finding.
const MAX_MANIFESTS: usize = 10_000;

/// Longest file that is searched for the package, in bytes; one above [`MAX_FILE_BYTES`] is not updated.
const MAX_SEARCHED: u64 = 64 * 1024 * 1024;

/// A file with an affected version of the package.
#[derive(Clone)]
pub(super) struct Located {
    /// The lock file, or the manifest of a project without one.
    pub(super) path: RepoPath,
    /// Its text.
    pub(super) text: String,
    /// The affected versions of the package in it, the lowest first.
    pub(super) affected: Vec<String>,
    /// The first of them.
    pub(super) lowest: String,
    /// Properties of Maven in it that are the package's version in the modules below.
    pub(super) properties: Vec<String>,
    /// Why it cannot be updated, if that is known from the file alone.
    pub(super) unusable: Option<String>,
    /// Every file of the repository.
    pub(super) files: Arc<Vec<String>>,
}

impl Located {
    /// Returns the folder of the file; empty for the root.
    pub(super) fn folder(&self) -> &str {
        folder_of(self.path.as_str())
    }

    /// Returns the path of a file in the same folder. `None` for an invalid name.
    pub(super) fn sibling(&self, name: &str) -> Option<RepoPath> {
        let folder = self.folder();
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        RepoPath::parse(&path).ok()
    }

    /// Returns the files of the repository that have one of these names or endings.
    pub(super) fn all_files(&self, names: &[&str]) -> Vec<RepoPath> {
        let files = self.files.iter().filter(|path| has_name(path, names));
        files.filter_map(|path| RepoPath::parse(path).ok()).collect()
    }

    /// Returns those in the folder or below.
    pub(super) fn files_below(&self, names: &[&str]) -> Vec<RepoPath> {
        let mut files = self.all_files(names);
        files.retain(|path| is_below(path.as_str(), self.folder()));
        files
    }

    /// Returns those in the folder or below that are not below another file of the same name: a nested lock file has
    /// manifests of its own.
    pub(super) fn own_files(&self, names: &[&str]) -> Vec<RepoPath> {
        let name = self.path.as_str().rsplit('/').next().unwrap_or_default();
        let nested = self.files_below(&[name]);
        let nested: Vec<&str> = nested.iter().map(|it| folder_of(it.as_str())).collect();
        let is_nested = |path: &RepoPath| {
            nested.iter().any(|it| *it != self.folder() && is_below(path.as_str(), it))
        };
        let mut files = self.files_below(names);
        files.retain(|path| !is_nested(path));
        files
    }

    /// Returns the versions of the package in a text of the located file.
    pub(super) fn read_versions(&self, text: &str, finding: &Finding) -> Vec<String> {
        read_versions(self.path.as_str(), text, &self.properties, finding)
    }

    /// Returns the place as the changes so far leave it; `None` if no version in it is affected any more.
    pub(super) fn read_again(&self, tools: BumpTools<'_>, finding: &Finding) -> Option<Self> {
        let text = tools.read_text(&self.path)?;
        let affected = find_affected(&self.read_versions(&text, finding), finding);
        let lowest = affected.first()?.clone();
        Some(Self { text, affected, lowest, ..self.clone() })
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|it| it.starts_with('/'))
}

/// Returns `true` for a path with one of these names, or one of these endings, which begin with a point.
fn has_name(path: &str, names: &[&str]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    names.iter().any(|it| name == *it || it.starts_with('.') && name.ends_with(it))
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

/// Returns `true` for a lock file or manifest that can name an installed version; files of installed packages
/// are left out.
fn is_candidate(ecosystem: Ecosystem, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_installed = path.split('/').any(|part| part == "node_modules" || part == "vendor");
    !is_installed && (is_other_lock(ecosystem, path) || is_version_file(ecosystem, path, name))
}

/// Returns `true` if the package manager itself writes or reads the versions in a file.
fn is_version_file(ecosystem: Ecosystem, path: &str, name: &str) -> bool {
    match ecosystem {
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

/// Returns the versions of the finding's package in a file, in the order of the file. `properties` are the
/// names of Maven's properties that are its version in the modules below.
fn read_versions(path: &str, text: &str, properties: &[String], finding: &Finding) -> Vec<String> {
    let package = finding.package.as_str();
    if is_other_lock(finding.ecosystem, path) {
        return read_other_versions(path, text, package);
    }
    match finding.ecosystem {
        Ecosystem::Npm => read_npm_versions(text, package),
        Ecosystem::Cargo => read_cargo_versions(text, package),
        Ecosystem::Go => read_go_versions(text, package),
        Ecosystem::PyPi => read_requirement_versions(path, text, finding),
        Ecosystem::Maven => {
            let versions = find_pom_versions(text, package, properties).into_iter();
            versions.map(|it| it.value).collect()
        }
    }
}

/// Returns the affected ones of some versions without repetitions, the lowest first.
fn find_affected(versions: &[String], finding: &Finding) -> Vec<String> {
    let mut affected: Vec<String> =
        versions.iter().filter(|it| finding.is_affected(it)).cloned().collect();
    affected.sort_by(|one, other| finding.ecosystem.compare(one, other));
    affected.dedup();
    affected
}

/// Returns every file with an affected version: first those that the scanner read, then those nearest to the root.
///
/// # Errors
///
/// [`Unbumped::NotAffected`] or [`Unbumped::NotThere`] if there is none.
pub(super) fn locate(tools: BumpTools<'_>, finding: &Finding) -> Result<Vec<Located>, Unbumped> {
    let files = Arc::new(tools.system.disk.walk(tools.tree.root(), MAX_FILES)?);
    let manifests = read_manifests(tools, finding, &files);
    let inherited = match finding.ecosystem {
        Ecosystem::Maven => find_inherited(&manifests, finding.package.as_str()),
        _ => Inherited::default(),
    };
    let (mut found, mut unaffected) = (Vec::new(), None);
    for Manifest { path, text, unusable } in manifests {
        let properties = inherited.properties_of(path.as_str());
        let versions = read_versions(path.as_str(), &text, &properties, finding);
        let affected = find_affected(&versions, finding);
        let Some(lowest) = affected.first().cloned() else {
            if unusable.is_some() {
                let (affected, lowest, files) = (Vec::new(), String::new(), Arc::clone(&files));
                found.push(Located { path, text, affected, lowest, properties, unusable, files });
            } else if unaffected.is_none() {
                unaffected = versions.into_iter().next().map(|version| (path, version));
            }
            continue;
        };
        let is_other = is_other_lock(finding.ecosystem, path.as_str());
        let not_run = || format!("it has `{}` {lowest}, and its tool is not run", finding.package);
        let unusable = unusable.or_else(|| is_other.then(not_run));
        let files = Arc::clone(&files);
        found.push(Located { path, text, affected, lowest, properties, unusable, files });
    }
    let package = finding.package.to_string();
    match unaffected {
        _ if !found.is_empty() => Ok(found),
        Some((file, version)) => {
            Err(Unbumped::NotAffected { file: file.to_string(), package, version })
        }
        None => Err(Unbumped::NotThere { files: file_names(finding.ecosystem), package }),
    }
}

/// Reads the files that may have the package, in the order of [`locate`].
fn read_manifests(tools: BumpTools<'_>, finding: &Finding, files: &[String]) -> Vec<Manifest> {
    let mut candidates: Vec<&String> =
        files.iter().filter(|path| is_candidate(finding.ecosystem, path)).collect();
    let root = format!("{}/", tools.tree.root().display());
    let named: Vec<String> = finding.files.iter().map(|file| shown_path(file, &root)).collect();
    candidates.sort_by_key(|path| {
        // A path of the scanner is only a preference: it is untrusted, and may be of another machine.
        let is_named = named.iter().any(|named| named.ends_with(path.as_str()));
        (!is_named, path.matches('/').count())
    });
    let read = candidates.into_iter().take(MAX_MANIFESTS);
    read.filter_map(|path| read_manifest(tools, finding, path)).collect()
}

/// Reads a file that may have the package; `None` for one that cannot be read, and for a link out of the repository.
fn read_manifest(tools: BumpTools<'_>, finding: &Finding, path: &str) -> Option<Manifest> {
    let path = RepoPath::parse(path).ok()?;
    let bytes = tools.tree.read(&path, MAX_SEARCHED).ok()?;
    let is_long = bytes.len() as u64 > MAX_FILE_BYTES;
    let unusable = match String::from_utf8(bytes) {
        Ok(text) if !is_long => return Some(Manifest { path, text, unusable: None }),
        Ok(text) => text.contains(finding.package.as_str()).then_some("it is longer than 4 MiB"),
        Err(error) => {
            // In UTF-16 a zero follows each letter.
            let text = String::from_utf8_lossy(error.as_bytes()).replace('\0', "");
            text.contains(finding.package.as_str()).then_some("it is not UTF-8")
        }
    }?;
    let unusable = format!("{unusable}, and names `{}`", finding.package);
    Some(Manifest { path, text: String::new(), unusable: Some(unusable) })
}

/// Returns the scanner's path as one of the repository: a suffix of an absolute path is enough.
fn shown_path(file: &str, root: &str) -> String {
    format!("/{}", file.strip_prefix(root).unwrap_or(file).trim_start_matches("./"))
}
