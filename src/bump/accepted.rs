//! Accepts an update: an edited manifest, or the files of a copy in which a package manager ran.

use super::copy::Copy;
use super::located::Located;
use super::tools::{Bump, BumpedFile, UpdatedText};
use super::unbumped::Unbumped;
use papayu_logs::findings::Finding;

/// Returns the update of a single edited file.
pub(super) fn edited(located: &Located, to: &str, after: String) -> Bump {
    let Located { path, text, lowest, .. } = located;
    let before = Some(text.clone());
    let first = BumpedFile {
        file: path.clone(),
        from: lowest.clone(),
        to: to.to_owned(),
        by: format!("an edit of `{path}`"),
    };
    Bump {
        files: vec![UpdatedText { path: path.clone(), before, after }],
        first,
        others: Vec::new(),
    }
}

/// Returns the update that a copy contains, if no version in its lock file is affected.
pub(super) fn accept(
    copy: &Copy<'_>,
    finding: &Finding,
    located: &Located,
    by: &str,
) -> Result<Bump, Unbumped> {
    let failed = |reason: String| Unbumped::Failed { command: by.to_owned(), reason };
    let text = copy.read(&located.path).ok_or_else(|| failed("the lock file is missing".into()))?;
    let mut versions = located.read_versions(&text, finding);
    versions.sort_by(|one, other| finding.ecosystem.compare(one, other));
    if let Some(version) = versions.iter().find(|version| finding.is_affected(version)) {
        return Err(failed(format!("{version} remains, which is affected")));
    }
    // A package that was removed has no weakness either; the lowest version that is left is the answer otherwise.
    let above = versions.iter().find(|it| finding.ecosystem.compare(it, &located.lowest).is_gt());
    let to = above.cloned().unwrap_or_else(|| "removed".to_owned());
    let (file, from) = (located.path.clone(), located.lowest.clone());
    let first = BumpedFile { file, from, to, by: by.to_owned() };
    Ok(Bump { files: copy.changed(), first, others: Vec::new() })
}
