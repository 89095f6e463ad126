//! A finding: a package with versions that have a known weakness.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::ecosystem::Ecosystem;
use super::name::{PackageName, PackageVersion};
use super::span::VersionRange;

/// Longest title kept, in characters.
const MAX_TITLE: usize = 200;

/// Most intervals, and most fixed versions, that the entries on one weakness add up to.
const MAX_PARTS: usize = 1000;

/// Longest identifier of an advisory, in characters.
const MAX_ADVISORY: usize = 60;

/// The rating of a weakness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rating {
    /// The scanner does not rate it.
    #[default]
    Unknown,
    /// Low.
    Low,
    /// Medium, or moderate.
    Medium,
    /// High.
    High,
    /// Critical.
    Critical,
}

impl Rating {
    /// Returns the rating of a word of any scanner, or of a CVSS score by the bands of CVSS 3.
    pub fn parse(text: &str) -> Self {
        if let Ok(score) = text.trim().parse::<f32>() {
            return match score {
                score if score >= 9.0 => Self::Critical,
                score if score >= 7.0 => Self::High,
                score if score >= 4.0 => Self::Medium,
                score if score > 0.0 => Self::Low,
                _ => Self::Unknown,
            };
        }
        match text.to_ascii_lowercase().as_str() {
            "critical" => Self::Critical,
            "high" => Self::High,
            "medium" | "moderate" => Self::Medium,
            "low" => Self::Low,
            _ => Self::Unknown,
        }
    }

    /// Returns the word in outcomes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// A package with versions that have a known weakness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The identifier of the advisory: `GHSA-…`, `RUSTSEC-…`, `CVE-…`.
    pub advisory: String,
    /// Other identifiers of the same weakness.
    pub aliases: Vec<String>,
    /// The package manager.
    pub ecosystem: Ecosystem,
    /// The package.
    pub package: PackageName,
    /// The versions that the scanner saw, without repetitions; not every scanner reports them.
    pub installed: Vec<PackageVersion>,
    /// Versions with the weakness; empty if the scanner names only the fixed ones.
    pub affected: Vec<VersionRange>,
    /// The versions in which the weakness was fixed.
    pub fixed: Vec<PackageVersion>,
    /// Versions without it, as far as the scanner names them.
    pub safe: Vec<VersionRange>,
    /// The rating.
    pub severity: Rating,
    /// The advisory's title: one line; untrusted.
    pub title: String,
    /// The manifests and lock files that the scanner read, as it wrote the paths; untrusted.
    pub files: Vec<String>,
}

/// The findings of one report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindingsReport {
    /// Without repetitions, the worst first, and in the order of the report among equals.
    pub findings: Vec<Finding>,
    /// Entries that are not used, each with the reason.
    pub unused: Vec<String>,
    /// Packages that the scanner could not check, each with the reason.
    pub skipped: Vec<String>,
}

impl Finding {
    /// Returns `true` if the version has the weakness.
    pub fn is_affected(&self, version: &str) -> bool {
        // The scanner reported this version, so a fixed version of an older branch below it proves nothing.
        if self.installed.iter().any(|it| it.as_str() == version) {
            return true;
        }
        let is_in =
            |spans: &[VersionRange]| spans.iter().any(|it| it.contains(self.ecosystem, version));
        if self.affected.is_empty() { !is_in(&self.safe) } else { is_in(&self.affected) }
    }

    /// Returns the versions above `current` that the advisory names as fixed, the lowest first.
    pub fn targets(&self, current: &str) -> Vec<PackageVersion> {
        let mut found = self.fixed.clone();
        // A fixed version below the installed one would be a downgrade.
        found.retain(|it| {
            let is_above = self.ecosystem.compare(it.as_str(), current).is_gt();
            is_above && !self.is_affected(it.as_str())
        });
        found.sort_by(|one, other| self.ecosystem.compare(one.as_str(), other.as_str()));
        found.dedup();
        found
    }

    /// Returns `true` if the other finding is about the same weakness of the same package.
    pub fn is_same(&self, other: &Self) -> bool {
        let names = |it: &Self| [vec![it.advisory.clone()], it.aliases.clone()].concat();
        self.ecosystem == other.ecosystem
            && self.canonical_package() == other.canonical_package()
            && names(self).iter().any(|name| names(other).contains(name))
    }

