//! Judges a change as a whole: what it adds here and takes there nets out.

use super::measure::{Mark, surplus};
use super::syntax::Syntax;
use super::tests_compared::{self, Tests};
use super::token::{Cut, cut};
use super::{comments, limits, lines, marks, settings, settings_table};
use crate::lang::{Family, concerns_tests};

/// One file of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileChange<'a> {
    /// Its path in the repository.
    pub path: &'a str,
    /// Its text before; empty for a new file.
    pub before: &'a str,
    /// Its text after; empty for one that goes.
    pub after: &'a str,
}

/// A weakening: where it is, and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weakening {
    /// The file.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// What the change does there, as the end of a sentence that begins with it.
    pub rule: String,
    /// Whether the line is one of the file as it was.
    pub is_before: bool,
}

/// Returns every weakening, files in the order given; none for a change that weakens nothing.
pub fn judge(changes: &[FileChange<'_>]) -> Vec<Weakening> {
    let cuts: Vec<(Cut, Cut)> = changes
        .iter()
        .map(|change| {
            let syntax = Syntax::of(Family::of_path(change.path));
            (cut(change.before, syntax), cut(change.after, syntax))
        })
        .collect();
    let tests = |after: bool| -> Vec<Tests<'_>> {
        let files = changes.iter().zip(&cuts);
        files
            .map(|(change, (old, new))| {
                let tokens = if after { &new.tokens } else { &old.tokens };
                Tests::of(change.path, tokens, Family::of_path(change.path))
            })
            .collect()
    };
    let (tests_before, tests_after) = (tests(false), tests(true));
    let mut found = Vec::new();
    tests_compared::compare(&tests_before, &tests_after, &mut found);
    let has_tests: Vec<bool> = tests_before
        .iter()
        .zip(&tests_after)
        .zip(changes)
        .map(|((old, new), change)| {
            !old.items.is_empty() || !new.items.is_empty() || concerns_tests(change.path)
        })
        .collect();
    let all_marks = |after: bool| -> Vec<(usize, Mark)> {
        let mut all = Vec::new();
        for (at, (change, cuts)) in changes.iter().zip(&cuts).enumerate() {
            let (text, cut) =
                if after { (change.after, &cuts.1) } else { (change.before, &cuts.0) };
            let with_tests = has_tests.get(at).copied().unwrap_or(false);
            all.extend(
                of_file(change.path, text, cut, with_tests).into_iter().map(|mark| (at, mark)),
            );
        }
        all
    };
    added(changes, &all_marks(false), &all_marks(true), &mut found);
    for (change, (old, new)) in changes.iter().zip(&cuts) {
        of_settings(change, (old, new), &mut found);
    }
    found
}

fn of_file(path: &str, text: &str, cut: &Cut, has_tests: bool) -> Vec<Mark> {
    let mut found = Vec::new();
    if text.is_empty() {
        return found;
    }
    let language = Family::of_path(path);
    comments::find(&cut.comments, language == Family::Rust, &mut found);
    marks::find(&marks::Searched { path, language, tokens: &cut.tokens, has_tests }, &mut found);
    lines::find(path, text, &mut found);
    found
}

/// Adds the marks that are more than before, where the file has more of them.
fn added(
    changes: &[FileChange<'_>],
    before: &[(usize, Mark)],
    after: &[(usize, Mark)],
    found: &mut Vec<Weakening>,
) {
    let all =
        |marks: &'_ [(usize, Mark)]| marks.iter().map(|(_, mark)| mark.clone()).collect::<Vec<_>>();
    let (was, is) = (all(before), all(after));
    let more = surplus(&is, &was);
    let mut left: std::collections::HashMap<(&str, String), usize> =
        std::collections::HashMap::new();
    for mark in more {
        *left.entry((mark.rule, mark.key.clone())).or_default() += 1;
    }
    for (at, change) in changes.iter().enumerate() {
        let of = |marks: &[(usize, Mark)]| {
            marks
                .iter()
                .filter(|(file, _)| *file == at)
                .map(|(_, mark)| mark.clone())
                .collect::<Vec<_>>()
        };
        let (old, new) = (of(before), of(after));
        for mark in surplus(&new, &old) {
            let Some(count) = left.get_mut(&(mark.rule, mark.key.clone())).filter(|it| **it > 0)
            else {
                continue;
            };
            *count -= 1;
            let key: String = mark.key.chars().take(60).collect();
            found.push(Weakening {
                path: change.path.to_owned(),
                line: mark.line,
                rule: format!("{}: `{key}`", mark.rule),
                is_before: false,
            });
        }
    }
}

fn of_settings(change: &FileChange<'_>, (old, new): (&Cut, &Cut), found: &mut Vec<Weakening>) {
    let FileChange { path, before, after } = *change;
    let language = Family::of_path(path);
    let mut push = |line: usize, rule: String, is_before: bool| {
        found.push(Weakening { path: path.to_owned(), line, rule, is_before });
    };
    if settings_table::is_known(path) {
        let was = settings::read_settings(path, before, &old.tokens);
        let is = settings::read_settings(path, after, &new.tokens);
        // Of settings that cannot be read it is not known what they leave out. Templates of YAML never can.
        let is_template = before.is_empty() && settings_table::is_any_yaml(path);
        if let Some(line) = is.broken_at.filter(|_| was.broken_at.is_none() && !is_template) {
            push(line, "writes settings that cannot be read".to_owned(), false);
        }
        for (mark, is_before) in settings_table::compare(path, &was, &is) {
            let key: String = mark.key.chars().take(60).collect();
            push(mark.line, format!("{}: `{key}`", mark.rule), is_before);
        }
    }
    let (was, is) = (lines::recipes(path, before), lines::recipes(path, after));
    for mark in surplus(&was, &is) {
        push(mark.line, format!("{}: `{}`", mark.rule, mark.key), true);
    }
    let limits = |text: &str| limits::find(text, language);
    if let Some(limit) = limits::rises(&limits(before), &limits(after)) {
        push(limit.line, format!("lengthens a time limit of tests: `{}`", limit.what), false);
    }
}
