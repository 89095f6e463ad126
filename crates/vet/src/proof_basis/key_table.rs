//! The keys of manifests and configurations that may change: those that name dependencies or describe the
//! package. All others, and all keys of files that are not here, may not.

use papayu_base::text::WordList;

use KeyRule::{Free, Grows, New, Spec, Specs, Tool};

/// The changes of a key that are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyRule {
    /// Anything.
    Free,
    /// A table of dependencies by name: versions may change, places may not.
    Spec,
    /// A list of dependencies, each a name with versions.
    Specs,
    /// New keys may be added.
    New,
    /// A list may get longer.
    Grows,
    /// Commands by name. None may have the name of a tool that runs checks.
    Tool,
}

/// A key: its parts from the outermost inwards; `*` is any one part, `**` at the end any number.
pub(super) type KeyPattern = &'static [&'static str];

/// The files by name in lower case, each with its keys.
pub(super) const FILES: &[(&str, &[(KeyPattern, KeyRule)])] = &[
    ("cargo.toml", CARGO),
    ("package.json", PACKAGE),
    ("pyproject.toml", PYPROJECT),
    (
        "setup.cfg",
        &[
            (&["metadata", "*"], Free),
            (&["options", "install_requires"], Specs),
            (&["options", "tests_require"], Specs),
            (&["options", "setup_requires"], Specs),
            (&["options.extras_require", "*"], Specs),
        ],
    ),
    ("tox.ini", &[(&["testenv", "deps"], Specs)]),
    ("pipfile", &[(&["packages", "*", "**"], Spec), (&["dev-packages", "*", "**"], Spec)]),
    (
        "composer.json",
        &[
            (&["require", "*"], Spec),
            (&["require-dev", "*"], Spec),
            (&["version"], Free),
            (&["description"], Free),
            (&["keywords"], Free),
            (&["license"], Free),
            (&["authors"], Free),
        ],
    ),
    (
        "pubspec.yaml",
        &[
            (&["dependencies", "*", "**"], Spec),
            (&["dev_dependencies", "*", "**"], Spec),
            (&["version"], Free),
            (&["description"], Free),
        ],
    ),
    ("environment.yml", &[(&["dependencies"], Specs)]),
    ("environment.yaml", &[(&["dependencies"], Specs)]),
    (
        "pnpm-workspace.yaml",
        &[(&["catalog", "*"], Spec), (&["catalogs", "*", "*"], Spec), (&["packages"], Grows)],
    ),
    ("stack.yaml", &[(&["extra-deps"], Specs)]),
    ("libs.versions.toml", &[(&["versions", "**"], Free), (&["libraries", "*", "**"], Free)]),
    ("lerna.json", &[(&["version"], Free)]),
    ("deno.json", &[(&["version"], Free)]),
];

const CARGO: &[(KeyPattern, KeyRule)] = &[
    (&["dependencies", "*", "**"], Spec),
    (&["dev-dependencies", "*", "**"], Spec),
    (&["build-dependencies", "*", "**"], Spec),
    (&["target", "*", "dependencies", "*", "**"], Spec),
    (&["target", "*", "dev-dependencies", "*", "**"], Spec),
    (&["target", "*", "build-dependencies", "*", "**"], Spec),
    (&["workspace", "dependencies", "*", "**"], Spec),
    (&["workspace", "members"], Grows),
    (&["workspace", "package", "version"], Free),
    (&["features", "*"], New),
    (&["package", "version"], Free),
    (&["package", "description"], Free),
    (&["package", "authors"], Free),
    (&["package", "license"], Free),
    (&["package", "license-file"], Free),
    (&["package", "repository"], Free),
    (&["package", "homepage"], Free),
    (&["package", "documentation"], Free),
    (&["package", "readme"], Free),
    (&["package", "keywords"], Free),
    (&["package", "categories"], Free),
    (&["package", "publish"], Free),
    (&["package", "include"], Free),
    (&["package", "exclude"], Free),
];

