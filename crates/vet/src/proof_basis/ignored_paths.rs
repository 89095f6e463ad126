//! Lists of paths that a tool leaves out: those of built files may grow.

use papayu_base::text::WordList;

/// Names of folders and files that tools create.
static BUILT: WordList = WordList::new(
    "dist build out target node_modules coverage htmlcov .venv venv .next .nuxt .cache .turbo \
    .tox .nox .eggs *.egg-info __pycache__ .mypy_cache .pytest_cache .ruff_cache __generated__ \
    storybook-static .svelte-kit *_pb2.py *_pb2_grpc.py *.pb.go *.min.js *.pyc",
);

/// Returns `true` if a pattern of ignored paths matches only built files: `dist/`,
/// `**/node_modules/**`.
pub(super) fn is_built(pattern: &str) -> bool {
    let bare =
        pattern.trim().trim_start_matches("./").trim_start_matches("**/").trim_start_matches('/');
    let bare = bare.trim_end_matches("/**/*").trim_end_matches("/**").trim_end_matches("/*");
    BUILT.contains(bare.trim_end_matches('/'))
}

/// Returns `true` if a file is a list of ignored paths, such as `.gitignore`, and the change
/// only adds built files to it.
pub(super) fn are_generated(path: &str, before: &str, after: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if !(name.starts_with('.') && name.ends_with("ignore")) {
        return false;
    }
    let lines = |text: &str| -> Vec<String> {
        let kept =
            text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        kept.map(str::to_owned).collect()
    };
    let (old, new) = (lines(before), lines(after));
    old.iter().all(|line| new.contains(line))
        && new.iter().filter(|line| !old.contains(line)).all(|line| is_built(line))
}
