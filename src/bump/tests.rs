//! Updates in real folders, for the package managers whose manifests are edited without a command.
#![expect(clippy::disallowed_methods, reason = "manifests are read from real folders")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::*;
use papayu_logs::findings::{Finding, read_findings};
use papayu_system::os::{OsClock, OsDisk, OsHttp, OsProcess};
use papayu_system::{CommandNetwork, Disk as _, System};

fn finding(ecosystem: &str, name: &str, installed: &str, fixed: &str) -> Finding {
    let report = serde_json::json!({ "results": [{
        "source": { "path": "/elsewhere/../../etc/passwd" },
        "packages": [{
            "package": { "name": name, "version": installed, "ecosystem": ecosystem },
            "vulnerabilities": [{ "id": "X-1", "affected": [{
                "package": { "name": name },
                "ranges": [{ "type": "ECOSYSTEM", "events": [{ "introduced": "0" }, { "fixed": fixed }] }],
            }]}],
        }],
    }]});
    read_findings(&report.to_string()).unwrap().findings.remove(0)
}

fn plan(root: &Path, finding: &Finding) -> Result<Bump, Unbumped> {
    let flag = Arc::new(AtomicBool::new(false));
    let (process, clock) = (OsProcess::new(flag.clone(), Vec::new()), OsClock::new(flag.clone()));
    let http = OsHttp::new(flag);
    let system = System { disk: &OsDisk, process: &process, http: &http, clock: &clock };
    let tree = OsDisk.open_tree(root).unwrap();
    let config = BumpConfig {
        timeout: Duration::from_mins(1),
        max_output: 1 << 20,
        keep_env: Vec::new(),
        network: CommandNetwork::Off,
    };
    plan_bump(BumpTools::new(system, tree.as_ref(), &config), finding)
}

/// Returns the new text of the only file of an update, or the reason why there is none.
fn bumped(name: &str, text: &str, finding: &Finding) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    let result = match plan(folder.path(), finding) {
        Ok(bump) => {
            assert_eq!(bump.files.len(), 1);
            assert_eq!(bump.files[0].path.as_str(), name);
            bump.files[0].after.clone()
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(fs::read_to_string(&path).unwrap(), text, "the repository is unchanged");
    result
}

/// Returns every file of an update with its new text, or the reason why there is none.
fn bumped_all(files: &[(&str, &str)], finding: &Finding) -> Result<Vec<(String, String)>, String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let bump = plan(folder.path(), finding).map_err(|error| error.to_string())?;
    let mut changed: Vec<_> =
        bump.files.iter().map(|it| (it.path.to_string(), it.after.clone())).collect();
    changed.sort();
    let mut updated: Vec<_> = bump.updated().map(|it| it.file.to_string()).collect();
    updated.sort();
    assert_eq!(changed.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>(), updated);
    Ok(changed)
}

fn own(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn an_affected_version_that_stays_in_any_file_is_no_update() {
    let finding = finding("PyPI", "jinja2", "2.11.2", "2.11.3");
    let hashes = "jinja2==2.10 --hash=sha256:abc\n";
    let files = [("requirements.txt", "jinja2==2.11.2\n"), ("tools/requirements-dev.txt", hashes)];
    assert_eq!(
        bumped_all(&files, &finding).unwrap_err(),
        "`tools/requirements-dev.txt`: its requirement has hashes of the files; `requirements.txt` would be updated"
    );
    let poetry = "[[package]]\nname = \"jinja2\"\nversion = \"2.11.2\"\n";
    let files = [("requirements.txt", "jinja2==2.11.2\n"), ("app/poetry.lock", poetry)];
    let error = bumped_all(&files, &finding).unwrap_err();
    assert!(
        error.starts_with("`app/poetry.lock`: it has `jinja2` 2.11.2, and its tool"),
        "{error}"
    );
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("requirements.txt"), "jinja2==2.11.2\n").unwrap();
    let utf16: Vec<u8> = "jinja2==2.11.2".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(folder.path().join("requirements-win.txt"), [&[0xff, 0xfe], &utf16[..]].concat())
        .unwrap();
    let error = plan(folder.path(), &finding).unwrap_err().to_string();
    assert!(error.contains("`requirements-win.txt`: it is not UTF-8"), "{error}");
}

