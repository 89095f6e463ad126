//! Reads the answers of Snyk's REST API: issues of a project, its kind, and errors.

use serde_json::Value;

use super::ecosystem::Ecosystem;
use super::entry::{first_versions, items_at, owned_at, read_fixed, start_finding, text_at};
use super::finding::{FindingsReport, Rating};
use super::name::PackageVersion;
use papayu_base::domain::ReportedFinding;

/// Kinds of projects and their package managers (<https://docs.snyk.io/snyk-api/reference/projects>).
const KINDS: [(&str, Ecosystem); 9] = [
    ("npm", Ecosystem::Npm),
    ("yarn", Ecosystem::Npm),
    ("pip", Ecosystem::PyPi),
    ("pipenv", Ecosystem::PyPi),
    ("poetry", Ecosystem::PyPi),
    ("cargo", Ecosystem::Cargo),
    ("gomodules", Ecosystem::Go),
    ("golangdep", Ecosystem::Go),
    ("maven", Ecosystem::Maven),
];

/// A page of issues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnykPage {
    /// The findings of the page.
    pub report: FindingsReport,
    /// The address of the next page, as the server wrote it; `None` on the last one.
    pub next: Option<String>,
}

/// Returns the package manager of a project's kind. `None` for a kind that is not updated here.
pub fn snyk_ecosystem(kind: &str) -> Option<Ecosystem> {
    KINDS.iter().find(|(known, _)| *known == kind).map(|(_, ecosystem)| *ecosystem)
}

/// Returns the findings of a page of issues. Issues that are resolved, ignored or not about packages are left out.
pub fn read_snyk_page(page: &Value, ecosystem: Ecosystem) -> SnykPage {
    let mut report = FindingsReport::default();
    let is_of_package =
        |issue: &&Value| text_at(issue, "/attributes/type") == Some("package_vulnerability");
    for issue in open_issues(page).filter(is_of_package) {
        for place in items_at(issue, "/attributes/coordinates") {
            read_place(issue, place, ecosystem, &mut report);
        }
    }
    SnykPage { report, next: next_link(page) }
}

/// Returns the open issues of a page, also those about code, with the address of the next page.
pub fn read_snyk_issues(page: &Value) -> (Vec<ReportedFinding>, Option<String>) {
    (open_issues(page).map(report_issue).collect(), next_link(page))
}

/// Returns the issues that are neither resolved nor ignored.
fn open_issues(page: &Value) -> impl Iterator<Item = &Value> {
    items_at(page, "/data").iter().filter(|issue| {
        text_at(issue, "/attributes/status") != Some("resolved")
            && issue.pointer("/attributes/ignored") != Some(&Value::Bool(true))
    })
}

/// Returns the address of the next page, as the server wrote it; `None` on the last one.
fn next_link(page: &Value) -> Option<String> {
    text_at(page, "/links/next").filter(|next| !next.is_empty()).map(str::to_owned)
}

/// Returns an issue with its title, severity and package, and the first place in the code that it names.
fn report_issue(issue: &Value) -> ReportedFinding {
    let places = items_at(issue, "/attributes/coordinates").iter();
    let places: Vec<&Value> = places.flat_map(|it| items_at(it, "/representations")).collect();
    let place = places.iter().find_map(|it| it.get("sourceLocation"));
    let package = places.iter().find_map(|it| {
        let name = text_at(it, "/dependency/package_name")?;
        let version = text_at(it, "/dependency/package_version").unwrap_or_default();
        Some(format!(" in {name} {version}"))
    });
    let title = text_at(issue, "/attributes/title").unwrap_or_default();
    let severity = text_at(issue, "/attributes/effective_severity_level").unwrap_or("unknown");
    let line = place.and_then(|it| it.pointer("/region/start/line")).and_then(Value::as_u64);
    ReportedFinding {
        source: "snyk".to_owned(),
        code: owned_at(issue, "/attributes/key"),
        message: format!("{title}{} ({severity})", package.unwrap_or_default().trim_end()),
        path: place.and_then(|it| text_at(it, "/file")).map(str::to_owned),
        line: line.and_then(|line| u32::try_from(line).ok()),
    }
}

/// Reads one coordinate of an issue: its packages, and the versions to upgrade to.
fn read_place(issue: &Value, place: &Value, ecosystem: Ecosystem, report: &mut FindingsReport) {
    let upgrades = items_at(place, "/remedies").iter();
    let upgrades = upgrades.filter_map(|it| text_at(it, "/details/upgrade_package"));
    // The package may be part of it: `minimist@1.2.6`.
    let upgrades = upgrades.map(|it| it.rsplit('@').next().unwrap_or(it).to_owned());
    let safe = read_fixed(ecosystem, &upgrades.collect::<Vec<_>>());
    let ids = items_at(issue, "/attributes/problems").iter().filter_map(|it| text_at(it, "/id"));
    for package in items_at(place, "/representations") {
        let Some(name) = text_at(package, "/dependency/package_name") else { continue };
        let Some(mut finding) = start_finding(ecosystem, name, report) else { continue };
        finding.advisory = owned_at(issue, "/attributes/key");
        finding.aliases = ids.clone().map(str::to_owned).collect();
        let installed =
            text_at(package, "/dependency/package_version").and_then(PackageVersion::parse);
        finding.installed.extend(installed);
        finding.safe.clone_from(&safe);
        finding.fixed = first_versions(&safe);
        let severity = text_at(issue, "/attributes/effective_severity_level");
        finding.severity = Rating::parse(severity.unwrap_or_default());
        finding.title = owned_at(issue, "/attributes/title");
        report.add(finding);
    }
}

/// Returns the first error of an answer in the API's own words: `Unauthorized (SNYK-0005): …`. `None` for an
/// answer without errors.
pub fn read_snyk_error(answer: &Value) -> Option<String> {
    let error = items_at(answer, "/errors").first()?;
    let part = |pointer: &str| text_at(error, pointer).map(str::to_owned);
    let code = part("/code").map(|code| format!(" ({code})")).unwrap_or_default();
    let detail = part("/detail").map(|detail| format!(": {detail}")).unwrap_or_default();
    Some(format!("{}{code}{detail}", part("/title").unwrap_or_default()))
}
