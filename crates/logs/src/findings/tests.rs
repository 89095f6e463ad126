//! Recorded reports of the scanners, and hostile ones.

use super::*;

const NPM: &str = include_str!("../../../../tests/findings/npm/report.json");
const PIP: &str = include_str!("../../../../tests/findings/pip/report.json");
const CARGO: &str = include_str!("../../../../tests/findings/cargo/report.json");
const GO: &str = include_str!("../../../../tests/findings/go/report.json");
const MAVEN: &str = include_str!("../../../../tests/findings/maven/report.json");

fn read(text: &str) -> FindingsReport {
    read_findings(text).unwrap()
}

/// Advisory and package, installed version, severity, and the fixed versions above the given one.
fn rows(text: &str, current: &str) -> Vec<String> {
    let row = |it: &Finding| {
        let installed = it.installed.first().map_or("-", PackageVersion::as_str);
        let targets: Vec<_> = it.targets(current).iter().map(ToString::to_string).collect();
        format!("{} {installed} {} [{}]", it.key(), it.severity.name(), targets.join(" "))
    };
    read(text).findings.iter().map(row).collect()
}

#[test]
fn a_name_or_version_that_a_shell_or_a_program_would_read_otherwise_is_none() {
    let long = "a".repeat(1 << 20);
    for name in [
        "", "--help", "-g", "a;rm -rf .", "../x", "@evil/../x", "@evil", "@/x", "@a/b/c",
        "/etc/passwd", "a b", "a\nb", "a\0b", "$(id)", "`id`", "a@1", "file:..", "https://evil/x",
        ".hidden", "а", &long,
    ] {
        for ecosystem in Ecosystem::ALL {
            assert_eq!(PackageName::parse(ecosystem, name), None, "{ecosystem:?} {name:.20}");
        }
        assert_eq!(PackageVersion::parse(name).filter(|_| name != "a;"), None, "{name:.20}");
    }
    for version in [
        "1.0 --registry=evil", "1.0;x", "1.0\n2", "../1", "git+ssh://x", "npm:evil@1", "-1", "*",
        "^1",
    ] {
        assert_eq!(PackageVersion::parse(version), None, "{version}");
    }
    for (ecosystem, name) in [
        (Ecosystem::Npm, "@scope/pkg.name"),
        (Ecosystem::PyPi, "zope.interface"),
        (Ecosystem::Cargo, "serde_json"),
        (Ecosystem::Go, "github.com/gogo/protobuf"),
        (Ecosystem::Maven, "org.apache.logging.log4j:log4j-core"),
    ] {
        assert!(PackageName::parse(ecosystem, name).is_some(), "{name}");
    }
    assert_eq!(PackageVersion::parse(" 1!2.0rc1+local ").unwrap().as_str(), "1!2.0rc1+local");
}

#[test]
fn hostile_entries_are_left_out_and_the_others_are_used() {
    let entry = |name: &str, id: &str| serde_json::json!({ "name": name, "version": "1.0", "vulns": [{ "id": id, "fix_versions": ["1.1", "1 --x", "$(id)"], "description": "a\u{1b}[31m\nb" }] });
    let report = serde_json::json!([
        entry("--index-url=evil", "X-1"),
        entry(&"n".repeat(1 << 20), "X-1"),
        entry("ok", "-x;y"),
        entry("ok", "X-2"),
    ]);
    let report = read(&report.to_string());
    assert_eq!(report.findings.len(), 1);
    let finding = &report.findings[0];
    assert_eq!(finding.targets("1.0").len(), 1);
    assert_eq!(finding.title, "a [31m b");
    assert_eq!(report.unused.len(), 3);
    assert!(report.unused.iter().all(|it| it.len() < 200), "{:?}", report.unused);
}

#[test]
fn very_many_findings_are_cut_and_very_deep_json_is_refused() {
    let vulns: Vec<_> = (0..100_000)
        .map(|number| serde_json::json!({ "id": format!("X-{number}"), "fix_versions": ["2"] }))
        .collect();
    let report = serde_json::json!([{ "name": "ok", "version": "1", "vulns": vulns }]);
    let report = read(&report.to_string());
    assert_eq!(report.findings.len(), 10_000);
    assert_eq!(report.unused, ["90000 further findings: at most 10000 are read"]);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(read_findings(&deep), Err(FindingsFault::NoJson(_))));
}

#[test]
fn a_weakness_in_several_files_is_one_finding_with_every_version_and_file() {
    let result = |path: &str, version: &str| {
        serde_json::json!({ "source": { "path": path }, "packages": [{
            "package": { "name": "a", "version": version, "ecosystem": "PyPI" },
            "vulnerabilities": [{ "id": "X-1", "affected": [{ "package": { "name": "a" },
                "ranges": [{ "type": "ECOSYSTEM", "events": [{ "introduced": "0" }, { "fixed": "2.1" }] }] }] }],
        }] })
    };
    let mut results = vec![result("/r/one.txt", "1.0"), result("/r/two.txt", "2.0")];
    results.extend((0..10_000).map(|number| result("/r/one.txt", &format!("1.{number}"))));
    let report = read(&serde_json::json!({ "results": results }).to_string());
    assert_eq!(report.findings.len(), 1);
    let finding = &report.findings[0];
    assert_eq!(finding.files, ["/r/one.txt", "/r/two.txt"]);
    assert_eq!(finding.installed.len(), 10_001);
    assert_eq!((finding.affected.len(), finding.fixed.len()), (1, 1));
}

