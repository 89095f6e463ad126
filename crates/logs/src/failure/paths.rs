//! Maps the paths that tools print to paths of the repository.

/// Parts of paths inside the runtime of a language, where nothing can be fixed.
const RUNTIME: &[&str] = &[
    "/rustc/", "/library/std/", "/library/core/", "/rustlib/src/", "node:", "internal/process/",
    "internal/modules/", "<frozen", "<string>", "<anonymous>", "/lib/python3", "/src/testing/",
    "/src/runtime/", "/src/reflect/", "/src/net/http/", "/usr/include/", "/usr/bin/../lib/",
    "_testmain.go", "/_pytest/", "/pluggy/", "/lib/std/", "/lib/swift/", "/dart-sdk/",
    "/lib/ruby/", "/lib/elixir/", "/lib/erlang/", "ext:", "bun:", "/jdk.", "/usr/lib/gcc/",
    "/include/c++/", "/_work/1/s/src/libraries/", "package:test", "package:flutter",
    "package:matcher", "/flutter/packages/",
];

/// Parts of paths inside an installed package.
const DEPENDENCY: &[&str] = &[
    "node_modules/", "site-packages/", "dist-packages/", "/.cargo/registry/", "/.cargo/git/",
    "/go/pkg/mod/", "/gopath/pkg/mod/", "/vendor/bundle/", "/gems/", "vendor/phpunit/", "/.pnpm/",
    "/.yarn/", "//jsr.io/", "//deno.land/", "//esm.sh/", "/deps/", "/.pub-cache/", "/.m2/",
    "/.stack/", "/.cabal/", "/_build/default/lib/", "/Pods/", "/.build/checkouts/", "/.nuget/",
    "/bower_components/",
];

/// Schemes that bundlers and runtimes print before a path.
const SCHEMES: &[&str] =
    &["file://", "webpack-internal://", "webpack://", "vite-node:", "rollup://", "ng://"];

/// Returns `true` for a path inside the runtime of a language.
pub(super) fn is_runtime(path: &str) -> bool {
    RUNTIME.iter().any(|part| path.contains(part)) && !path.contains("site-packages/")
}

/// Returns `true` for a path inside a dependency.
pub(crate) fn is_dependency(path: &str) -> bool {
    DEPENDENCY.iter().any(|part| path.contains(part))
}

/// Returns the path in the repository for a printed path; `None` if no file matches.
///
/// `files` returns `true` for an existing path relative to the repository; `root` is its folder
/// on this machine.
/// Of an absolute path of another machine (`D:\a\x\x\src\a.ts`) the suffixes are tried, the
/// longest first.
/// The result never contains `..`.
///
/// ```
/// use papayu_logs::failure::paths::map_to_repo;
///
/// let files = |path: &str| path == "src/a.ts";
/// assert_eq!(map_to_repo("D:\\a\\x\\x\\src\\a.ts", &files, None).as_deref(), Some("src/a.ts"));
/// assert_eq!(map_to_repo("file:///home/runner/work/x/x/src/a.ts", &files, None).as_deref(), Some("src/a.ts"));
/// assert_eq!(map_to_repo("src/b.ts", &files, None), None);
/// ```
pub fn map_to_repo(
    printed: &str,
    files: &dyn Fn(&str) -> bool,
    root: Option<&str>,
) -> Option<String> {
    let path = without_scheme(printed.trim());
    let path = path.replace('\\', "/");
    // `D:/` is absolute as well; backslashes are replaced above.
    let absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
    let (segments, climbs) = split_path(&path)?;
    let exists = |parts: &[&str]| {
        let candidate = parts.join("/");
        (!candidate.is_empty() && files(&candidate)).then_some(candidate)
    };

    if let Some(root) = root {
        let root = root.replace('\\', "/");
        let root: Vec<&str> = root.split('/').filter(|part| !part.is_empty()).collect();
        if let Some(inside) = segments.strip_prefix(root.as_slice()).filter(|_| absolute) {
            // A path below this very root names one file and no other.
            return exists(inside);
        }
    }
    if is_runtime(&path) || is_dependency(&path) {
        return if absolute { None } else { exists(&segments) };
    }
    // A relative path that lost all its folders would be any file of that name.
    let shortest = if absolute || climbs || segments.len() == 1 { 1 } else { 2 };
    (0..segments.len())
        .filter(|from| segments.len() - from >= shortest)
        .find_map(|from| exists(segments.get(from..)?))
}

/// Returns the file of the repository in the folder `root` that a printed path means: by its end, or else by its name. `files` has all,
/// sorted.
pub fn find_printed_file(printed: &str, root: &str, files: &[String]) -> Option<String> {
    let is_file = |path: &str| files.binary_search_by(|known| known.as_str().cmp(path)).is_ok();
    // A tool that ran in a container or another folder prints a path that does not exist here.
    map_to_repo(printed, &is_file, Some(root)).or_else(|| by_base_name(printed, files))
}

