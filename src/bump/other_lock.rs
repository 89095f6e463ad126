//! Reads versions of packages from the lock files of tools that are not run: yarn, pnpm, Bun, Poetry, uv, PDM, Pipenv
//! and Gradle.
//!
//! An affected version in such a file stays, so the finding is not fixed while there is one.

use serde_json::Value;

use super::lock_file::read_cargo_versions;
use super::requirement::normalize_name;
use papayu_logs::findings::Ecosystem;

/// Returns `true` for the path of a lock file that is read only.
pub(super) fn is_other_lock(ecosystem: Ecosystem, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let names: &[&str] = match ecosystem {
        Ecosystem::Npm => &["yarn.lock", "pnpm-lock.yaml", "bun.lock"],
        Ecosystem::PyPi => &["poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock"],
        Ecosystem::Maven => &["gradle.lockfile"],
        Ecosystem::Cargo | Ecosystem::Go => &[],
    };
    names.contains(&name)
}

/// Returns the versions of a package in such a file.
pub(super) fn read_other_versions(path: &str, text: &str, package: &str) -> Vec<String> {
    match path.rsplit('/').next().unwrap_or(path) {
        "yarn.lock" => read_yarn(text, package),
        "pnpm-lock.yaml" => read_pnpm(text, package),
        "bun.lock" => read_bun(text, package),
        "Pipfile.lock" => read_pipfile(text, package),
        "gradle.lockfile" => read_gradle(text, package),
        // The other tools of Python write tables as cargo does, with normalized names.
        _ => read_cargo_versions(text, &normalize_name(package)),
    }
}

/// Reads `"name@range", name@range:` and the line `version "1.0.0"` or `version: 1.0.0` below it.
fn read_yarn(text: &str, package: &str) -> Vec<String> {
    let mut is_named = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if !line.starts_with(char::is_whitespace) {
            let specs = line.trim_end_matches(':').split(", ").map(|it| it.trim_matches('"'));
            let mut names = specs.filter_map(|it| {
                let scope = usize::from(it.starts_with('@'));
                it.get(..scope + it.get(scope..)?.find('@')?)
            });
            is_named = names.any(|name| name == package);
        } else if let Some(version) = line.trim_start().strip_prefix("version").filter(|_| is_named)
        {
            found.push(version.trim_matches([' ', ':', '"']).to_owned());
            is_named = false;
        }
    }
    found
}

/// Reads the keys `name@1.0.0`, `/name@1.0.0(peer)` and `/name/1.0.0_peer`.
fn read_pnpm(text: &str, package: &str) -> Vec<String> {
    let versions = text.lines().filter_map(|line| {
        let key = line.trim().strip_suffix(':')?.trim_matches(['\'', '"']);
        let rest = key.strip_prefix('/').unwrap_or(key).strip_prefix(package)?;
        read_start(rest.strip_prefix(['@', '/'])?)
    });
    versions.collect()
}

/// Reads `"name": ["name@1.0.0", …]`.
fn read_bun(text: &str, package: &str) -> Vec<String> {
    let start = format!("[\"{package}@");
    let places = text.split(&start).skip(1);
    places.filter_map(read_start).collect()
}

/// Returns the versions of a package in a `Pipfile.lock`; none for a text that cannot be parsed.
fn read_pipfile(text: &str, package: &str) -> Vec<String> {
    let Ok(lock) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let parts = ["default", "develop"].into_iter().filter_map(|part| lock.get(part)?.as_object());
    let named = parts.flatten().filter(|(name, _)| normalize_name(name) == normalize_name(package));
    let versions = named.filter_map(|(_, entry)| entry.get("version")?.as_str());
    versions.map(|it| it.trim_start_matches('=').to_owned()).collect()
}

/// Reads `group:artifact:version=configurations`.
fn read_gradle(text: &str, package: &str) -> Vec<String> {
    let versions = text.lines().filter_map(|line| {
        let rest = line.split('=').next()?.strip_prefix(package)?;
        Some(rest.strip_prefix(':')?.trim().to_owned())
    });
    versions.collect()
}

/// Returns the version that a text begins with.
fn read_start(text: &str) -> Option<String> {
    let is_part = |char: char| char.is_ascii_alphanumeric() || ".-+!".contains(char);
    let end = text.find(|char| !is_part(char)).unwrap_or(text.len());
    let version = text.get(..end)?;
    version.starts_with(|first: char| first.is_ascii_digit()).then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_from_every_lock_file_and_another_package_is_not() {
        let yarn = "# yarn lockfile v1\n\n\"@x/minimist@^1.0.0\":\n  version \"9.0.0\"\n\nminimist@^1.1.0, minimist@~1.2.0:\n  version \"1.2.0\"\n  dependencies:\n    minimist-options \"4.0.0\"\n";
        let berry = "__metadata:\n  version: 8\n\n\"minimist@npm:^1.2.0\":\n  version: 1.2.0\n  resolution: \"minimist@npm:1.2.0\"\n";
        let pnpm = "packages:\n\n  minimist@1.2.0:\n    resolution: {}\n  minimist-options@4.0.0:\n    x: y\n  '@x/minimist@9.0.0':\n    x: y\n";
        let pnpm_old =
            "packages:\n  /minimist/1.2.0:\n    x: y\n  /a@1.0.0(minimist@9.0.0):\n    x: y\n";
        let bun = "{\n  \"packages\": {\n    \"minimist\": [\"minimist@1.2.0\", \"\", {}, \"sha512-x\"],\n  }\n}\n";
        let poetry = "[[package]]\nname = \"minimist\"\nversion = \"1.2.0\"\n";
        let pipfile = r#"{"default": {"Minimist": {"version": "==1.2.0"}}, "develop": {"other": {"version": "==9"}}}"#;
        for (path, text) in [
            ("yarn.lock", yarn),
            ("a/yarn.lock", berry),
            ("pnpm-lock.yaml", pnpm),
            ("pnpm-lock.yaml", pnpm_old),
            ("bun.lock", bun),
            ("poetry.lock", poetry),
            ("Pipfile.lock", pipfile),
        ] {
            assert_eq!(read_other_versions(path, text, "minimist"), ["1.2.0"], "{path}: {text}");
        }
        let scoped = read_other_versions("yarn.lock", yarn, "@x/minimist");
        assert_eq!(scoped, ["9.0.0"]);
        let gradle = "# x\norg.x:core:2.14.1=compileClasspath,runtimeClasspath\norg.x:core-y:1=z\n";
        assert_eq!(read_other_versions("app/gradle.lockfile", gradle, "org.x:core"), ["2.14.1"]);
    }

    #[test]
    fn a_hostile_lock_file_has_no_version() {
        let long = format!("minimist@{}", "@".repeat(1 << 20));
        for text in ["", "minimist@", "\"@", "@:\n version", ", , :", "{", &long] {
            for path in ["yarn.lock", "pnpm-lock.yaml", "bun.lock", "uv.lock", "Pipfile.lock"] {
                assert!(read_other_versions(path, text, "minimist").is_empty(), "{path}");
            }
        }
    }
}
