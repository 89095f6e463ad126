//! The homes and caches of tools, which commands use although they are outside the work tree.

use std::path::{Path, PathBuf};

use super::grants::WantedPlace;

/// Variables that name a tool's home, and its usual place in the user's home: the command has another home, and some
/// tools compare paths with those of earlier calls.
const HOMES: &[(&str, &str)] = &[
    ("CARGO_HOME", ".cargo"),
    ("RUSTUP_HOME", ".rustup"),
    ("GOPATH", "go"),
    ("GOCACHE", ".cache/go-build"),
    ("GRADLE_USER_HOME", ".gradle"),
    ("PYENV_ROOT", ".pyenv"),
    ("PYTHONUSERBASE", ".local"),
    ("RBENV_ROOT", ".rbenv"),
    ("NVM_DIR", ".nvm"),
    ("VOLTA_HOME", ".volta"),
    ("BUN_INSTALL", ".bun"),
    ("DENO_DIR", ".cache/deno"),
    ("SDKMAN_DIR", ".sdkman"),
    ("ASDF_DATA_DIR", ".asdf"),
    ("NUGET_PACKAGES", ".nuget/packages"),
    ("COMPOSER_CACHE_DIR", ".cache/composer"),
    ("PLAYWRIGHT_BROWSERS_PATH", ".cache/ms-playwright"),
];

/// Variables of tools' caches, which commands may change.
const CACHES: &[&str] = &[
    "CARGO_TARGET_DIR", "GOCACHE", "GOMODCACHE", "DENO_DIR", "NUGET_PACKAGES",
    "COMPOSER_CACHE_DIR", "PIP_CACHE_DIR", "UV_CACHE_DIR", "POETRY_CACHE_DIR", "YARN_CACHE_FOLDER",
    "npm_config_cache", "NPM_CONFIG_CACHE", "CCACHE_DIR", "SCCACHE_DIR",
];

/// Variables of tools' homes, and the parts of them that are only a cache.
const PARTS_OF_HOMES: &[(&str, &[&str])] = &[
    (
        "CARGO_HOME",
        &["registry", "git", ".package-cache", ".package-cache-mutate", ".global-cache"],
    ),
    ("GOPATH", &["pkg"]),
    ("GRADLE_USER_HOME", &["caches", "daemon", "native", "notifications", "wrapper", "workers"]),
    ("BUN_INSTALL", &["install/cache"]),
];

/// The same, at their usual places in the user's home. Browsers and environments of other projects are not among them: what
/// is run from there later is not in a sandbox.
const OF_HOME: &[&str] = &[
    ".bundle/cache", ".cache/bazel", ".cache/ccache", ".cache/composer", ".cache/coursier",
    ".cache/deno", ".cache/go-build", ".cache/node", ".cache/node-gyp", ".cache/pip",
    ".cache/pnpm", ".cache/pre-commit", ".cache/pypoetry/artifacts", ".cache/pypoetry/cache",
    ".cache/sccache", ".cache/uv", ".cache/yarn", ".composer/cache", ".ivy2/cache", ".ivy2/local",
    ".local/share/NuGet", ".local/share/pnpm/store", ".m2/repository", ".m2/wrapper", ".npm",
    ".nuget/packages", ".sbt/boot", ".yarn/berry/cache",
];

/// Returns the variables of tools' homes that are not set, with the existing places in the user's home.
pub(super) fn tool_homes(home: &Path, is_set: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let missing = HOMES.iter().filter(|(name, _)| !is_set(name));
    let places = missing.map(|(name, place)| (name, home.join(place)));
    let existing = places.filter(|(_, place)| place.is_dir());
    existing
        .filter_map(|(name, place)| Some(((*name).to_owned(), place.to_str()?.to_owned())))
        .collect()
}

/// Returns the caches that commands may change; some do not exist. A cache that the variable `is_chosen` names is made.
pub(super) fn writable_caches(
    home: Option<&Path>,
    env: &[(String, String)],
    is_chosen: impl Fn(&str) -> bool,
) -> Vec<WantedPlace> {
    let value = |name: &str| {
        let found = env.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute())
    };
    let cache = |name: &&str| Some(WantedPlace { path: value(name)?, is_made: is_chosen(name) });
    let mut found: Vec<WantedPlace> = CACHES.iter().filter_map(cache).collect();
    for (name, parts) in PARTS_OF_HOMES {
        let Some(home) = value(name) else { continue };
        // The parts with a dot are files.
        let is_made = |part: &str| !part.starts_with('.') && is_chosen(name);
        let wanted = |part: &&str| WantedPlace { path: home.join(part), is_made: is_made(part) };
        found.extend(parts.iter().map(wanted));
    }
    let usual = home.into_iter().flat_map(|home| OF_HOME.iter().map(|name| home.join(name)));
    found.extend(usual.map(|path| WantedPlace { path, is_made: false }));
    found
}