/// Returns the only file that ends with `base`, a name or several segments; `None` if there is
/// none or more than one.
/// Go prints bare file names, and test runners print paths relative to their package.
pub fn by_base_name(base: &str, all_files: &[String]) -> Option<String> {
    let base = base.replace('\\', "/");
    // Go prints `./x_test.go` as well as `x_test.go`.
    let (wanted, _) = split_path(&base)?;
    let wanted = wanted.join("/");
    if wanted.is_empty() {
        return None;
    }
    // With two candidates the wrong one could be changed, so neither is used.
    let mut fitting = all_files.iter().filter(|file| {
        file.strip_suffix(wanted.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    });
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Some(only.clone()),
        _ => None,
    }
}

/// Removes schemes, also several in a row, and the query that a development server adds.
fn without_scheme(path: &str) -> &str {
    let mut rest = path;
    for scheme in SCHEMES {
        rest = rest.strip_prefix(scheme).unwrap_or(rest);
    }
    // A dev server's `?t=123` or `?v=abc`.
    rest.split_once('?').map_or(rest, |(before, _)| before)
}

/// Splits a path and resolves `.` and `..` without the file system. `true` means that the path
/// leaves its start.
fn split_path(path: &str) -> Option<(Vec<&str>, bool)> {
    if path.is_empty() || path.chars().any(char::is_control) {
        return None;
    }
    let mut out: Vec<&str> = Vec::new();
    let mut climbs = false;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => climbs |= out.pop().is_none(),
            part if out.is_empty() && part.len() == 2 && part.ends_with(':') => {}
            part => out.push(part),
        }
    }
    Some((out, climbs))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::*;

    const FILES: &[&str] =
        &["src/x.rs", "x.rs", "setup.py", "packages/a/src/index.ts", "index.js", "src/a b.ts"];

    fn map(printed: &str) -> Option<String> {
        map_to_repo(printed, &|path| FILES.contains(&path), Some("/home/me/repo"))
    }

    #[test]
    fn printed_paths_find_their_file() {
        for (printed, mapped) in [
            ("src/x.rs", Some("src/x.rs")),
            ("./src/x.rs", Some("src/x.rs")),
            ("/home/me/repo/src/x.rs", Some("src/x.rs")),
            ("/home/me/repo/y/src/x.rs", None),
            ("/home/runner/work/repo/repo/src/x.rs", Some("src/x.rs")),
            ("/home/runner/work/repo/repo/setup.py", Some("setup.py")),
            (r"D:\a\repo\repo\packages\a\src\index.ts", Some("packages/a/src/index.ts")),
            ("file:///builds/g/p/src/x.rs", Some("src/x.rs")),
            ("file:///D:/a/repo/src/a b.ts", Some("src/a b.ts")),
            ("webpack:///./src/x.rs", Some("src/x.rs")),
            ("webpack-internal:///./src/x.rs", Some("src/x.rs")),
            ("webpack://app/./src/x.rs?a1b2", Some("src/x.rs")),
            ("../src/x.rs", Some("src/x.rs")),
            ("../x.rs", Some("x.rs")),
            ("a/../src/x.rs", Some("src/x.rs")),
            ("other/x.rs", None),
            ("/x/node_modules/lib/index.js", None),
            ("node_modules/lib/index.js", None),
            ("/usr/lib/python3.11/setup.py", None),
            ("node:internal/setup.py", None),
            ("", None),
            ("/", None),
            ("..", None),
            ("src/x\u{0}.rs", None),
        ] {
            assert_eq!(map(printed).as_deref(), mapped, "{printed}");
        }
    }

    #[test]
    fn a_base_name_is_found_only_when_it_is_the_only_one() {
        let all = ["a/x_test.go", "b/y_test.go", "c/y_test.go", "mux.go"].map(str::to_owned);
        assert_eq!(by_base_name("x_test.go", &all).as_deref(), Some("a/x_test.go"));
        assert_eq!(by_base_name("./c/y_test.go", &all).as_deref(), Some("c/y_test.go"));
        assert_eq!(by_base_name("y_test.go", &all), None);
        assert_eq!(by_base_name("ux.go", &all), None);
        assert_eq!(by_base_name("", &all), None);
    }

    proptest! {
        #[test]
        fn no_mapped_path_climbs(printed in any::<String>(), climbing in "(\\.\\./|[a-b]/|/|\\\\|\\.){0,8}") {
            for text in [printed, climbing] {
                if let Some(path) = map_to_repo(&text, &|_| true, None) {
                    assert!(!path.starts_with('/') && path.split('/').all(|part| part != ".."), "{path}");
                }
            }
        }
    }
}
