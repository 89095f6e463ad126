//! Headers of the repository: one that a file should include, and misspelt paths of includes.

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot, has_ending};
use super::super::findings::TextEdit;
use super::headers;
use papayu_base::domain::RepoPath;
use papayu_base::text::spelling;

/// Most headers that are read. In a larger project a name occurs in too many of them to be a
/// clear fix.
const MAX_HEADERS: usize = 500;

/// Endings of files that declare names of C and C++.
const HEADERS: [&str; 4] = ["h", "hh", "hpp", "hxx"];

/// Returns the headers of the repository, without those of tests.
fn own_headers(context: &DiagnosticContext<'_>) -> Vec<RepoPath> {
    let files = context.files().iter();
    let is_header = |path: &&String| {
        HEADERS.iter().any(|it| has_ending(path, it)) && !papayu_lang::is_test(path)
    };
    files
        .filter(is_header)
        .take(MAX_HEADERS)
        .filter_map(|path| RepoPath::parse(path).ok())
        .collect()
}

/// Returns the names in the headers of the repository and in the file itself.
pub(super) fn known_names(context: &mut DiagnosticContext<'_>, spot: &Spot) -> Vec<String> {
    let mut names: Vec<String> = spot.source.all_words().map(str::to_owned).collect();
    for path in own_headers(context) {
        if let Ok(source) = context.read(&path) {
            names.extend(source.all_words().map(str::to_owned));
        }
    }
    names
}

/// Returns the edit that includes the one header of the repository with a name, in the folder of the file or in
/// one that it includes from; `None` if the file includes it, or if several headers have the name.
pub(super) fn include_of(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    name: &str,
) -> Option<TextEdit> {
    let mut found = Vec::new();
    for path in own_headers(context).into_iter().filter(|path| *path != spot.path) {
        if context.read(&path).is_ok_and(|source| source.all_words().any(|word| word == name)) {
            found.push(path);
        }
    }
    let [only] = found.as_slice() else { return None };
    let folder = spot.path.parent();
    let folder = folder.as_ref().map_or("", RepoPath::as_str);
    let below = only.as_str().strip_prefix(folder)?.trim_start_matches('/');
    let file = only.as_str().rsplit('/').next()?;
    // An include of the same file name, by whatever path, may already be this header.
    if includes(spot).iter().any(|(_, path)| path.rsplit('/').next() == Some(file)) {
        return None;
    }
    let last = includes(spot).last().map(|(number, _)| *number)?;
    Some(spot.insert_line(last + 1, &format!("#include \"{below}\"")))
}

/// Corrects the path of an include that leads to no file, to the only header that differs by
/// one letter.
pub(super) fn fix_include(
    context: &DiagnosticContext<'_>,
    spot: &Spot,
    path: &str,
) -> RuleDecision {
    let text = spot.source.line_text(spot.line);
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    let own = own_headers(context);
    let own = own.iter().map(RepoPath::as_str).filter(|it| {
        let above = it.rsplit_once('/').map_or("", |(above, _)| above);
        folder.is_empty() || above == folder || above.ends_with(&format!("/{folder}"))
    });
    // Only names are compared: the folder may be one of the compiler's search path.
    let own: Vec<&str> = own.filter_map(|it| it.rsplit('/').next()).collect();
    let is_standard = text.contains('<');
    let stem = |name: &str| name.split('.').next().unwrap_or(name).to_owned();
    let standard = headers::STANDARD.into_iter().filter(|_| is_standard);
    let mut near: Vec<&str> = own
        .into_iter()
        .chain(standard)
        .filter(|known| spelling::count_letters(&stem(name), &stem(known)) == Some(1))
        .filter(|known| known.contains('.') == name.contains('.'))
        .collect();
    near.sort_unstable();
    near.dedup();
    match (near.as_slice(), text.rfind(name)) {
        ([right], Some(at)) => {
            let start = spot.source.line_start(spot.line) + at;
            spot.replace(start..start + name.len(), *right)
        }
        _ => RuleDecision::hint(
            "no header is clearly meant; if it belongs to a library, install its development package and name its folder with `-I`",
        ),
    }
}

/// Returns the lines of a file's includes with their paths.
fn includes(spot: &Spot) -> Vec<(u32, String)> {
    let lines = 1..=spot.source.line_count();
    let read = |number: u32| {
        let rest = spot.source.line_text(number).trim_start().strip_prefix("#include")?;
        let path = rest.trim().trim_matches(['"', '<', '>']).to_owned();
        Some((number, path))
    };
    lines.filter_map(read).collect()
}
