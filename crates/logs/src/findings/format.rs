//! Recognises the format of a report from its content, and reads it.

use serde_json::Value;

use super::ecosystem::Ecosystem;
use super::entry::{
    first_versions, items_at, owned_at, read_fixed, start_finding, text_at, texts_at,
};
use super::finding::{Finding, FindingsReport, Rating};
use super::name::PackageVersion;
use super::ranges::{read_cargo_range, read_npm_range};
use super::snyk::read_snyk_page;
use super::span::{Bound, VersionRange};

/// Most findings of a report that are read; a longer one is cut, with a remark.
const MAX_FINDINGS: usize = 10_000;

/// Longest message of a scanner that is quoted, in characters.
const MAX_QUOTE: usize = 200;

/// Why a report cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FindingsFault {
    /// It is no JSON, or nested too deep.
    #[error("no JSON: {0}")]
    NoJson(String),
    /// JSON of another kind.
    #[error(
        "no known report; `npm audit --json`, `cargo audit --json`, `pip-audit --format json`, `osv-scanner --format json`, \
         Snyk's REST API and SARIF are known"
    )]
    Unknown,
    /// The report of npm 6.
    #[error(
        "the report of npm 6; `npm audit --json` of npm 7 and later writes the form that is read"
    )]
    OldNpm,
    /// The scanner reports its own failure.
    #[error("the scanner failed: {0}")]
    Failed(String),
    /// SARIF, with results that are not about packages.
    #[error("a SARIF report, which `--sarif FILE` reads")]
    Sarif,
}

/// Returns the findings of a report of any known format.
///
/// # Errors
///
/// [`FindingsFault`] for a text that is no such report. An entry that cannot be used is no error, but listed.
///
/// ```
/// use papayu_logs::findings::read_findings;
///
/// let report = r#"[{"name": "jinja2", "version": "2.11.2", "vulns": [{"id": "PYSEC-2021-66", "fix_versions": ["2.11.3"]}]}]"#;
/// assert_eq!(read_findings(report).unwrap().findings[0].key(), "PYSEC-2021-66:jinja2");
/// ```
pub fn read_findings(text: &str) -> Result<FindingsReport, FindingsFault> {
    // serde_json refuses more than 128 levels.
    let text = text.trim_start_matches('\u{feff}');
    let root: Value =
        serde_json::from_str(text).map_err(|error| FindingsFault::NoJson(error.to_string()))?;
    let has = |pointer: &str| root.pointer(pointer).is_some();
    let mut report = FindingsReport::default();
    if has("/auditReportVersion") {
        read_npm(&root, &mut report);
    } else if has("/vulnerabilities/list") {
        read_cargo(&root, &mut report);
    } else if has("/results") && !has("/runs") {
        read_osv(&root, &mut report);
    } else if has("/dependencies/0/name") || root.is_array() || has("/fixes") {
        read_pip(root.get("dependencies").unwrap_or(&root), &mut report);
    } else if has("/jsonapi") && has("/data") {
        // The kind of project, which names the package manager, is in another answer of the API.
        let ecosystem = text_at(&root, "/ecosystem").and_then(Ecosystem::from_name);
        report = read_snyk_page(&root, ecosystem.ok_or(FindingsFault::Unknown)?).report;
    } else if has("/runs") {
        return Err(FindingsFault::Sarif);
    } else if has("/advisories") {
        return Err(FindingsFault::OldNpm);
    } else {
        let message = text_at(&root, "/error/summary").filter(|text| !text.is_empty());
        let message =
            message.or_else(|| text_at(&root, "/message")).ok_or(FindingsFault::Unknown)?;
        return Err(FindingsFault::Failed(message.chars().take(MAX_QUOTE).collect()));
    }
    let mut report = report.sorted();
    if report.findings.len() > MAX_FINDINGS {
        let more = report.findings.len() - MAX_FINDINGS;
        report.findings.truncate(MAX_FINDINGS);
        report.unused.push(format!("{more} further findings: at most {MAX_FINDINGS} are read"));
    }
    Ok(report)
}

/// Reads the report of npm 7 and later. Packages that are affected only through others have names in `via`, not advisories.
fn read_npm(root: &Value, report: &mut FindingsReport) {
    let entries = root.get("vulnerabilities").and_then(Value::as_object);
    for (name, entry) in entries.into_iter().flatten() {
        for via in items_at(entry, "/via").iter().filter(|via| via.is_object()) {
            let Some(mut finding) = start_finding(Ecosystem::Npm, name, report) else { break };
            let of_url = text_at(via, "/url").and_then(|url| url.rsplit('/').next());
            let number = via.get("source").and_then(Value::as_u64);
            finding.advisory = match of_url.filter(|id| id.starts_with("GHSA-")) {
                Some(id) => id.to_owned(),
                None => number.map(|number| format!("npm-{number}")).unwrap_or_default(),
            };
            finding.affected = read_npm_range(text_at(via, "/range").unwrap_or("*"));
            finding.severity = Rating::parse(text_at(via, "/severity").unwrap_or_default());
            finding.title = owned_at(via, "/title");
            report.add(finding);
        }
    }
}

