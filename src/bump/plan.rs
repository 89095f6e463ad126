//! Updates every file with the finding's package, each by its package manager.

use super::located::{Located, locate};
use super::tools::{Bump, BumpTools, UpdatedText};
use super::unbumped::Unbumped;
use super::{cargo, golang, maven, npm, pip};
use papayu_logs::findings::{Ecosystem, Finding};

/// Returns the smallest update of the finding's package in every file that has an affected version of it: the lowest
/// fixed version above the installed one, and the requirement of a direct dependency only where it excludes that version.
///
/// # Errors
///
/// [`Unbumped`], with the reason, also if one file of several cannot be updated: the package is then still vulnerable.
/// The repository is unchanged in any case.
pub fn plan_bump(tools: BumpTools<'_>, finding: &Finding) -> Result<Bump, Unbumped> {
    let mut places = locate(tools, finding)?;
    if finding.ecosystem == Ecosystem::PyPi {
        pip::drop_open_places(&mut places, finding);
    }
    let is_alone = places.len() == 1;
    let mut whole: Option<Bump> = None;
    let mut left = Vec::new();
    for located in places {
        let done = whole.as_ref().map_or(&[][..], |whole| &whole.files);
        match bump_file(tools.after(done), finding, &located) {
            Ok(None) => {}
            Ok(Some(bump)) => whole = Some(add_bump(whole, bump)),
            Err(error @ (Unbumped::Interrupted | Unbumped::Copy(_))) => return Err(error),
            Err(error) if is_alone => return Err(error),
            Err(error) => left.push(error.describe_at(&located.path)),
        }
    }
    match whole {
        Some(bump) if left.is_empty() => Ok(bump),
        Some(bump) => Err(Unbumped::Left { left: left.join("; "), updated: bump.file_names() }),
        None => Err(Unbumped::NoneUpdated { left: left.join("; ") }),
    }
}

/// Updates one file. Returns `None` if the update of an earlier file has changed this one already.
fn bump_file(
    tools: BumpTools<'_>,
    finding: &Finding,
    located: &Located,
) -> Result<Option<Bump>, Unbumped> {
    if let Some(reason) = located.unusable.clone() {
        return Err(Unbumped::Unsupported { file: located.path.to_string(), reason });
    }
    let Some(located) = located.read_again(tools, finding) else { return Ok(None) };
    let bump = match finding.ecosystem {
        Ecosystem::Npm => npm::bump(tools, finding, &located),
        Ecosystem::Cargo => cargo::bump(tools, finding, &located),
        Ecosystem::Go => golang::bump(tools, finding, &located),
        Ecosystem::PyPi => pip::bump(finding, &located),
        Ecosystem::Maven => maven::bump(finding, &located),
    }?;
    if bump.files.is_empty() {
        let reason = "it changed nothing".to_owned();
        return Err(Unbumped::Failed { command: bump.first.by, reason });
    }
    Ok(Some(bump))
}

/// Returns the update with that of a further file, which was made after it.
fn add_bump(whole: Option<Bump>, next: Bump) -> Bump {
    let Some(mut whole) = whole else { return next };
    for file in next.files {
        match whole.files.iter_mut().find(|known| known.path == file.path) {
            Some(UpdatedText { after, .. }) => *after = file.after,
            None => whole.files.push(file),
        }
    }
    whole.others.push(next.first);
    whole
}
