//! `exports` and `imports` of a `package.json`: the path of a subpath.

use serde_json::{Map, Value};

/// Conditions that no build or test on a developer's machine sets.
const INACTIVE: [&str; 10] = [
    "browser", "worker", "workerd", "deno", "bun", "electron", "react-native", "react-server",
    "edge-light", "netlify",
];

/// Greatest nesting of conditions.
const MAX_DEPTH: usize = 16;

/// The mapping of a subpath.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Exported {
    /// Possible paths, best first: more than the runtime's single one, because built files are
    /// seldom in the tree.
    Paths(Vec<String>),
    /// The subpath is not exported: missing, or null.
    Refused,
}

/// Returns the mapping of a subpath, `.` or `./x`, in `exports`.
pub(super) fn resolve_export(exports: &Value, subpath: &str, requires: bool) -> Exported {
    match exports {
        // Keys are either all subpaths or all conditions; Node refuses a mixture.
        Value::Object(map) if map.keys().any(|key| key.starts_with('.')) => {
            resolve_in_map(map, subpath, requires)
        }
        target if subpath == "." => target_paths(target, None, requires),
        _ => Exported::Refused,
    }
}

/// Returns the mapping of a name that begins with `#` in `imports`.
pub(super) fn resolve_import(imports: &Value, name: &str, requires: bool) -> Exported {
    imports.as_object().map_or(Exported::Refused, |map| resolve_in_map(map, name, requires))
}

/// Returns the target of a subpath: an exact key first, then the pattern with the longest part
/// before `*` (nodejs.org, Packages, Subpath patterns).
fn resolve_in_map(map: &Map<String, Value>, subpath: &str, requires: bool) -> Exported {
    if !subpath.contains('*')
        && let Some(target) = map.get(subpath)
    {
        return target_paths(target, None, requires);
    }
    let patterns = map.iter().filter_map(|(key, target)| {
        let (before, after) = key.split_once('*').or_else(|| {
            // The older form, which exports a whole folder.
            key.ends_with('/').then_some((key.as_str(), ""))
        })?;
        let matched = subpath.strip_prefix(before)?.strip_suffix(after)?;
        // Node.js does not accept an empty match of `*`.
        (!matched.is_empty()).then_some((before.len(), after.len(), matched, target))
    });
    match patterns.max_by_key(|(before, after, ..)| (*before, *after)) {
        Some((_, _, matched, target)) => target_paths(target, Some(matched), requires),
        None => Exported::Refused,
    }
}

/// Returns the paths of a target that the conditions permit; `null` targets and unknown conditions
/// refuse the import.
fn target_paths(target: &Value, matched: Option<&str>, requires: bool) -> Exported {
    let mut paths = Vec::new();
    collect_paths(target, matched, requires, &mut paths, 0);
    if paths.is_empty() { Exported::Refused } else { Exported::Paths(paths) }
}

/// Adds the paths of a target. Returns false if the target is null, which ends the lookup.
fn collect_paths(
    target: &Value,
    matched: Option<&str>,
    requires: bool,
    paths: &mut Vec<String>,
    depth: usize,
) -> bool {
    match target {
        _ if depth > MAX_DEPTH => true,
        Value::Null => false,
        Value::String(path) => {
            paths.push(match matched {
                Some(matched) if path.ends_with('/') => format!("{path}{matched}"),
                Some(matched) => path.replace('*', matched),
                None => path.clone(),
            });
            true
        }
        Value::Array(options) => {
            options.iter().all(|option| collect_paths(option, matched, requires, paths, depth + 1))
        }
        Value::Object(conditions) => conditions
            .iter()
            .filter(|(condition, _)| is_active(condition, requires))
            .all(|(_, target)| collect_paths(target, matched, requires, paths, depth + 1)),
        _ => true,
    }
}

/// Returns `true` if a condition applies. Besides those of the module system all conditions count
/// that are not known to exclude each other: sources often come under `development`, `source` or
/// `types`.
fn is_active(condition: &str, requires: bool) -> bool {
    match condition {
        "import" | "module" => !requires,
        "require" => requires,
        other => !INACTIVE.contains(&other),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn paths(paths: &[&str]) -> Exported {
        Exported::Paths(paths.iter().map(|path| (*path).to_owned()).collect())
    }

    #[test]
    fn null_takes_back_what_a_wider_pattern_gives() {
        let map =
            json!({"./*": "./src/*.ts", "./internal/*": null, "./internal/open": "./open.ts"});
        assert_eq!(resolve_export(&map, "./internal/secret", false), Exported::Refused);
        assert_eq!(resolve_export(&map, "./internal/open", false), paths(&["./open.ts"]));
        assert_eq!(resolve_export(&map, "./a/b", false), paths(&["./src/a/b.ts"]));
        assert_eq!(resolve_export(&map, ".", false), Exported::Refused);
    }

    #[test]
    fn conditions_count_in_their_order_and_by_how_the_module_is_taken() {
        let map = json!({".": {
            "browser": "./browser.js",
            "import": {"types": "./index.d.mts", "default": "./index.mjs"},
            "require": "./index.cjs",
            "default": "./index.js",
        }});
        let taken = |requires| resolve_export(&map, ".", requires);
        assert_eq!(taken(false), paths(&["./index.d.mts", "./index.mjs", "./index.js"]));
        assert_eq!(taken(true), paths(&["./index.cjs", "./index.js"]));
    }

    #[test]
    fn a_condition_with_null_ends_the_search() {
        let map = json!({".": {"require": null, "default": "./index.js"}});
        assert_eq!(resolve_export(&map, ".", true), Exported::Refused);
        assert_eq!(resolve_export(&map, ".", false), paths(&["./index.js"]));
    }

    #[test]
    fn bare_targets_lists_and_folders_are_read() {
        assert_eq!(resolve_export(&json!("./a.js"), ".", false), paths(&["./a.js"]));
        assert_eq!(resolve_export(&json!("./a.js"), "./b", false), Exported::Refused);
        assert_eq!(
            resolve_export(&json!(["./a.js", "./b.js"]), ".", false),
            paths(&["./a.js", "./b.js"])
        );
        assert_eq!(
            resolve_export(&json!({"./lib/": "./out/"}), "./lib/x.js", false),
            paths(&["./out/x.js"])
        );
        assert_eq!(resolve_export(&json!(7), ".", false), Exported::Refused);
        assert_eq!(
            resolve_import(&json!({"#db/*": "./db/*.js"}), "#db/a", false),
            paths(&["./db/a.js"])
        );
    }

    #[test]
    fn the_longest_pattern_wins_whatever_the_order() {
        let map = json!({"./*": "./a/*", "./x/*.js": "./b/*.ts", "./x/*": "./c/*"});
        assert_eq!(resolve_export(&map, "./x/y.js", false), paths(&["./b/y.ts"]));
        assert_eq!(resolve_export(&map, "./x/y", false), paths(&["./c/y"]));
    }
}
