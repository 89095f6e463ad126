//! `tsconfig.json` and `jsconfig.json`: other names for paths, and where built files come from.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::probe::probe_path;
use crate::code::FileId;
use crate::resolve::paths::{join, parent, strip_folder};
use crate::resolve::tree::{FileTable, nearest_above};
use papayu_base::config_text::{self, ConfigFormat};

/// Most configs in one chain of `extends`; more is a loop.
const MAX_BASES: usize = 64;

/// The import options of a config and its bases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Config {
    base_url: Option<String>,
    /// Patterns with their paths, from the root of the repository.
    paths: Vec<(String, Vec<String>)>,
    root_dirs: Vec<String>,
    /// Folders of the built files.
    pub(super) out_dirs: Vec<String>,
    /// Root folder of the sources.
    pub(super) root_dir: Option<String>,
}

/// The configs of a repository by folder.
pub(super) struct Configs<'a> {
    nearest: HashMap<&'a str, Config>,
}

impl<'a> Configs<'a> {
    /// Reads every `tsconfig.json`, or `jsconfig.json` where there is none; `package` returns the folder of a
    /// package of the repository by its name.
    pub(super) fn of(tree: &FileTable<'a>, package: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut nearest = HashMap::new();
        for name in ["tsconfig.json", "jsconfig.json"] {
            for (folder, _) in tree.manifests(name) {
                let path = join(folder, name).unwrap_or_default();
                // `or_insert`: `tsconfig.json`, which comes first in the list, wins as in the compiler.
                nearest.entry(folder).or_insert_with(|| read_with_parts(tree, &path, package));
            }
        }
        Self { nearest }
    }

    /// Returns the config that a folder's files are read by. `None` if neither it nor a folder above has one.
    pub(super) fn of_folder(&self, folder: &str) -> Option<&Config> {
        nearest_above(&self.nearest, folder)
    }
}

impl Config {
    /// Returns the file that `paths` or `baseUrl` map a non-relative specifier to. `None` if they map it to no
    /// file.
    pub(super) fn resolve_alias(&self, tree: &FileTable<'_>, specifier: &str) -> Option<FileId> {
        self.resolve_by_paths(tree, specifier).or_else(|| {
            let path = join(self.base_url.as_deref()?, specifier)?;
            probe_path(tree, &path)
        })
    }

    /// Returns `true` if a pattern matches the specifier, not counting `*`.
    pub(super) fn matches_alias(&self, specifier: &str) -> bool {
        self.find_pattern(specifier).is_some_and(|(pattern, ..)| pattern != "*")
    }

    /// Returns the file of a specifier by `compilerOptions.paths`. The pattern with the longest
    /// part before `*` wins, and its targets are tried in their order (typescriptlang.org, Module
    /// resolution).
    fn resolve_by_paths(&self, tree: &FileTable<'_>, specifier: &str) -> Option<FileId> {
        let (_, targets, matched) = self.find_pattern(specifier)?;
        targets.iter().find_map(|target| probe_path(tree, &target.replacen('*', matched, 1)))
    }

    /// Returns the exact pattern, or the one with the longest text before its `*`.
    fn find_pattern<'s>(&self, specifier: &'s str) -> Option<(&str, &[String], &'s str)> {
        let matches = self.paths.iter().filter_map(|(pattern, targets)| {
            let (length, matched) = match pattern.split_once('*') {
                // Longer than any part before a `*`, so that an exact pattern wins.
                None => (usize::MAX, (pattern == specifier).then_some("")?),
                Some((before, after)) => {
                    (before.len(), specifier.strip_prefix(before)?.strip_suffix(after)?)
                }
            };
            Some((length, pattern, targets, matched))
        });
        let (_, pattern, targets, matched) = matches.max_by_key(|(length, ..)| *length)?;
        Some((pattern, targets, matched))
    }

    /// Returns the file with the same relative path below another of `rootDirs`. `None` if there is none.
    pub(super) fn find_in_other_root(&self, tree: &FileTable<'_>, path: &str) -> Option<FileId> {
        let rest = self.root_dirs.iter().find_map(|root| strip_folder(root, path))?;
        self.root_dirs.iter().find_map(|root| probe_path(tree, &join(root, rest)?))
    }
}

/// Reads a configuration; one without paths of its own takes them from the first of its
/// `references` that has any.
fn read_with_parts(
    tree: &FileTable<'_>,
    path: &str,
    package: &dyn Fn(&str) -> Option<String>,
) -> Config {
    let mut seen = HashSet::new();
    let mut config = read_config(tree, path, package, &mut seen);
    if config.paths.is_empty() && config.base_url.is_none() {
        // A solution config only references others, and one of them has the paths.
        let parts = parse_manifest(tree, path).map(|document| referenced_configs(&document, path));
        for part in parts.into_iter().flatten() {
            let part = read_config(tree, &part, package, &mut seen);
            config.out_dirs.extend(part.out_dirs);
            if config.paths.is_empty() {
                config.paths = part.paths;
                config.base_url = part.base_url;
            }
        }
    }
    config
}

