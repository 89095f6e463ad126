//! Updates a module of Go.

use super::accepted::accept;
use super::copy::Copy;
use super::located::Located;
use super::tools::{Bump, BumpTools};
use super::unbumped::Unbumped;
use papayu_base::domain::RepoPath;
use papayu_logs::findings::Finding;

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
    let is_in_workspace = is_in_workspace(tools, located);
    let read = if is_in_workspace {
        // Its modules import each other, published or not.
        located.all_files(&[".go", "go.mod", "go.sum", "go.work", "go.work.sum"])
    } else if is_replaced {
        located.all_files(&[".go", "go.mod", "go.sum"])
    } else {
        located.files_below(&[".go", "go.mod", "go.sum"])
    };
    let watched: Vec<_> =
        [Some(located.path.clone()), located.sibling("go.sum")].into_iter().flatten().collect();
    let mut last =
        Unbumped::NoFixedVersion { package: package.to_owned(), version: located.lowest.clone() };
    for target in finding.targets(&located.lowest) {
        let copy = Copy::lay_out(tools, &read, &watched)?;
        let spec = format!("{package}@v{}", target.as_str().trim_start_matches('v'));
        let words = ["go", "get", &spec];
        let got = copy.run(located.folder(), &words);
        let tidy = || match copy.run(located.folder(), &["go", "mod", "tidy"]) {
            // It reads no workspace, so it finds no module that only the workspace has. `go get` has written the sums.
            Err(Unbumped::Failed { .. }) if is_in_workspace => Ok(()),
            tidied => tidied,
        };
        let tidied = got.and_then(|()| tidy());
        match tidied.and_then(|()| accept(&copy, finding, located, &words.join(" "))) {
            Ok(bump) => return Ok(bump),
            Err(Unbumped::Interrupted) => return Err(Unbumped::Interrupted),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Returns `true` if the nearest `go.work` in the folder of the module or above uses the module: go reads no other one.
fn is_in_workspace(tools: BumpTools<'_>, located: &Located) -> bool {
    let mut folder = located.path.parent();
    loop {
        let name = |folder: &RepoPath| format!("{folder}/go.work");
        let path = folder.as_ref().map_or_else(|| "go.work".to_owned(), name);
        let text = RepoPath::parse(&path).ok().and_then(|path| tools.read_text(&path));
        if let Some(text) = text {
            return uses_module(&text, &path, located.folder());
        }
        let Some(inner) = folder else { return false };
        folder = inner.parent();
    }
}

/// Returns `true` if a `go.work` at this path uses the module in a folder of the repository.
fn uses_module(text: &str, path: &str, folder: &str) -> bool {
    let base = path.strip_suffix("go.work").unwrap_or_default();
    // The folders of `use` are relative to the file, and other directives name no module of the repository alone on a line.
    let folders = text.lines().filter_map(|line| {
        let line = line.split("//").next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().filter(|word| *word != "use").collect();
        let [word] = words.as_slice() else { return None };
        let inner = word.trim_matches(['"', '`']).trim_end_matches('/');
        let inner = if inner == "." { "" } else { inner.strip_prefix("./").unwrap_or(inner) };
        Some(format!("{base}{inner}"))
    });
    folders.into_iter().any(|it| it.trim_end_matches('/') == folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_uses_the_folders_that_it_names() {
        let block = "go 1.21\n\nuse (\n\t./app // the shop\n\t\"./lib/\"\n)\n\nreplace example.com/x => ./other\n";
        for (text, path, folder, is_used) in [
            (block, "go.work", "app", true),
            (block, "go.work", "lib", true),
            (block, "go.work", "other", false),
            (block, "go.work", "", false),
            (block, "go.work", "app/inner", false),
            (block, "shop/go.work", "shop/app", true),
            (block, "shop/go.work", "app", false),
            ("use .\n", "go.work", "", true),
            ("use .\n", "shop/go.work", "shop", true),
            ("use ./app", "go.work", "app", true),
            ("use ../app", "shop/go.work", "app", false),
            ("", "go.work", "", false),
        ] {
            assert_eq!(uses_module(text, path, folder), is_used, "{text:?} {path} {folder}");
        }
    }
}
