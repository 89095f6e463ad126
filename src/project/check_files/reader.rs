//! Follows a command line through scripts, package scripts and recipes to the files that decide about its result.

use std::collections::BTreeSet;

use serde_json::Value;

use super::command_lines::split_commands;
use papayu_base::domain::RepoPath;
use papayu_lang::Family;
use papayu_system::{Entry, Tree};

/// Largest file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Most command lines that are read, which bounds the work on scripts that call each other.
const MAX_LINES: usize = 2_000;

/// Programs that run a script of a shell.
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "source", "."];

/// Programs that run a script in their first word that is no option.
const INTERPRETERS: [&str; 14] = [
    "python", "python3", "node", "ruby", "perl", "php", "deno", "bun", "tsx", "ts-node", "lua",
    "Rscript", "julia", "bats",
];

/// Options with a file of settings as their value, or one that is loaded before all else.
const FILE_OPTIONS: [&str; 18] = [
    "-r", "--require", "-c", "--config", "--conf", "--config-file", "--import", "--loader", "-f",
    "--file", "--rcfile", "--init-file", "--settings", "--manifest-path", "--ini", "--setup",
    "--makefile", "-p",
];

/// Options with the folder that the program works in as their value.
const FOLDER_OPTIONS: [&str; 6] =
    ["--prefix", "-C", "--cwd", "--dir", "--directory", "--project-dir"];

/// Programs that run the scripts of `package.json`.
const MANAGERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// Programs that compare a result with an expected one.
const COMPARING: [&str; 5] = ["diff", "cmp", "colordiff", "git-diff", "comm"];

/// Words in the names of files with expected results.
const EXPECTED: [&str; 14] = [
    "expected", "expect", "golden", "goldens", "snapshot", "snap", "baseline", "reference",
    "approved", "want", "wanted", "correct", "fixture", "oracle",
];

/// Words in the names of programs that check.
const CHECKING: [&str; 11] = [
    "check", "checks", "ci", "compare", "lint", "test", "tests", "validate", "verify", "assert",
    "spec",
];

/// Returns the files of the repository that decide about the result of a command, by [`RepoPath::identity`]: scripts of a shell
/// that it runs, directly or through `package.json` and makefiles; files that options name; programs, and scripts of scripts,
/// with names that mean a check; expected results that are compared or lie next to such a script.
///
/// Code that the command runs, compiles or reads is none of them: a fix changes it.
pub fn find_check_files(command: &str, tree: &dyn Tree) -> BTreeSet<String> {
    let mut reader = CheckReader { tree, found: BTreeSet::new(), lines: 0, is_script: false };
    reader.read_text(command, String::new(), "");
    reader.found.iter().map(RepoPath::identity).collect()
}

/// Collects the files of a command.
struct CheckReader<'t> {
    tree: &'t dyn Tree,
    found: BTreeSet<RepoPath>,
    lines: usize,
    /// `true` inside of a script of a shell, which runs the product as well as checks.
    is_script: bool,
}