#[test]
fn a_fixed_version_below_the_installed_one_is_no_target() {
    let report = r#"[{"name": "a", "version": "2.0", "vulns": [{"id": "X-1", "fix_versions": ["1.5", "2.0"]}]}]"#;
    assert_eq!(read(report).findings[0].targets("2.0"), []);
}

#[test]
fn other_texts_are_named_for_what_they_are() {
    for (text, words) in [
        ("", "no JSON"),
        ("{}", "no known report"),
        ("[1]", ""),
        (r#"{"runs": [{"results": []}]}"#, "--sarif"),
        (r#"{"actions": [], "advisories": {}}"#, "npm 6"),
        (
            r#"{"error": {"code": "ENOLOCK", "summary": "This command requires an existing lockfile."}}"#,
            "existing lockfile",
        ),
        (r#"{"message": "405 Method Not Allowed", "error": {"summary": ""}}"#, "405"),
    ] {
        let output = read_findings(text).map_or_else(|fault| fault.to_string(), |_| String::new());
        assert!(output.contains(words), "{text}: {output}");
    }
}

#[test]
fn recorded_reports_give_every_advisory_once_with_its_fixed_versions() {
    for (report, current, expected) in [
        (
            NPM,
            "1.2.0",
            &[
                "GHSA-xvch-5gv4-984h:minimist - critical [1.2.6]",
                "GHSA-hrpp-h998-j3pp:qs - high [6.7.3]",
                "GHSA-vh95-rmgr-6w4m:minimist - medium [1.2.3]",
                "GHSA-w7fw-mjwx-w883:qs - low []",
            ][..],
        ),
        (
            PIP,
            "1.26.20",
            &[
                "PYSEC-2021-66:jinja2 2.11.2 unknown [2.11.3]",
                "PYSEC-2026-1999:urllib3 1.26.20 unknown [2.5.0]",
            ],
        ),
        (
            CARGO,
            "0.1.45",
            &[
                "RUSTSEC-2020-0071:time 0.1.45 unknown [0.2.23]",
                "RUSTSEC-2022-0013:regex 1.5.1 unknown [1.5.5]",
            ],
        ),
        (GO, "1.3.1", &["GO-2021-0053:github.com/gogo/protobuf 1.3.1 high [1.3.2]"]),
        (
            MAVEN,
            "2.14.1",
            &[
                "GHSA-jfh8-c2jp-5v3q:org.apache.logging.log4j:log4j-core 2.14.1 critical [2.15.0]",
                "GHSA-7rjr-3q55-vv33:org.apache.logging.log4j:log4j-core 2.14.1 critical [2.16.0]",
            ],
        ),
    ] {
        assert_eq!(rows(report, current), expected);
    }
}

#[test]
fn between_two_fixed_versions_another_branch_counts_as_affected() {
    let report = r#"[{"name": "django", "version": "2.2.27", "vulns": [{"id": "X-1", "fix_versions": ["3.2.13", "2.2.28", "4.0.4"]}]}]"#;
    let report = read(report);
    let finding = &report.findings[0];
    let affected = ["2.2.27", "2.2.28", "3.0", "3.2.13", "4.0", "4.0.4", "5.0"];
    let affected: Vec<_> = affected.into_iter().filter(|it| finding.is_affected(it)).collect();
    assert_eq!(affected, ["2.2.27", "3.0", "4.0"]);
    assert_eq!(finding.targets("2.2.27")[0].as_str(), "2.2.28");
}

#[test]
fn a_page_of_snyk_has_open_package_issues_only() {
    let issue = |status: &str, ignored: bool, kind: &str| {
        serde_json::json!({ "id": "1", "type": "issue", "attributes": {
            "key": "SNYK-JS-MINIMIST-559764", "title": "Prototype Pollution", "type": kind,
            "status": status, "ignored": ignored, "effective_severity_level": "medium",
            "problems": [{ "id": "CVE-2020-7598", "source": "NVD" }],
            "coordinates": [{
                "remedies": [{ "type": "indeterminate", "details": { "upgrade_package": "1.2.3" } }],
                "representations": [{ "dependency": { "package_name": "minimist", "package_version": "1.2.0" } }],
            }],
        }})
    };
    let kind = "package_vulnerability";
    let page = serde_json::json!({
        "jsonapi": { "version": "1.0" },
        "data": [issue("open", false, kind), issue("resolved", false, kind), issue("open", true, kind), issue("open", false, "code")],
        "links": { "next": "/orgs/o/issues?starting_after=x" },
    });
    let page = read_snyk_page(&page, Ecosystem::Npm);
    assert_eq!(page.next.as_deref(), Some("/orgs/o/issues?starting_after=x"));
    assert_eq!(page.report.findings.len(), 1);
    assert_eq!(page.report.findings[0].targets("1.2.0")[0].as_str(), "1.2.3");
    assert_eq!(page.report.findings[0].aliases, ["CVE-2020-7598"]);
    let error = serde_json::json!({ "errors": [{ "status": "401", "code": "SNYK-0005", "title": "Unauthorized", "detail": "no" }] });
    assert_eq!(read_snyk_error(&error).as_deref(), Some("Unauthorized (SNYK-0005): no"));
}