#[test]
fn every_requirement_file_with_an_affected_version_is_updated() {
    let finding = finding("PyPI", "jinja2", "2.11.2", "2.11.3");
    let files = [
        ("requirements.txt", "jinja2==2.11.2\n"),
        ("requirements-dev.txt", "jinja2==2.10\n"),
        ("docs/requirements.txt", "Jinja2==2.11.3\n"),
        ("services/a/requirements/base.txt", "JINJA2[i18n]==2.11.2\n"),
    ];
    let expected = own(&[
        ("requirements-dev.txt", "jinja2==2.11.3\n"),
        ("requirements.txt", "jinja2==2.11.3\n"),
        ("services/a/requirements/base.txt", "JINJA2[i18n]==2.11.3\n"),
    ]);
    assert_eq!(bumped_all(&files, &finding).unwrap(), expected);
}

#[test]
fn an_open_requirement_stays_where_another_file_pins_the_version() {
    let finding = finding("PyPI", "jinja2", "2.11.2", "2.11.3");
    let open = "[project]\ndependencies = [\"jinja2\"]\n";
    let lower = "[project]\ndependencies = [\"jinja2>=2.0\"]\n";
    let pinned = ("requirements.txt", "jinja2==2.11.2\n");
    for text in [open, lower] {
        let changed = bumped_all(&[("pyproject.toml", text), pinned], &finding).unwrap();
        assert_eq!(changed, own(&[("requirements.txt", "jinja2==2.11.3\n")]));
    }
    let closed = "[project]\ndependencies = [\"jinja2>=2.0,<2.11.3\"]\n";
    let error = bumped_all(&[("pyproject.toml", closed), pinned], &finding).unwrap_err();
    assert!(error.contains("`pyproject.toml`: `jinja2<2.11.3` excludes 2.11.3"), "{error}");
}

#[test]
fn the_poms_of_all_modules_are_updated_and_a_property_in_that_of_the_parent() {
    let finding = finding("Maven", "org.x:core", "2.14.1", "2.15.0");
    let parent = |version: &str| {
        format!(
            "<project><properties><x.version>{version}</x.version><y>2.14.1</y></properties></project>"
        )
    };
    let module = |version: &str| {
        format!(
            "<project><dependencies><dependency><groupId>org.x</groupId><artifactId>core</artifactId><version>{version}</version></dependency></dependencies></project>"
        )
    };
    let (property, old, new) = (module("${x.version}"), module("2.14.0"), module("2.15.0"));
    let (before, after) = (parent("2.14.1"), parent("2.15.0"));
    let files = [
        ("pom.xml", before.as_str()),
        ("a/pom.xml", &property),
        ("b/c/pom.xml", &property),
        ("b/d/pom.xml", &old),
        (
            "other/pom.xml",
            "<project><properties><x.version>2.14.1</x.version></properties></project>",
        ),
    ];
    let expected = own(&[("b/d/pom.xml", &new), ("pom.xml", &after)]);
    assert_eq!(bumped_all(&files, &finding).unwrap(), expected);
}

#[test]
fn a_package_that_no_manifest_has_is_never_added() {
    let finding = finding("PyPI", "evil", "1.0", "6.6.6");
    for (name, text) in [
        ("requirements.txt", "good==1.0\n# evil==1.0\n-r evil==1.0\ngood-evil==1.0\n"),
        ("pyproject.toml", "[project]\nname = \"evil\"\nversion = \"1.0\"\n"),
    ] {
        assert_eq!(
            bumped(name, text, &finding),
            "no requirements*.txt or pyproject.toml of the repository has `evil`"
        );
    }
}