const PACKAGE: &[(KeyPattern, KeyRule)] = &[
    (&["dependencies", "*"], Spec),
    (&["devDependencies", "*"], Spec),
    (&["peerDependencies", "*"], Spec),
    (&["optionalDependencies", "*"], Spec),
    (&["peerDependenciesMeta", "**"], Free),
    (&["overrides", "*"], Spec),
    (&["resolutions", "*"], Spec),
    (&["workspaces"], Grows),
    (&["version"], Free),
    (&["description"], Free),
    (&["keywords"], Free),
    (&["author", "**"], Free),
    (&["contributors"], Free),
    (&["license"], Free),
    (&["repository", "**"], Free),
    (&["bugs", "**"], Free),
    (&["homepage"], Free),
    (&["funding", "**"], Free),
    (&["main"], Free),
    (&["module"], Free),
    (&["types"], Free),
    (&["typings"], Free),
    (&["exports", "**"], Free),
    (&["files"], Free),
    (&["bin", "**"], Tool),
    (&["private"], Free),
];

const PYPROJECT: &[(KeyPattern, KeyRule)] = &[
    (&["project", "dependencies"], Specs),
    (&["project", "optional-dependencies", "*"], Specs),
    (&["dependency-groups", "*"], Specs),
    (&["build-system", "requires"], Specs),
    (&["project", "version"], Free),
    (&["project", "description"], Free),
    (&["project", "readme", "**"], Free),
    (&["project", "license", "**"], Free),
    (&["project", "authors"], Free),
    (&["project", "maintainers"], Free),
    (&["project", "keywords"], Free),
    (&["project", "classifiers"], Free),
    (&["project", "urls", "*"], Free),
    (&["project", "scripts", "*"], Tool),
    (&["tool", "poetry", "dependencies", "*", "**"], Spec),
    (&["tool", "poetry", "dev-dependencies", "*", "**"], Spec),
    (&["tool", "poetry", "group", "*", "dependencies", "*", "**"], Spec),
    (&["tool", "poetry", "version"], Free),
    (&["tool", "poetry", "description"], Free),
    (&["tool", "poetry", "authors"], Free),
    (&["tool", "poetry", "scripts", "*"], Tool),
    (&["tool", "pdm", "dev-dependencies", "*"], Specs),
    (&["tool", "uv", "dev-dependencies"], Specs),
];

/// Names of commands that run checks.
pub(super) static CHECKING_TOOLS: WordList = WordList::new(
    "pytest py.test python python3 tox nox mypy ruff flake8 pylint pyright black isort coverage \
    unittest nose2 jest vitest mocha ava tap node npm npx yarn pnpm tsc eslint prettier biome c8 \
    nyc playwright cypress sh bash make env true test ts-node tsx jasmine karma xo standard bun \
    deno",
);

/// Returns the allowed changes of a key; `None` if no change is allowed.
pub(super) fn rule_of(file: &str, key: &[String]) -> Option<(KeyPattern, KeyRule)> {
    let (_, keys) = FILES.iter().find(|(name, _)| *name == file)?;
    keys.iter().find(|(pattern, _)| matches_key(pattern, key)).copied()
}

/// Returns `true` if a key belongs to a table in which keys may change.
pub(super) fn begins_rule(file: &str, key: &[String]) -> bool {
    let rows = FILES.iter().filter(|(name, _)| *name == file).flat_map(|(_, keys)| *keys);
    rows.into_iter()
        .any(|(pattern, _)| pattern.get(..key.len()).is_some_and(|begin| matches_key(begin, key)))
}

/// Returns `true` if a pattern matches a key: `*` is any one part, `**` at the end any rest.
fn matches_key(pattern: &[&str], key: &[String]) -> bool {
    match (pattern.split_first(), key.split_first()) {
        (None, None) | (Some((&"**", _)), _) => true,
        (Some((part, rest)), Some((name, inner))) => {
            (*part == "*" || part == name) && matches_key(rest, inner)
        }
        _ => false,
    }
}