/// Returns the paths of the configurations that a solution configuration names: `"references":
/// [{"path": "./app"}]`.
fn referenced_configs(document: &Value, path: &str) -> Vec<String> {
    let parts = document["references"].as_array().into_iter().flatten();
    let parts = parts.filter_map(|part| join(parent(path), part["path"].as_str()?));
    parts.map(|part| with_name(&part)).collect()
}

/// Returns the path of a configuration; a folder means the `tsconfig.json` in it.
fn with_name(path: &str) -> String {
    if has_json_ending(path) { path.to_owned() } else { format!("{path}/tsconfig.json") }
}

fn has_json_ending(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending == "json")
}

/// Reads a config and its bases, the bases first, each once.
fn read_config(
    tree: &FileTable<'_>,
    path: &str,
    package: &dyn Fn(&str) -> Option<String>,
    seen: &mut HashSet<String>,
) -> Config {
    // Each config is visited twice: first to push the configs it extends, then to apply it after
    // them.
    let mut stack = vec![(path.to_owned(), false)];
    let mut config = Config::default();
    while let Some((at, ready)) = stack.pop() {
        let Some(document) = parse_manifest(tree, &at) else { continue };
        if ready {
            config.apply_options(&document["compilerOptions"], parent(&at), parent(path));
        // The compiler applies a base that two others share once for each, so that the second undoes what
        // the first overrides. Bases of one list seldom set the same option.
        } else if seen.len() < MAX_BASES && seen.insert(at.clone()) {
            let bases = extended_configs(&document, &at, tree, package);
            stack.push((at, true));
            stack.extend(bases.into_iter().rev().map(|base| (base, false)));
        }
    }
    config
}

/// Parses a manifest of the index as JSON with comments and trailing commas, which the compiler
/// accepts.
fn parse_manifest(tree: &FileTable<'_>, path: &str) -> Option<Value> {
    let text = tree.index.manifest(path)?;
    config_text::parse(ConfigFormat::Json, text).documents.first().map(Value::from)
}

/// Returns the paths of the configurations in `extends`: one text, or a list since TypeScript 5.0,
/// in which later ones are stronger. A name that is no relative path is looked for in the packages.
fn extended_configs(
    document: &Value,
    path: &str,
    tree: &FileTable<'_>,
    package: &dyn Fn(&str) -> Option<String>,
) -> Vec<String> {
    let named: Vec<&str> = match &document["extends"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let mut configs = Vec::new();
    for name in named {
        let at = if name.starts_with('.') {
            join(parent(path), name)
        } else {
            let parts = super::package::split_package(name);
            parts.and_then(|(package_name, rest)| join(&package(package_name)?, rest))
        };
        let Some(at) = at else { continue };
        let forms = [at.clone(), format!("{at}.json"), format!("{at}/tsconfig.json")];
        configs.extend(forms.into_iter().find(|form| tree.index.manifest(form).is_some()));
    }
    configs
}

impl Config {
    /// Overrides the options of the bases with those of a document.
    fn apply_options(&mut self, options: &Value, own: &str, outermost: &str) {
        let place = |path: &str, folder: &str| match path.strip_prefix("${configDir}") {
            // `${configDir}` is the folder of the config that the compiler was started with, not that of
            // the base which contains it (TypeScript 5.5).
            Some(rest) => join(outermost, rest.trim_start_matches('/')),
            None => join(folder, path),
        };
        let at = |key: &str| options[key].as_str().and_then(|path| place(path, own));
        self.base_url = at("baseUrl").or(self.base_url.take());
        self.root_dir = at("rootDir").or(self.root_dir.take());
        let out: Vec<String> = ["outDir", "declarationDir"].into_iter().filter_map(at).collect();
        if !out.is_empty() {
            self.out_dirs = out;
        }
        let list = |value: &Value, folder: &str| -> Vec<String> {
            let items = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            items.filter_map(|item| place(item, folder)).collect()
        };
        if options["rootDirs"].is_array() {
            self.root_dirs = list(&options["rootDirs"], own);
        }
        if let Some(paths) = options["paths"].as_object() {
            // Without `baseUrl`, the paths are relative to the config that contains them.
            let folder = self.base_url.clone().unwrap_or_else(|| own.to_owned());
            let pattern =
                |(pattern, targets): (&String, &Value)| (pattern.clone(), list(targets, &folder));
            self.paths = paths.iter().map(pattern).collect();
        }
    }
}