impl CheckReader<'_> {
    /// Reads shell text that runs in `folder`, part of a script in `own`.
    fn read_text(&mut self, text: &str, mut folder: String, own: &str) {
        for words in split_commands(text, own) {
            self.lines += 1;
            if self.lines > MAX_LINES {
                return;
            }
            if let [first, target, ..] = words.as_slice()
                && matches!(first.as_str(), "cd" | "pushd")
            {
                // Outside of the repository there is no file of it.
                folder = join(&folder, target).unwrap_or_else(|| "..".to_owned());
                continue;
            }
            self.read_command(&words, &folder);
        }
    }

    /// Reads one simple command.
    fn read_command(&mut self, words: &[String], folder: &str) {
        let Some((program, arguments)) = words.split_first() else { return };
        let name = program.rsplit('/').next().unwrap_or(program);
        let folder = &find_folder(arguments, folder);
        if MANAGERS.contains(&name) {
            self.read_package(arguments, folder);
        } else if matches!(name, "make" | "gmake" | "just") {
            self.read_recipes(arguments, folder);
        } else if SHELLS.contains(&name) {
            self.read_shell(arguments, folder);
        } else if INTERPRETERS.contains(&name) {
            let script = arguments.iter().find(|word| !word.starts_with('-'));
            self.add_program(script.and_then(|word| self.find_file(folder, word)));
        } else if COMPARING.contains(&name) {
            self.add_compared(arguments, folder);
        } else if name == "eval" {
            self.read_text(&arguments.join(" "), folder.clone(), folder);
        }
        if program.contains('/') {
            let script = self.find_file(folder, program);
            self.add_program(script);
        }
        self.add_settings(arguments, folder);
        let named: Vec<RepoPath> =
            arguments.iter().filter_map(|word| self.find_file(folder, word)).collect();
        self.found.extend(named.into_iter().filter(|path| has_word(path.as_str(), &EXPECTED)));
    }

    /// Reads `sh script …` and `sh -c 'text'`.
    fn read_shell(&mut self, arguments: &[String], folder: &str) {
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            // Letters of options can be joined: `-ec`.
            if word.starts_with('-') && !word.starts_with("--") && word.contains('c') {
                if let Some(text) = rest.next() {
                    self.read_text(text, folder.to_owned(), folder);
                }
                return;
            }
            if !word.starts_with(['-', '+']) {
                if let Some(script) = self.find_file(folder, word) {
                    self.add_script(&script, folder);
                }
                return;
            }
        }
    }

    /// Adds a script of a shell, what lies next to it, and what it calls.
    fn add_script(&mut self, script: &RepoPath, folder: &str) {
        // A script that a script runs may be what is tested.
        if self.is_script && !has_word(script.as_str(), &CHECKING)
            || !self.found.insert(script.clone())
        {
            return;
        }
        let own = script.parent().map(|own| own.to_string()).unwrap_or_default();
        for name in self.tree.list(script.parent().as_ref()).unwrap_or_default() {
            let beside = join(&own, &name).and_then(|path| RepoPath::parse(&path).ok());
            let beside = beside.filter(|path| has_word(path.file_name(), &EXPECTED));
            self.found.extend(beside.filter(|path| self.is_file(path)));
        }
        if let Some(text) = self.read(script) {
            let is_script = std::mem::replace(&mut self.is_script, true);
            self.read_text(&text, folder.to_owned(), &own);
            self.is_script = is_script;
        }
    }

    /// Adds a program of the repository if it is a script of a shell, or its name is that of a check.
    fn add_program(&mut self, program: Option<RepoPath>) {
        let Some(program) = program else { return };
        let text = self.read(&program).unwrap_or_default();
        let first = text.lines().next().unwrap_or_default();
        let interpreter = first.strip_prefix("#!").and_then(|line| line.rsplit(['/', ' ']).next());
        let is_shell = interpreter.is_some_and(|name| SHELLS.contains(&name))
            || interpreter.is_none() && Family::of_path(program.as_str()) == Family::Shell;
        if is_shell {
            self.add_script(&program, "");
        } else if has_word(program.file_name(), &CHECKING) {
            self.found.insert(program);
        }
    }

    /// Adds the files that options name.
    fn add_settings(&mut self, arguments: &[String], folder: &str) {
        let mut rest = arguments.iter().peekable();
        while let Some(word) = rest.next() {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (word.as_str(), rest.peek().map(|next| next.as_str())),
            };
            let file = value.filter(|_| FILE_OPTIONS.contains(&option));
            let file = file.and_then(|value| self.find_file(folder, value));
            // `cc -c a.c` compiles the file.
            self.found.extend(file.filter(|path| Family::of_path(path.as_str()) != Family::C));
        }
    }

    /// Adds the expected one of two files that are compared: the other is made by the command.
    fn add_compared(&mut self, arguments: &[String], folder: &str) {
        let named = arguments.iter().filter(|word| !word.starts_with('-') || word.len() == 1);
        let named: Vec<Option<RepoPath>> = named.map(|word| self.find_file(folder, word)).collect();
        if let [Some(only), None] | [None, Some(only)] | [Some(only)] = named.as_slice()
            // Code that is compared is the product's: generated code, for example.
            && !Family::of_path(only.as_str()).is_code()
        {
            self.found.insert(only.clone());
        }
    }

    /// Reads the script of `package.json` that a package manager runs, with those before and after it.
    fn read_package(&mut self, arguments: &[String], folder: &str) {
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let script = words.iter().find(|word| {
            !word.starts_with('-')
                && !matches!(**word, "run" | "run-script" | "exec")
                && !is_folder_of(&words, word)
        });
        let Some(script) = script else { return };
        let script = if *script == "t" { "test" } else { script };
        let Some(manifest) = self.find_file(folder, "package.json") else { return };
        let text = self.read(&manifest).unwrap_or_default();
        let manifest: Value = serde_json::from_str(&text).unwrap_or_default();
        for name in [format!("pre{script}"), script.to_owned(), format!("post{script}")] {
            let text = manifest.pointer(&format!("/scripts/{}", name.replace('/', "~1")));
            if let Some(text) = text.and_then(Value::as_str) {
                self.read_text(text, folder.to_owned(), folder);
            }
        }
    }

    /// Reads the recipes of a makefile. All of them: a target may be made by a pattern.
    fn read_recipes(&mut self, arguments: &[String], folder: &str) {
        let named = arguments.windows(2).find_map(|pair| match pair {
            [option, file] if matches!(option.as_str(), "-f" | "--file" | "--makefile") => {
                Some(file)
            }
            _ => None,
        });
        let names = ["GNUmakefile", "makefile", "Makefile", "justfile"];
        let mut names = named.map(String::as_str).into_iter().chain(names);
        let Some(makefile) = names.find_map(|name| self.find_file(folder, name)) else { return };
        let text = self.read(&makefile).unwrap_or_default();
        let is_new = self.found.insert(makefile);
        let recipes = text.lines().filter(|line| is_new && line.starts_with(['\t', ' ']));
        for line in recipes {
            self.read_text(
                line.trim_start().trim_start_matches(['@', '-', '+']),
                folder.to_owned(),
                folder,
            );
        }
    }

    /// Returns the regular file that a word names from a folder; `None` for anything else.
    fn find_file(&self, folder: &str, word: &str) -> Option<RepoPath> {
        let path = RepoPath::parse(&join(folder, word)?).ok()?;
        self.is_file(&path).then_some(path)
    }

    fn is_file(&self, path: &RepoPath) -> bool {
        matches!(self.tree.entry(path), Ok(Entry::File { .. }))
    }

    /// Returns a file as text; `None` if it cannot be read.
    fn read(&self, path: &RepoPath) -> Option<String> {
        let bytes = self.tree.read(path, MAX_BYTES).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Returns the folder that a program works in.
fn find_folder(arguments: &[String], folder: &str) -> String {
    let mut rest = arguments.iter().peekable();
    while let Some(word) = rest.next() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word.as_str(), rest.peek().map(|next| next.as_str())),
        };
        if FOLDER_OPTIONS.contains(&option)
            && let Some(below) = value.and_then(|value| join(folder, value))
        {
            return below;
        }
    }
    folder.to_owned()
}

/// Returns `true` if a word is the value of an option for a folder.
fn is_folder_of(words: &[&str], word: &str) -> bool {
    words.windows(2).any(|pair| FOLDER_OPTIONS.contains(&pair[0]) && pair[1] == word)
}

/// Returns the path of a word from a folder, without `.` and `..`; `None` for one outside of the repository.
fn join(folder: &str, word: &str) -> Option<String> {
    if word.starts_with(['/', '~']) || word.is_empty() {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(word.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns `true` if a name has one of the words, between any marks.
fn has_word(path: &str, words: &[&str]) -> bool {
    let lower = path.to_lowercase();
    lower.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| words.contains(&word))
}
