//! Refuses a lock file that takes a package from a place from which it took none before.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use super::decoded::decode_files;
use crate::Policy;
use papayu_base::domain::{Allowance, ErrorCode};
use papayu_patch::preview::Preview;
use papayu_patch::protocol::Refusal;

/// The names of lock files, in lower case. That of Composer names a repository for each package of the public registry.
const LOCK_FILES: [&str; 13] = [
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock",
    "deno.lock", "cargo.lock", "gemfile.lock", "poetry.lock", "uv.lock", "pdm.lock", "pylock.toml",
    "pipfile.lock",
];

/// The public registries of the package managers.
const REGISTRIES: [&str; 13] = [
    "https://registry.npmjs.org",
    "https://registry.yarnpkg.com",
    "https://jsr.io",
    "https://npm.jsr.io",
    "https://deno.land",
    "registry+https://github.com/rust-lang/crates.io-index",
    "sparse+https://index.crates.io",
    "https://rubygems.org",
    "https://pypi.org",
    "https://files.pythonhosted.org",
    "https://pypi.python.org",
    "https://repo.packagist.org",
    "https://packagist.org",
];

/// Hosts of repositories of many owners: another owner is another place.
const FORGES: [&str; 6] = [
    "github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "codeload.github.com",
    "api.github.com",
];

/// Refuses a change after which a lock file names a server, or a repository of a forge, that neither it nor another lock file of the change named
/// before, and that is no public registry.
///
/// # Errors
///
/// Returns [`ErrorCode::TestEditNotAllowed`] with the first file and the place.
pub(super) fn check(preview: &Preview, policy: &Policy) -> Result<(), Refusal> {
    if policy.allowances.contains(&Allowance::Build) {
        return Ok(());
    }
    let files = decode_files(preview);
    let is_lock = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        LOCK_FILES.contains(&name.as_str())
    };
    let locks: Vec<_> = files.iter().filter(|file| is_lock(file.path.as_str())).collect();
    let mut known: BTreeSet<String> = REGISTRIES.map(str::to_owned).into();
    let of = |path: &str, text: &str| places(&drop_funding(path, text)).collect::<Vec<_>>();
    known.extend(
        locks.iter().flat_map(|file| of(file.path.as_str(), file.as_changed_text().before)),
    );
    for file in locks {
        let after = of(file.path.as_str(), file.as_changed_text().after);
        if let Some(place) = after.into_iter().find(|it| !known.contains(it)) {
            let reason = format!(
                "takes a package from `{place}`, from where it took none before; the package manager writes this file, and only `--allow build` allows it"
            );
            return Err(Refusal::of_file(ErrorCode::TestEditNotAllowed, file.path, reason));
        }
    }
    Ok(())
}

/// Returns the text of a lock file of npm without the addresses at which its authors take money, from which npm takes
/// nothing.
fn drop_funding<'t>(path: &str, text: &'t str) -> Cow<'t, str> {
    let is_npm = path.ends_with("package-lock.json") || path.ends_with("npm-shrinkwrap.json");
    match serde_json::from_str::<Value>(text) {
        Ok(mut lock) if is_npm => {
            for part in ["packages", "dependencies"] {
                let entries = lock.get_mut(part).and_then(Value::as_object_mut);
                for entry in entries.into_iter().flat_map(|it| it.values_mut()) {
                    entry.as_object_mut().and_then(|entry| entry.remove("funding"));
                }
            }
            Cow::Owned(lock.to_string())
        }
        _ => Cow::Borrowed(text),
    }
}

/// Returns the servers that a text names, with the scheme, and on forges with the owner and the repository.
fn places(text: &str) -> impl Iterator<Item = String> {
    text.match_indices("://").filter_map(|(at, _)| {
        let before = text.get(..at)?;
        let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || c == '+';
        let scheme = before.get(before.trim_end_matches(is_of_scheme).len()..)?;
        let rest = text.get(at + 3..)?;
        let end = rest.find(|c: char| c.is_whitespace() || "\"'`#?)},;<>".contains(c));
        let mut parts = rest.get(..end.unwrap_or(rest.len()))?.split('/');
        let host = parts.next()?.rsplit('@').next()?.to_ascii_lowercase();
        let parts: Vec<&str> = parts.collect();
        let parts = if host == "api.github.com" { parts.get(1..)? } else { &parts };
        let owner = if FORGES.contains(&host.as_str()) { parts.get(..2)? } else { &[] };
        let name = owner.iter().map(|part| part.trim_end_matches(".git"));
        let path: String = name.flat_map(|part| ["/", part]).collect();
        (!host.is_empty()).then(|| format!("{scheme}://{host}{path}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_server_or_a_repository_of_a_forge() {
        let text = "source = \"git+https://ci@github.com/a/b.git?rev=1#2\"\nresolved \"https://Registry.npmjs.org/x/-/x-1.tgz#1\"\n\
                    url: https://api.github.com/repos/a/b/zipball/1\nremote: https://rubygems.org/\nsee :// x";
        let found: Vec<String> = places(text).collect();
        let expected = [
            "git+https://github.com/a/b", "https://registry.npmjs.org",
            "https://api.github.com/a/b", "https://rubygems.org",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_lock_file_names_no_new_place() {
        let checked = |path: &str, before: &str, after: &str| {
            let path = papayu_base::domain::RepoPath::parse(path).unwrap();
            let (before, after) = (before.into(), after.into());
            let change = papayu_patch::preview::Change::WriteFile { path, before, after };
            check(&Preview::new(vec![change]), &Policy::default()).is_ok()
        };
        let npm = "\"resolved\": \"https://registry.npmjs.org/a/-/a-1.tgz\"";
        let own = "\"resolved\": \"https://npm.example.org/a/-/a-1.tgz\"";
        let fork = "source = \"git+https://github.com/mallory/a#0123\"";
        assert!(checked("package-lock.json", npm, &npm.replace("a-1", "a-2")));
        assert!(checked("web/yarn.lock", own, &format!("{own}\n{npm}")));
        assert!(!checked("package-lock.json", npm, own));
        assert!(!checked("Cargo.lock", "source = \"git+https://github.com/a/a#0123\"", fork));
        assert!(checked("docs/links.md", npm, own));
        let lock = |more: &str| format!(r#"{{"packages": {{"node_modules/a": {{{npm}{more}}}}}}}"#);
        let funded = lock(r#", "funding": {"url": "https://github.com/a/b?sponsor=1"}"#);
        assert!(checked("package-lock.json", &lock(""), &funded));
        assert!(!checked("Cargo.lock", &lock(""), &funded));
        let hidden = lock(r#", "link": {"funding": "https:\/\/github.com\/mallory\/b"}"#);
        assert!(!checked("package-lock.json", &lock(""), &hidden));
    }
}