/// Reads a report of cargo-audit in JSON.
fn read_cargo(root: &Value, report: &mut FindingsReport) {
    for entry in items_at(root, "/vulnerabilities/list") {
        let name = text_at(entry, "/package/name").unwrap_or_default();
        let Some(mut finding) = start_finding(Ecosystem::Cargo, name, report) else { continue };
        finding.advisory = owned_at(entry, "/advisory/id");
        finding.aliases = texts_at(entry, "/advisory/aliases");
        finding
            .installed
            .extend(text_at(entry, "/package/version").and_then(PackageVersion::parse));
        let spans = |pointer: &str| {
            let ranges = texts_at(entry, pointer);
            ranges.iter().filter_map(|it| read_cargo_range(it)).collect::<Vec<VersionRange>>()
        };
        finding.safe = spans("/versions/patched");
        finding.fixed = first_versions(&finding.safe);
        finding.safe.extend(spans("/versions/unaffected"));
        finding.title = owned_at(entry, "/advisory/title");
        report.add(finding);
    }
}

/// Reads a report of pip-audit in JSON.
fn read_pip(list: &Value, report: &mut FindingsReport) {
    for entry in items_at(list, "") {
        let name = text_at(entry, "/name").unwrap_or_default();
        // `pip-audit` lists what it could not audit without `vulns`.
        if let Some(reason) = text_at(entry, "/skip_reason") {
            report.skip(name, reason);
        }
        for weakness in items_at(entry, "/vulns") {
            let Some(mut finding) = start_finding(Ecosystem::PyPi, name, report) else { break };
            finding.advisory = owned_at(weakness, "/id");
            finding.aliases = texts_at(weakness, "/aliases");
            finding.installed.extend(text_at(entry, "/version").and_then(PackageVersion::parse));
            finding.safe = read_fixed(Ecosystem::PyPi, &texts_at(weakness, "/fix_versions"));
            finding.fixed = first_versions(&finding.safe);
            finding.title = owned_at(weakness, "/description");
            report.add(finding);
        }
    }
}

/// Reads a report of osv-scanner in JSON.
fn read_osv(root: &Value, report: &mut FindingsReport) {
    for result in items_at(root, "/results") {
        let file = text_at(result, "/source/path");
        for package in items_at(result, "/packages") {
            let name = text_at(package, "/package/name").unwrap_or_default();
            let ecosystem = text_at(package, "/package/ecosystem").unwrap_or_default();
            let Some(ecosystem) = Ecosystem::from_name(ecosystem) else {
                report.refuse(name, "its package manager is not supported");
                continue;
            };
            for weakness in items_at(package, "/vulnerabilities") {
                let Some(mut finding) = start_finding(ecosystem, name, report) else { break };
                finding.advisory = owned_at(weakness, "/id");
                finding.aliases = texts_at(weakness, "/aliases");
                finding
                    .installed
                    .extend(text_at(package, "/package/version").and_then(PackageVersion::parse));
                finding.affected = read_osv_ranges(weakness, &finding);
                finding.severity = read_osv_severity(package, weakness);
                finding.title = owned_at(weakness, "/summary");
                finding.files.extend(file.map(str::to_owned));
                report.add(finding);
            }
        }
    }
}

/// Returns the score of the group that the advisory is in, or the word of its database.
fn read_osv_severity(package: &Value, weakness: &Value) -> Rating {
    let id = text_at(weakness, "/id").unwrap_or_default();
    let is_in = |group: &&Value| texts_at(group, "/ids").iter().any(|known| known == id);
    let score = items_at(package, "/groups").iter().find(is_in);
    let score = score.and_then(|group| text_at(group, "/max_severity"));
    let word = || text_at(weakness, "/database_specific/severity");
    Rating::parse(score.filter(|it| !it.is_empty()).or_else(word).unwrap_or_default())
}

/// Returns the affected intervals of the finding's package. Events are pairs of a first affected version and a fixed one,
/// in ascending order (<https://ossf.github.io/osv-schema/>).
fn read_osv_ranges(weakness: &Value, finding: &Finding) -> Vec<VersionRange> {
    let is_same = |affected: &&Value| {
        text_at(affected, "/package/name").is_some_and(|it| it == finding.package.as_str())
    };
    let affected = items_at(weakness, "/affected").iter().filter(is_same);
    // A range of commits has no versions.
    let ranges = affected.flat_map(|it| items_at(it, "/ranges"));
    let ranges = ranges.filter(|range| text_at(range, "/type") != Some("GIT"));
    let mut spans = Vec::new();
    for range in ranges {
        let mut open: Option<VersionRange> = None;
        for event in items_at(range, "/events") {
            let version = |key: &str| text_at(event, key).and_then(PackageVersion::parse);
            if let Some(version) = version("/introduced") {
                spans.extend(open.take());
                open = Some(VersionRange::since(version));
            } else if let Some(version) = version("/fixed") {
                let to = Some(Bound { version, is_inclusive: false });
                spans.extend(open.take().map(|span| VersionRange { to, ..span }));
            } else if let Some(version) = version("/last_affected") {
                let to = Some(Bound { version, is_inclusive: true });
                spans.extend(open.take().map(|span| VersionRange { to, ..span }));
            }
        }
        spans.extend(open);
    }
    spans
}