#[test]
fn a_link_out_of_the_repository_is_not_read() {
    let (outside, inside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(outside.path().join("requirements.txt"), "a==1.0\n").unwrap();
    let link = inside.path().join("requirements.txt");
    std::os::unix::fs::symlink(outside.path().join("requirements.txt"), link).unwrap();
    let error = plan(inside.path(), &finding("PyPI", "a", "1.0", "1.1")).unwrap_err();
    assert!(matches!(error, Unbumped::NotThere { .. }), "{error}");
}

#[test]
fn requirements_change_in_the_version_only() {
    let finding = finding("PyPI", "Jinja2", "2.11.2", "2.11.3");
    for (before, after) in [
        ("jinja2==2.11.2\n", "jinja2==2.11.3\n"),
        (
            "  JINJA2 [i18n] == 2.11.2 ; python_version < '4'  # why\r\n",
            "  JINJA2 [i18n] == 2.11.3 ; python_version < '4'  # why\r\n",
        ),
        ("a==1\njinja2>=2.11.2,<3\nb==2", "a==1\njinja2>=2.11.3,<3\nb==2"),
        ("jinja2===2.11.2\njinja2==2.10", "jinja2===2.11.3\njinja2==2.11.3"),
    ] {
        assert_eq!(bumped("requirements/prod.txt", before, &finding), after);
    }
    for (text, words) in [
        ("jinja2==2.11.2 --hash=sha256:abc\n", "hashes"),
        ("jinja2>=2.11.2,<2.11.3\n", "excludes 2.11.3"),
        ("jinja2~=2.11.2\n", "excludes"),
        ("jinja2\n", "no version to raise"),
        ("jinja2==2.11.3\n", "2.11.3, which is not affected"),
        ("jinja2 @ https://evil/x.whl\n", "no version to raise"),
    ] {
        let message = bumped("requirements.txt", text, &finding);
        assert!(message.contains(words), "{text}: {message}");
    }
}

#[test]
fn a_pyproject_changes_in_its_lists_of_requirements_only() {
    let finding = finding("PyPI", "jinja2", "2.11.2", "2.11.3");
    let text = "[project]\ndescription = \"jinja2==2.11.2\"\ndependencies = [\n  \"a==1\", # jinja2==2.11.2\n  'jinja2==2.11.2',\n]\n[project.optional-dependencies]\nx = [\"jinja2>=2.11.2; python_version > '3'\"]\n[tool.x]\ny = [\"jinja2==2.11.2\"]\n";
    let expected = "[project]\ndescription = \"jinja2==2.11.2\"\ndependencies = [\n  \"a==1\", # jinja2==2.11.2\n  'jinja2==2.11.3',\n]\n[project.optional-dependencies]\nx = [\"jinja2>=2.11.3; python_version > '3'\"]\n[tool.x]\ny = [\"jinja2==2.11.2\"]\n";
    assert_eq!(bumped("pyproject.toml", text, &finding), expected);
}

#[test]
fn a_pom_changes_where_the_version_is_written() {
    let finding = finding("Maven", "org.x:core", "2.14.1", "2.15.0");
    let pom = |version: &str, property: &str| {
        format!(
            "<?xml version=\"1.0\"?>\n<!-- 2.14.1 -->\n<project>\n  <version>2.14.1</version>\n  <properties><core.version>{property}</core.version></properties>\n  <dependencies>\n    <dependency>\n      <groupId>org.x</groupId>\n      <artifactId>other</artifactId>\n      <version>2.14.1</version>\n    </dependency>\n    <dependency>\n      <groupId>org.x</groupId>\n      <artifactId>core</artifactId>\n      <version> {version} </version>\n    </dependency>\n  </dependencies>\n</project>\n"
        )
    };
    assert_eq!(bumped("app/pom.xml", &pom("2.14.1", "1"), &finding), pom("2.15.0", "1"));
    let property = "${core.version}";
    assert_eq!(bumped("pom.xml", &pom(property, "2.14.1"), &finding), pom(property, "2.15.0"));
    let unknown = bumped("pom.xml", &pom("${elsewhere}", "1"), &finding);
    assert!(unknown.contains("has `org.x:core`"), "{unknown}");
    let deep = format!("<project>{}", "<a>".repeat(100_000));
    assert!(bumped("pom.xml", &deep, &finding).contains("has `org.x:core`"));
}

#[test]
fn properties_and_files_that_name_each_other_in_a_ring_are_read_once() {
    let finding_of_maven = finding("Maven", "org.x:core", "2.14.1", "2.15.0");
    let pom = |properties: &str| {
        format!(
            "<project><properties>{properties}</properties><dependencies><dependency><groupId>org.x</groupId>\
             <artifactId>core</artifactId><version>${{a}}</version></dependency></dependencies></project>"
        )
    };
    for properties in ["<a>${a}</a>", "<a>${b}</a><b>${a}</b>"] {
        let said = bumped("pom.xml", &pom(properties), &finding_of_maven);
        assert!(said.contains("org.x:core"), "{properties}: {said}");
        assert!(!said.contains("<project>"), "{properties}: {said}");
    }
    // Two files of requirements that include each other, one of which has the package.
    let files = [
        ("requirements.txt", "-r requirements-dev.txt\n-c requirements.txt\n"),
        ("requirements-dev.txt", "-r requirements.txt\nevil==1.0\n"),
    ];
    let changed = bumped_all(&files, &finding("PyPI", "evil", "1.0", "1.1"));
    let expected = own(&[("requirements-dev.txt", "-r requirements.txt\nevil==1.1\n")]);
    assert_eq!(changed, Ok(expected));
}

#[test]
fn versions_are_read_from_lock_files_of_every_form() {
    let npm3 = r#"{"packages": {"": {"version": "9"}, "node_modules/a": {"version": "1.0.0"}, "node_modules/b/node_modules/a": {"version": "2.0.0"}, "node_modules/@x/a": {"version": "3.0.0"}}}"#;
    assert_eq!(lock_file::read_npm_versions(npm3, "a"), ["1.0.0", "2.0.0"]);
    let npm1 = r#"{"dependencies": {"a": {"version": "1.0.0"}, "b": {"version": "5.0.0", "dependencies": {"a": {"version": "2.0.0"}}}}}"#;
    assert_eq!(lock_file::read_npm_versions(npm1, "a"), ["1.0.0", "2.0.0"]);
    let cargo = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"a\"\nversion = \"2.0.0\"\n\n[[package]]\nname = \"ab\"\nversion = \"3.0.0\"\n";
    assert_eq!(package_versions::read_cargo_versions(cargo, "a"), ["1.0.0", "2.0.0"]);
    let go = "module x\n\nrequire example.com/a v1.3.1 // indirect\n\nrequire (\n\texample.com/b v1.0.0\n\t// example.com/c v1.0.0\n)\n\nexclude (\n\texample.com/b v0.9.0\n)\n\nreplace example.com/d => ../d\n";
    assert_eq!(package_versions::read_go_versions(go, "example.com/a"), ["1.3.1"]);
    assert_eq!(package_versions::read_go_versions(go, "example.com/b"), ["1.0.0"]);
    assert!(package_versions::read_go_versions(go, "example.com/c").is_empty());
    assert!(
        package_versions::read_go_versions(
            &format!("{go}require example.com/d v1.0.0\n"),
            "example.com/d"
        )
        .is_empty()
    );
}

#[test]
fn a_lock_file_without_the_command_line_of_its_manager_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("package-lock.json"),
        r#"{"packages": {"node_modules/a": {"version": "1.0.0"}}}"#,
    )
    .unwrap();
    let error = plan(folder.path(), &finding("npm", "a", "1.0.0", "1.0.1")).unwrap_err();
    assert_eq!(error.to_string(), "`package-lock.json`: it has no package.json");
}
