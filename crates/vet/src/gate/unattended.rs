//! The table of files that other programs run or obey without being asked; `--allow-ci-files` opens them.
//!
//! The table is `unattended.toml`, which has the reasons of its rows.

use std::sync::LazyLock;

use globset::GlobSet;
use serde::Deserialize;

use papayu_lang::compile_globs;

/// The rows, their reasons, and examples of paths.
const TABLE: &str = include_str!("unattended.toml");

/// The changes of a file that need the flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Since {
    /// Every change.
    Always,
    /// Making the file.
    New,
}

/// One reader of such files.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UnattendedReader {
    /// The program, as messages name it.
    name: String,
    since: Since,
    patterns: Vec<String>,
}

/// The table as the file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UnattendedTable {
    ordinary_hidden: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "for tests and readers"))]
    examples: Examples,
    reader: Vec<UnattendedReader>,
}

/// Paths by what may be done with them.
#[cfg_attr(not(test), expect(dead_code, reason = "for tests and readers"))]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Examples {
    refused: Vec<String>,
    changed_only: Vec<String>,
    open: Vec<String>,
}

/// The table with its patterns compiled.
struct CompiledTable {
    rows: Vec<UnattendedReader>,
    files: GlobSet,
    /// The row of each pattern of `files`.
    row_of_pattern: Vec<usize>,
    ordinary_hidden: GlobSet,
}

/// `None` if the file or a pattern is wrong, which a unit test excludes.
static COMPILED: LazyLock<Option<CompiledTable>> = LazyLock::new(compile);

/// Reads the table and compiles the patterns of all rows into one set, in the order of the rows.
fn compile() -> Option<CompiledTable> {
    let UnattendedTable { ordinary_hidden, reader: rows, .. } = toml::from_str(TABLE).ok()?;
    let files = compile_globs(rows.iter().flat_map(|row| &row.patterns).map(|it| as_glob(it)))?;
    let owners = rows.iter().enumerate();
    let row_of_pattern =
        owners.flat_map(|(at, row)| row.patterns.iter().map(move |_| at)).collect();
    let ordinary_hidden = compile_globs(ordinary_hidden.iter().map(|it| as_glob(it)))?;
    Some(CompiledTable { rows, files, row_of_pattern, ordinary_hidden })
}

/// Returns the pattern of a row as a glob over whole paths.
fn as_glob(pattern: &str) -> String {
    // A pattern without a leading slash matches at any depth, as in `.gitignore`.
    let (anywhere, rest) = match pattern.strip_prefix('/') {
        Some(rest) => ("", rest),
        None => ("**/", pattern),
    };
    match rest.strip_suffix('/') {
        // A folder matches by itself too, because an action may create it as a link or file.
        Some(folder) => format!("{anywhere}{folder}{{,/**}}"),
        None => format!("{anywhere}{rest}"),
    }
}

/// Compiles the table before it is first needed.
pub(super) fn prepare() {
    LazyLock::force(&COMPILED);
}

/// The change of a path, as far as the table asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touched {
    /// True when the action makes the path.
    pub(crate) is_new: bool,
    /// False for a folder.
    pub(crate) is_file: bool,
}

/// Returns why a change of a path needs the flag, as the end of a sentence that begins with the
/// path; `None` where it does not. `identity` is the path's [`papayu_base::domain::RepoPath::identity`].
pub(crate) fn describe_reader(identity: &str, touched: Touched) -> Option<String> {
    const FLAG: &str = "`--allow-ci-files` would allow it";
    let Some(table) = COMPILED.as_ref() else {
        // A table that does not compile protects everything; a test compiles it.
        return Some(
            "cannot be compared with the table of files that run by themselves".to_owned(),
        );
    };
    // On NTFS, `NAME::$INDEX_ALLOCATION` and `NAME::$DATA` are `NAME`.
    let own = |segment: &str| segment.split(':').next().unwrap_or_default().to_owned();
    let plain = identity.split('/').map(own).collect::<Vec<_>>().join("/");
    let is_new = touched.is_new && touched.is_file;
    let rows = table.files.matches(&plain).into_iter();
    let row = rows
        .filter_map(|at| table.rows.get(*table.row_of_pattern.get(at)?))
        .find(|row| row.since == Since::Always || is_new);
    if let Some(UnattendedReader { name, since, .. }) = row {
        return Some(match since {
            Since::Always => format!("is run or obeyed by {name} without being asked; {FLAG}"),
            Since::New => format!("is new, and {name} would run it without being asked; {FLAG}"),
        });
    }
    let is_hidden = plain.split('/').any(|segment| segment.starts_with('.'));
    (is_new && is_hidden && !table.ordinary_hidden.is_match(&plain)).then(|| {
        format!("is new and hidden, as are files that programs obey without being asked; {FLAG}")
    })
}

#[cfg(test)]
mod tests;
