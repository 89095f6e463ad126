//! Updates a requirement of pip, in `requirements.txt` or `pyproject.toml`.

use super::accepted::edited;
use super::located::Located;
use super::requirement::{
    Clause, Requirement, is_toml, read_requirement_versions, read_requirements,
};
use super::tools::Bump;
use super::unbumped::Unbumped;
use papayu_logs::findings::{Ecosystem, Finding};

/// Lock files of other tools, which pin versions besides the manifest.
const OTHER_LOCKS: [&str; 4] = ["poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock"];

/// Replaces the version in the requirement: the pin, else the lower bound, which is added if there is none.
pub(super) fn bump(finding: &Finding, located: &Located) -> Result<Bump, Unbumped> {
    let path = located.path.as_str();
    let package = finding.package.as_str();
    let unsupported = |reason: String| Unbumped::Unsupported { file: path.to_owned(), reason };
    let lock = OTHER_LOCKS.iter().find(|name| {
        located
            .sibling(name)
            .is_some_and(|it| located.files.iter().any(|file| *file == it.as_str()))
    });
    if let Some(lock) = lock.filter(|_| is_toml(path)) {
        return Err(unsupported(format!("`{lock}` pins the versions, and its tool is not run")));
    }
    let targets = finding.targets(&located.lowest);
    let Some(target) = targets.first().map(ToString::to_string) else {
        let (package, version) = (package.to_owned(), located.lowest.clone());
        return Err(Unbumped::NoFixedVersion { package, version });
    };
    let mut text = located.text.clone();
    // From the end, so that earlier ranges stay right.
    for requirement in read_requirements(path, &text, package).iter().rev() {
        if requirement.has_hashes {
            return Err(unsupported("its requirement has hashes of the files".to_owned()));
        }
        let find = |operators: &[&str]| {
            requirement.clauses.iter().find(|it| operators.contains(&it.operator))
        };
        if let Some(clause) = requirement.clauses.iter().find(|it| excludes(it, &target)) {
            let (operator, version) = (clause.operator, &clause.version);
            return Err(unsupported(format!("`{package}{operator}{version}` excludes {target}")));
        }
        let Some(clause) = find(&["==", "==="]).or_else(|| find(&[">="])) else {
            return Err(unsupported(format!(
                "its requirement of `{package}` has no version to raise"
            )));
        };
        // A pin that is not affected stays.
        if finding.is_affected(&clause.version) {
            text.replace_range(clause.range.clone(), &target);
        }
    }
    let read = read_requirement_versions(path, &text, finding);
    if let Some(version) = read.iter().find(|it| finding.is_affected(it)) {
        return Err(unsupported(format!("{version} remains, which is affected")));
    }
    Ok(edited(located, &target, text))
}

/// Removes the files with open requirements, if another file pins the package: such a requirement admits the fixed
/// version, and the pin decides what is installed.
pub(super) fn drop_open_places(places: &mut Vec<Located>, finding: &Finding) {
    let package = finding.package.as_str();
    let read = |it: &Located| read_requirements(it.path.as_str(), &it.text, package);
    let has_pin =
        |it: &Located| it.unusable.is_some() || read(it).iter().any(|it| it.pin().is_some());
    if !places.iter().any(has_pin) {
        return;
    }
    let targets = places.iter().filter_map(|it| finding.targets(&it.lowest).into_iter().next());
    let targets: Vec<String> = targets.map(|it| it.to_string()).collect();
    places.retain(|it| {
        let excludes_any = |requirement: &Requirement| {
            let clauses = requirement.clauses.iter();
            clauses.clone().any(|clause| targets.iter().any(|target| excludes(clause, target)))
        };
        has_pin(it) || targets.is_empty() || read(it).iter().any(excludes_any)
    });
}

/// Returns `true` for a condition that the new version does not meet and that is no pin or lower bound.
fn excludes(clause: &Clause, target: &str) -> bool {
    let order = Ecosystem::PyPi.compare(target, &clause.version);
    match clause.operator {
        "<" => order.is_ge(),
        "<=" => order.is_gt(),
        "!=" => order.is_eq(),
        "==" | "===" => clause.version.contains('*'),
        "~=" => true,
        _ => false,
    }
}
