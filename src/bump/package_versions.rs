//! Reads the versions of one package from the lock files of cargo and Go, and of tools that are not run: yarn, pnpm, Bun, Poetry,
//! uv, PDM, Pipenv and Gradle.
//!
//! An affected version in the file of a tool that is not run stays, so the finding is not fixed while there is one.

use super::lock_file::list_go_versions;
use super::named_version::NamedVersion;
use super::requirement::normalize_name;
use super::versions::list_versions;
use papayu_logs::findings::Ecosystem;

/// Returns the versions of a package in a lock file of cargo's form.
pub(super) fn read_cargo_versions(text: &str, package: &str) -> Vec<String> {
    select_versions(list_versions("Cargo.lock", text), package)
}

/// Returns the version that a `go.mod` requires of a module. A module that is replaced by another one has none.
pub(super) fn read_go_versions(text: &str, package: &str) -> Vec<String> {
    select_versions(list_go_versions(text), package)
}

/// Returns the versions of one package.
fn select_versions(all: Vec<NamedVersion>, package: &str) -> Vec<String> {
    all.into_iter().filter(|(name, _)| name == package).map(|(_, version)| version).collect()
}

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
    let is_python = path.ends_with("Pipfile.lock")
        || path.ends_with("poetry.lock")
        || path.ends_with("uv.lock")
        || path.ends_with("pdm.lock");
    if !is_python {
        return select_versions(list_versions(path, text), package);
    }
    // The tools of Python write names as they like.
    let all = list_versions(path, text).into_iter();
    let all = all.map(|(name, version)| (normalize_name(&name), version)).collect();
    select_versions(all, &normalize_name(package))
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
