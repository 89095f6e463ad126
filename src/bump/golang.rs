//! Updates a module of Go.

use super::accepted::accept;
use super::copy::Copy;
use super::located::Located;
use super::tools::{Bump, BumpTools};
use super::unbumped::Unbumped;
use crate::findings::Finding;

/// Updates the module with `go get`, and completes `go.sum` with `go mod tidy`.
///
/// The lowest fixed version is tried first. Fails with [`Unbumped::NoFixedVersion`] if there is none, with
/// [`Unbumped::Failed`] of the last try, and with [`Unbumped::Interrupted`]. The repository is unchanged in
/// every case.
pub(super) fn bump(
    tools: BumpTools<'_>,
    finding: &Finding,
    located: &Located,
) -> Result<Bump, Unbumped> {
    let package = finding.package.as_str();
    // `go mod tidy` reads which packages the sources import; a `go.mod` below begins another module, and a
    // replacement may be in any folder.
    let is_replaced = located.text.contains("=> .");
    let names = [".go", "go.mod", "go.sum"];
    let read = if is_replaced { located.all_files(&names) } else { located.files_below(&names) };
    let watched: Vec<_> =
        [Some(located.path.clone()), located.sibling("go.sum")].into_iter().flatten().collect();
    let mut last =
        Unbumped::NoFixedVersion { package: package.to_owned(), version: located.lowest.clone() };
    for target in finding.targets(&located.lowest) {
        let copy = Copy::lay_out(tools, &read, &watched)?;
        let spec = format!("{package}@v{}", target.as_str().trim_start_matches('v'));
        let words = ["go", "get", &spec];
        let got = copy.run(located.folder(), &words);
        let tidied = got.and_then(|()| copy.run(located.folder(), &["go", "mod", "tidy"]));
        match tidied.and_then(|()| accept(&copy, finding, located, &words.join(" "))) {
            Ok(bump) => return Ok(bump),
            Err(Unbumped::Interrupted) => return Err(Unbumped::Interrupted),
            Err(error) => last = error,
        }
    }
    Err(last)
}