    /// Returns the package's name in the form in which names of one package are equal: for `PyPI` in lower case with
    /// `-` for each run of `-`, `_` and `.` (PEP 503).
    fn canonical_package(&self) -> String {
        let name = self.package.to_string();
        if self.ecosystem != Ecosystem::PyPi {
            return name;
        }
        let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("-").to_lowercase()
    }

    /// Adds the versions and files of another entry on the same weakness.
    fn absorb(&mut self, other: Self) {
        add_new(&mut self.affected, other.affected);
        add_new(&mut self.safe, other.safe);
        add_new(&mut self.fixed, other.fixed);
        self.installed.extend(other.installed);
        self.files.extend(other.files);
        self.severity = self.severity.max(other.severity);
    }

    /// Returns the name of the task: advisory and package.
    pub fn key(&self) -> String {
        format!("{}:{}", self.advisory, self.package)
    }
}

impl FindingsReport {
    /// Adds a finding, with its texts made safe to print.
    pub(super) fn add(&mut self, mut finding: Finding) {
        // A range that excludes its end names the fixed version with it.
        let ends = finding.affected.iter().filter_map(|span| span.to.as_ref());
        let ends = ends.filter(|bound| !bound.is_inclusive).map(|bound| bound.version.clone());
        finding.fixed.extend(ends);
        finding.title = one_line(&finding.title, MAX_TITLE);
        finding.aliases.retain(|alias| is_advisory(alias));
        if is_advisory(&finding.advisory) {
            self.findings.push(finding);
        } else {
            self.refuse(&finding.advisory, "its advisory has no usable identifier");
        }
    }

    /// Adds the findings of another page.
    pub fn merge(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.unused.extend(other.unused);
        self.skipped.extend(other.skipped);
    }

    /// Adds an entry that is not used.
    pub(super) fn refuse(&mut self, name: &str, reason: &str) {
        self.unused.push(format!("`{}`: {reason}", one_line(name, MAX_ADVISORY)));
    }

    /// Adds a package that the scanner could not check.
    pub(super) fn skip(&mut self, name: &str, reason: &str) {
        let (name, reason) = (one_line(name, MAX_ADVISORY), one_line(reason, MAX_TITLE));
        self.skipped.push(format!("`{name}`: the scanner skipped it: {reason}"));
    }

    /// Returns the report with one finding for each advisory and package, the worst first. A scanner that reads several
    /// files repeats the finding for each file and version.
    #[must_use]
    pub fn sorted(self) -> Self {
        let mut places: HashMap<(String, Ecosystem), usize> = HashMap::new();
        let mut merged: Vec<Finding> = Vec::new();
        for finding in self.findings {
            let place = *places.entry((finding.key(), finding.ecosystem)).or_insert(merged.len());
            match merged.get_mut(place) {
                Some(known) => known.absorb(finding),
                None => merged.push(finding),
            }
        }
        for finding in &mut merged {
            let mut seen = HashSet::new();
            finding.installed.retain(|it| seen.insert(it.clone()));
            let mut seen = HashSet::new();
            finding.files.retain(|it| seen.insert(it.clone()));
        }
        merged.sort_by_key(|it| Reverse(it.severity));
        Self { findings: merged, ..self }
    }
}

/// Adds the items that a list does not have yet, up to its limit.
fn add_new<T: PartialEq>(list: &mut Vec<T>, more: Vec<T>) {
    for item in more {
        if list.len() < MAX_PARTS && !list.contains(&item) {
            list.push(item);
        }
    }
}

/// Returns `true` for an identifier of letters, digits and a few marks: it becomes a part of messages and of names.
fn is_advisory(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.len() <= MAX_ADVISORY
        && text.chars().all(|char| char.is_ascii_alphanumeric() || "-_.:".contains(char))
}

/// Returns a text in one line without control characters, cut.
fn one_line(text: &str, max: usize) -> String {
    let text = text.chars().take(max).map(|char| if char.is_control() { ' ' } else { char });
    text.collect::<String>().trim().to_owned()
}
