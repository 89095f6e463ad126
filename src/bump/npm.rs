//! Updates a package of npm.

use serde_json::Value;

use super::accepted::accept;
use super::copy::Copy;
use super::located::Located;
use super::tools::{Bump, BumpTools};
use super::unbumped::Unbumped;
use papayu_logs::findings::Finding;

/// Options of every call: no script of a package runs, and nothing is sent about the project.
const OPTIONS: [&str; 4] = ["--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"];

/// The parts of a manifest that name packages.
const PARTS: [&str; 3] = ["dependencies", "devDependencies", "optionalDependencies"];

/// Updates a direct dependency with `npm install`, and one of another package with `npm update`.
///
/// Fails with [`Unbumped::Unsupported`] if the lock file has no `package.json` next to it, with
/// [`Unbumped::Failed`] of the last `npm install` (or of `npm update` without one) if npm fails or an affected
/// version remains, and with [`Unbumped::Interrupted`]. The repository is unchanged in every case.
pub(super) fn bump(
    tools: BumpTools<'_>,
    finding: &Finding,
    located: &Located,
) -> Result<Bump, Unbumped> {
    let package = finding.package.as_str();
    let manifest = located.sibling("package.json").and_then(|path| {
        let text = tools.read_text(&path)?;
        Some((path, text))
    });
    let Some((path, text)) = manifest else {
        let (file, reason) = (located.path.to_string(), "it has no package.json".to_owned());
        return Err(Unbumped::Unsupported { file, reason });
    };
    let manifests = located.files_below(&["package.json"]);
    let watched = [located.path.clone(), path.clone()];
    let lay_out = || Copy::lay_out(tools, &manifests, &watched);
    let mut last = None;
    if let Some(requirement) = read_requirement(&text, package) {
        for target in finding.targets(&located.lowest) {
            let spec = format!("{package}@{target}");
            let copy = lay_out()?;
            // An exact requirement stays exact.
            let is_exact = requirement.starts_with(|first: char| first.is_ascii_digit());
            let exact: &[&str] = if is_exact { &["--save-exact"] } else { &[] };
            let words = [&["npm", "install"], &OPTIONS[..], exact, &["--", &spec]].concat();
            let made = copy.run(located.folder(), &words);
            match made.and_then(|()| accept(&copy, finding, located, &words.join(" "))) {
                Ok(bump) => return Ok(keep_requirement(&copy, finding, located, bump, &text)),
                Err(Unbumped::Interrupted) => return Err(Unbumped::Interrupted),
                Err(error) => last = Some(error),
            }
        }
    }
    let copy = lay_out()?;
    let words = [&["npm", "update"], &OPTIONS[..], &["--", package]].concat();
    let made = copy.run(located.folder(), &words);
    let made = made.and_then(|()| accept(&copy, finding, located, &words.join(" ")));
    made.map_err(|error| match error {
        Unbumped::Interrupted => error,
        error => last.unwrap_or(error),
    })
}

/// Returns the update with the requirement as it was, if that one admits the new version.
fn keep_requirement(
    copy: &Copy<'_>,
    finding: &Finding,
    located: &Located,
    bump: Bump,
    text: &str,
) -> Bump {
    let Some(path) = located.sibling("package.json") else { return bump };
    let words = [&["npm", "install"], &OPTIONS[..]].concat();
    let kept = copy.write(&path, text).and_then(|()| copy.run(located.folder(), &words));
    let kept = kept.and_then(|()| accept(copy, finding, located, &bump.first.by));
    kept.ok()
        .filter(|kept| kept.first.to == bump.first.to && !kept.files.is_empty())
        .unwrap_or(bump)
}

/// Returns what the manifest requires of a direct dependency.
fn read_requirement(text: &str, package: &str) -> Option<String> {
    let manifest: Value = serde_json::from_str(text).ok()?;
    let required = PARTS.iter().find_map(|part| manifest.get(*part)?.get(package)?.as_str());
    required.map(str::to_owned)
}
