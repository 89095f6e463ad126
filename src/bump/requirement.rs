//! Reads requirements of pip with the places of their versions.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use papayu_base::text::NamedRequirement;
use papayu_logs::findings::{Ecosystem, Finding, PackageVersion};

/// Operators of PEP 440, the longer ones first.
const OPERATORS: [&str; 8] = ["===", "==", "~=", "!=", "<=", ">=", "<", ">"];

/// One condition of a requirement.
pub(super) struct Clause {
    /// As written, for example `>=`.
    pub(super) operator: &'static str,
    pub(super) version: String,
    /// Bytes of the version in the file.
    pub(super) range: Range<usize>,
}

/// A requirement (PEP 508) of the finding's package.
pub(super) struct Requirement {
    pub(super) clauses: Vec<Clause>,
    /// `true` if it pins the digests of its files, so that an edit of the version alone would break it.
    pub(super) has_hashes: bool,
}

impl Requirement {
    /// Returns the condition that names a single version. `None` if it is a range.
    pub(super) fn pin(&self) -> Option<&Clause> {
        let is_pin =
            |it: &&Clause| matches!(it.operator, "==" | "===") && !it.version.contains('*');
        self.clauses.iter().find(is_pin)
    }
}

/// Returns the pinned versions of a package in a manifest. A requirement without a pin has the lowest version that the
/// scanner saw and that its lower bound admits, else that bound.
pub(super) fn read_requirement_versions(path: &str, text: &str, finding: &Finding) -> Vec<String> {
    let requirements = read_requirements(path, text, finding.package.as_str());
    let versions = requirements.iter().filter_map(|requirement| {
        let bound = |operators: &[&str]| {
            requirement.clauses.iter().find(|it| operators.contains(&it.operator))
        };
        let pin = requirement.pin();
        let lowest = bound(&[">=", "~="]).map(|it| it.version.clone());
        let admits = |version: &&PackageVersion| {
            let order = lowest.as_ref().map(|it| Ecosystem::PyPi.compare(it, version.as_str()));
            order.is_none_or(std::cmp::Ordering::is_le)
        };
        let seen = finding.installed.iter().filter(admits);
        let seen = seen.min_by(|one, other| Ecosystem::PyPi.compare(one.as_str(), other.as_str()));
        match (pin, seen) {
            (Some(pin), _) => Some(pin.version.clone()),
            (None, Some(seen)) => Some(seen.to_string()),
            (None, None) => lowest,
        }
    });
    versions.collect()
}

/// Returns `true` for the path of a `pyproject.toml`.
pub(super) fn is_toml(path: &str) -> bool {
    path.strip_suffix(".toml").is_some()
}

/// Returns the requirements of a package in a manifest.
pub(super) fn read_requirements(path: &str, text: &str, package: &str) -> Vec<Requirement> {
    let places = if is_toml(path) { find_in_toml(text) } else { find_in_lines(text) };
    let places = places.into_iter();
    places.filter_map(|place| read_requirement(text, place, package)).collect()
}

/// Returns the lines of requirements; one that ends with `\` goes on in the next.
fn find_in_lines(text: &str) -> Vec<Range<usize>> {
    let (mut places, mut start, mut is_open) = (Vec::new(), 0, false);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if !is_open {
            start = at;
        }
        at += line.len();
        is_open = line.trim_end().ends_with('\\');
        if !is_open {
            places.push(start..at);
        }
    }
    places
}

/// Returns the texts of the lists of requirements in a `pyproject.toml`, without their quotes.
fn find_in_toml(text: &str) -> Vec<Range<usize>> {
    let Ok(table) = DeTable::parse(text) else { return Vec::new() };
    let root = table.get_ref();
    let get = |table: &'_ DeTable<'_>, key: &str| -> Option<Vec<Range<usize>>> {
        Some(text_ranges(table.get(key)?.get_ref(), text))
    };
    let mut places = Vec::new();
    if let Some(DeValue::Table(project)) = root.get("project").map(Spanned::get_ref) {
        places.extend(get(project, "dependencies").into_iter().flatten());
        places.extend(get(project, "optional-dependencies").into_iter().flatten());
    }
    places.extend(get(root, "dependency-groups").into_iter().flatten());
    places.sort_by_key(|place| place.start);
    places
}

/// Returns the places of the texts in a list, or in a table of lists.
fn text_ranges(value: &DeValue<'_>, text: &str) -> Vec<Range<usize>> {
    match value {
        DeValue::Array(items) => {
            let texts = items.iter().filter(|item| item.get_ref().is_str());
            let inner = texts.map(|item| item.span().start + 1..item.span().end.saturating_sub(1));
            // An escape would move the bytes.
            let is_plain = |place: &Range<usize>| {
                text.get(place.clone())
                    .is_some_and(|it| !it.contains(['\\', '"', '\'']) || it.contains(';'))
            };
            inner.filter(is_plain).collect()
        }
        DeValue::Table(lists) => {
            lists.iter().flat_map(|(_, list)| text_ranges(list.get_ref(), text)).collect()
        }
        _ => Vec::new(),
    }
}

/// Reads the requirement at a place; `None` for other lines and other packages.
fn read_requirement(text: &str, place: Range<usize>, package: &str) -> Option<Requirement> {
    let whole = text.get(place.clone())?;
    let NamedRequirement { name, rest } = papayu_base::text::read_requirement(whole)?;
    if normalize_name(name) != normalize_name(package) {
        return None;
    }
    let end = rest.find([';', '#', '@', '\\']).unwrap_or(rest.len());
    let end = rest.find(" --").unwrap_or(end).min(end);
    let mut clauses = Vec::new();
    let mut offset = place.end - rest.len();
    for part in rest.get(..end)?.split(',') {
        clauses.extend(read_clause(part, offset));
        offset += part.len() + 1;
    }
    Some(Requirement { clauses, has_hashes: whole.contains("--hash") })
}

/// Reads one condition of a requirement such as `>=1.2`, with the bytes of its version in the whole text, in
/// which the part begins at `offset`. `None` without an operator or a version.
fn read_clause(part: &str, offset: usize) -> Option<Clause> {
    let is_mark = |char: char| char.is_whitespace() || char == '(';
    let start = part.len() - part.trim_start_matches(is_mark).len();
    let operator = OPERATORS
        .into_iter()
        .find(|it| part.get(start..).is_some_and(|rest| rest.starts_with(it)))?;
    let rest = part.get(start + operator.len()..)?;
    let version = rest.trim_matches(|char: char| char.is_whitespace() || char == ')');
    let from = offset + start + operator.len() + rest.find(version)?;
    let range = from..from + version.len();
    (!version.is_empty()).then(|| Clause { operator, version: version.to_owned(), range })
}

/// Returns a name in the form in which registries compare it (PEP 503).
pub(crate) fn normalize_name(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}
