//! Updates a crate.

use super::accepted::accept;
use super::copy::Copy;
use super::located::Located;
use super::package_versions::read_cargo_versions;
use super::tools::{Bump, BumpTools};
use super::unbumped::Unbumped;
use papayu_base::config_text::{ConfigFormat, parse};
use papayu_base::domain::RepoPath;
use papayu_logs::findings::{Ecosystem, Finding};

/// The parts of a manifest that name crates, and the option of `cargo add` for each.
const PARTS: [(&str, Option<&str>); 3] = [
    ("dependencies", None),
    ("dev-dependencies", Some("--dev")),
    ("build-dependencies", Some("--build")),
];

/// Updates each affected version of the crate with `cargo update --precise`; where a requirement excludes the fixed
/// version, `cargo add` changes the requirement first.
///
/// `finding` is the weakness and `located` the lock file. Fails with [`Unbumped::NoFixedVersion`] if the
/// advisory names no higher version, with [`Unbumped::Failed`] of the last try if cargo fails or an affected
/// version remains, and with [`Unbumped::Interrupted`]. cargo runs in a copy, so the repository is unchanged in
/// every case.
pub(super) fn bump(
    tools: BumpTools<'_>,
    finding: &Finding,
    located: &Located,
) -> Result<Bump, Unbumped> {
    let manifests = located.own_files(&["Cargo.toml"]);
    // cargo loads a package only if the files of its targets exist, and a path may lead to any folder.
    let read = located.all_files(&[".rs", "Cargo.toml"]);
    let direct = find_direct(tools, finding.package.as_str(), &manifests);
    let watched = [vec![located.path.clone()], manifests].concat();
    let mut last = None;
    for edits in [&[][..], &direct] {
        if !edits.is_empty() || last.is_none() {
            let copy = Copy::lay_out(tools, &read, &watched)?;
            match try_versions(&copy, finding, located, edits) {
                Err(Unbumped::Interrupted) => return Err(Unbumped::Interrupted),
                Err(error) => last = Some(error),
                Ok(bump) => return Ok(bump),
            }
        }
    }
    Err(last.unwrap_or(Unbumped::Interrupted))
}

/// A manifest that names the crate, with the option for the part of it.
struct Direct {
    manifest: RepoPath,
    option: Option<&'static str>,
}

/// Returns the manifests that name the crate themselves. One that inherits it from a workspace is left out.
fn find_direct(tools: BumpTools<'_>, package: &str, manifests: &[RepoPath]) -> Vec<Direct> {
    let mut found = Vec::new();
    for manifest in manifests {
        let Some(text) = tools.read_text(manifest) else { continue };
        let parsed = parse(ConfigFormat::Toml, &text);
        for (part, option) in PARTS {
            let required = parsed.root().get(part).and_then(|part| part.get(package));
            if required.is_some_and(|it| it.get("workspace").is_none()) {
                found.push(Direct { manifest: manifest.clone(), option });
            }
        }
    }
    found
}

/// Changes the requirements of a crate to `NAME@VERSION`.
fn add_requirements(copy: &Copy<'_>, edits: &[Direct], spec: &str) -> Result<(), Unbumped> {
    edits.iter().try_for_each(|Direct { manifest, option }| {
        let mut words = vec!["cargo", "add", "--quiet", "--manifest-path", manifest.as_str()];
        words.extend(*option);
        words.extend(["--", spec]);
        copy.run("", &words)
    })
}

/// Changes the requirements, and updates every affected version in the lock file.
fn try_versions(
    copy: &Copy<'_>,
    finding: &Finding,
    located: &Located,
    edits: &[Direct],
) -> Result<Bump, Unbumped> {
    let package = finding.package.as_str();
    let mut shown = String::new();
    for version in &located.affected {
        let targets = finding.targets(version);
        let (package_name, version_text) = (package.to_owned(), version.clone());
        let none = Unbumped::NoFixedVersion { package: package_name, version: version_text };
        let mut result = Err(none);
        for target in &targets {
            add_requirements(copy, edits, &format!("{package}@{target}"))?;
            // `cargo add` may have moved the version in the lock file, to a newer one than the lowest.
            let text = copy.read(&located.path).unwrap_or_default();
            let versions = read_cargo_versions(&text, package);
            let is_too_new = |it: &&String| Ecosystem::Cargo.compare(it, target.as_str()).is_gt();
            let affected = versions.iter().find(|it| finding.is_affected(it));
            let Some(now) = affected.or_else(|| versions.iter().find(is_too_new)) else {
                result = Ok(());
                break;
            };
            let spec = format!("{package}@{now}");
            let words = ["cargo", "update", "--quiet", "--package", &spec, "--precise"];
            let words = [&words[..], &[target.as_str()]].concat();
            shown = words.join(" ");
            result = copy.run(located.folder(), &words);
            if matches!(result, Err(Unbumped::Failed { .. })) && affected.is_none() {
                // The newer version has no weakness either.
                result = Ok(());
            }
            if !matches!(result, Err(Unbumped::Failed { .. })) {
                break;
            }
        }
        // A yanked version is refused; the newest compatible one may be free of the weakness.
        if edits.is_empty() && result.is_err() {
            let spec = format!("{package}@{version}");
            let words = ["cargo", "update", "--quiet", "--package", &spec];
            let updated = copy.run(located.folder(), &words);
            if updated.is_ok() && accept(copy, finding, located, "").is_ok() {
                shown = words.join(" ");
                result = Ok(());
            }
        }
        result?;
    }
    accept(copy, finding, located, &shown)
}
