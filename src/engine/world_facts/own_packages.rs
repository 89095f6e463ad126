//! Packages of npm that are folders of the repository, and are not linked.

use serde_json::Value;

use super::{MAX_FILES, MAX_MANIFEST, path_from_root};
use crate::engine::task::World;
use papayu_base::domain::{FailureReport, RepoPath, Triage};
use papayu_logs::triage::missing_package;

/// Keys of a manifest with packages.
const DEPENDENCIES: [&str; 4] =
    ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/// Returns the next step for a missing package that a folder of the repository has; `None` if none has.
pub(super) fn find_package_step(
    world: &World<'_>,
    report: &FailureReport,
    triage: &Triage,
) -> Option<String> {
    let name = triage.evidence.first().and_then(missing_package)?;
    let files = world.system.disk.walk(world.tree.root(), MAX_FILES).ok()?;
    let manifests: Vec<(&str, Value)> = files
        .iter()
        .filter_map(|path| path.strip_suffix("package.json"))
        .filter(|folder| !folder.contains("node_modules/"))
        .filter_map(|folder| {
            let path = RepoPath::parse(&format!("{folder}package.json")).ok()?;
            let bytes = world.tree.read(&path, MAX_MANIFEST).ok()?;
            Some((folder, serde_json::from_slice(&bytes).ok()?))
        })
        .collect();
    let is_meant = |manifest: &Value| manifest.get("name").and_then(Value::as_str) == Some(&name);
    let (folder, _) = manifests.iter().find(|(_, manifest)| is_meant(manifest))?;
    let place = report.failures.iter().flat_map(|failure| &failure.locations).next();
    let place = place.map_or("", |place| path_from_root(world, place));
    let own = manifests.iter().filter(|(own, _)| place.starts_with(own));
    let (own, manifest) = own.max_by_key(|(own, _)| own.len())?;
    let is_named = DEPENDENCIES
        .iter()
        .any(|key| manifest.get(key).is_some_and(|packages| packages.get(name.as_str()).is_some()));
    let add = if is_named {
        String::new()
    } else {
        format!("name it in the dependencies of `{own}package.json`, and ")
    };
    let folder = folder.trim_end_matches('/');
    Some(format!(
        "`{name}` is the package in the folder `{folder}`: {add}link it before the command by installing the packages of the workspace"
    ))
}
