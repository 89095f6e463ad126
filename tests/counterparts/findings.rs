//! Findings that npm, cargo, Go and Maven themselves fix or prove: the seeded manifests of `tests/findings/`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Fixes the findings of a seeded project, and returns package, outcome and new version of each.
fn fix(name: &str, files: &[&str], run: &str) -> Vec<(String, String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/findings").join(name);
    for file in files {
        fs::copy(seed.join(file), folder.path().join(file)).unwrap();
    }
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("src/lib.rs"), "").unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_papayu-batch"))
        .args(["fix", "--format", "json", "--run", run, "--findings"])
        .arg(seed.join("report.json"))
        .current_dir(folder.path())
        .output()
        .unwrap();
    let end: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let outcomes = end["outcomes"].as_array().unwrap().iter();
    let row = |it: &Value| {
        let finding = &it["finding"];
        (text(&finding["package"]), text(&it["outcome"]), text(&finding["to"]))
    };
    outcomes.map(row).collect()
}

/// Runs the first finding of a seeded project that is in two folders, and returns outcome and new version in each file.
fn fix_twice(name: &str, files: &[&str], run: &str) -> (String, Vec<(String, String)>) {
    let folder = tempfile::tempdir().unwrap();
    let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/findings").join(name);
    for place in ["", "tools/"] {
        fs::create_dir_all(folder.path().join(format!("{place}src"))).unwrap();
        fs::write(folder.path().join(format!("{place}src/lib.rs")), "").unwrap();
        for file in files {
            let mut text = fs::read_to_string(seed.join(file)).unwrap();
            if *file == "Cargo.toml" {
                // Else cargo takes the nested package for a forgotten member of the outer one.
                text.push_str("\n[workspace]\n");
            }
            fs::write(folder.path().join(format!("{place}{file}")), text).unwrap();
        }
    }
    let ran = Command::new(env!("CARGO_BIN_EXE_papayu-batch"))
        .args(["fix", "--format", "json", "--run", run, "--findings"])
        .arg(seed.join("report.json"))
        .current_dir(folder.path())
        .output()
        .unwrap();
    let end: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let outcome = &end["outcomes"][0];
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let finding = &outcome["finding"];
    let others = finding["other_files"].as_array().unwrap().iter();
    let files = std::iter::once(finding).chain(others);
    let files = files.map(|it| (text(&it["file"]), text(&it["to"]))).collect();
    (text(&outcome["outcome"]) + " " + &text(&outcome["reason"]), files)
}

#[test]
fn npm_updates_two_lock_files_with_one_weakness() {
    let (ended, files) =
        fix_twice("npm", &["package.json", "package-lock.json"], "npm ci --ignore-scripts");
    assert!(ended.starts_with("fixed minimist 1.2.0 → 1.2.6, in 2 files"), "{ended}");
    let expected = ["package-lock.json", "tools/package-lock.json"];
    assert_eq!(files, expected.map(|file| (file.to_owned(), "1.2.6".to_owned())));
}

#[test]
fn cargo_updates_two_lock_files_with_one_weakness() {
    let (ended, files) = fix_twice("cargo", &["Cargo.toml", "Cargo.lock"], "cargo fetch --locked");
    assert!(ended.starts_with("fixed time 0.1.45 → 0.2.23, in 2 files"), "{ended}");
    let expected = ["Cargo.lock", "tools/Cargo.lock"];
    assert_eq!(files, expected.map(|file| (file.to_owned(), "0.2.23".to_owned())));
}

fn row(package: &str, outcome: &str, to: &str) -> (String, String, String) {
    (package.to_owned(), outcome.to_owned(), to.to_owned())
}

#[test]
fn npm_updates_each_package_to_its_lowest_fixed_version() {
    let ends = fix("npm", &["package.json", "package-lock.json"], "npm ci --ignore-scripts");
    assert_eq!(
        ends,
        [
            row("minimist", "fixed", "1.2.6"),
            row("qs", "not_fixed", "-"),
            row("minimist", "fixed", "1.2.3"),
            row("qs", "not_fixed", "-"),
        ]
    );
}

#[test]
fn cargo_updates_the_lock_file_and_the_requirement_where_it_must() {
    let ends = fix("cargo", &["Cargo.toml", "Cargo.lock"], "cargo fetch --locked");
    assert_eq!(ends, [row("time", "fixed", "0.2.23"), row("regex", "fixed", "1.5.5")]);
}

/// A repository with one of the seeded manifests, and a home of its own.
struct SeededRepository(tempfile::TempDir);

impl SeededRepository {
    fn new(name: &str, manifest: &str) -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/findings").join(name);
        for file in [manifest, "report.json"] {
            repository.write(file, &fs::read_to_string(seed.join(file)).unwrap());
        }
        repository
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join("repo").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.path().join("repo").join(path)).unwrap()
    }

    /// Prepares a command in the repository.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.0.path().join("repo"))
            .env("HOME", self.0.path().join("home"))
            .env("GOPROXY", format!("file://{}", self.0.path().join("proxy").display()))
            .env("GOSUMDB", "off");
        command
    }

    /// Runs a shell command that prepares the repository.
    fn prepare(&self, script: &str) {
        let ran = self.command("sh").args(["-ec", script]).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
    }

    /// Fixes the findings in the working tree, with `scan.sh` as the scanner, and returns outcome, new version, proof
    /// and reason of each.
    fn fix(&self, run: &str) -> Vec<[String; 4]> {
        let mut command = self.command(env!("CARGO_BIN_EXE_papayu-batch"));
        let words = ["fix", "--findings", "report.json", "--scan", "sh scan.sh", "--run", run];
        let ran = command.args(words).args(["--emit", "worktree", "--format", "json"]).output();
        let ran = ran.unwrap();
        let end: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
        let outcomes = end["outcomes"].as_array().unwrap().iter();
        let row = |it: &Value| {
            let finding = &it["finding"];
            let values = [&it["outcome"], &finding["to"], &finding["proof"], &it["reason"]];
            values.map(|value| value.as_str().unwrap_or("-").to_owned())
        };
        outcomes.map(row).collect()
    }
}

/// Writes a Go proxy as files: a folder, the path of a module, its versions.
const GO_PROXY: &str = r#"import pathlib, sys, zipfile
module, versions = sys.argv[2], sys.argv[3:]
folder = pathlib.Path(sys.argv[1], module, "@v")
folder.mkdir(parents=True)
(folder / "list").write_text("\n".join(versions))
for version in versions:
    mod = f"module {module}\n"
    (folder / f"{version}.info").write_text('{"Version": "%s"}' % version)
    (folder / f"{version}.mod").write_text(mod)
    with zipfile.ZipFile(folder / f"{version}.zip", "w") as archive:
        archive.writestr(f"{module}@{version}/go.mod", mod)
        archive.writestr(f"{module}@{version}/lib.go", f'package protobuf\n\nconst Version = "{version}"\n')
"#;

#[test]
fn go_updates_a_module_to_its_lowest_fixed_version() {
    let repository = SeededRepository::new("go", "go.mod");
    let module = "github.com/gogo/protobuf";
    repository.write("../proxy.py", GO_PROXY);
    repository.write(
        "main.go",
        &format!("package main\n\nimport p \"{module}\"\n\nfunc main() {{ println(p.Version) }}\n"),
    );
    repository.write(
        "scan.sh",
        &format!(
            "case $(go list -m -f '{{{{.Version}}}}' {module}) in\n\
             v1.3.1) cat report.json; exit 1 ;;\n*) echo '{{\"results\": []}}' ;;\nesac\n"
        ),
    );
    let versions = "v1.3.1 v1.3.2 v1.3.3 v1.4.0";
    repository
        .prepare("go version || { echo '`go` is needed: apt install golang-go' >&2; exit 1; }");
    repository.prepare(&format!("python3 ../proxy.py ../proxy {module} {versions}; go mod tidy"));
    let ended = repository.fix("go build ./...");
    let [[outcome, to, proof, _]] = &ended[..] else { panic!("{ended:?}") };
    assert_eq!(
        [outcome, to, proof].map(String::as_str),
        ["fixed", "1.3.2", "scanner"],
        "{ended:?}"
    );
    let (manifest, sums) = (repository.read("go.mod"), repository.read("go.sum"));
    assert!(manifest.contains(&format!("require {module} v1.3.2\n")), "{manifest}");
    assert!(sums.contains(&format!("{module} v1.3.2 h1:")) && !sums.contains("v1.3.1"), "{sums}");
}

/// The property of `tests/findings/maven/pom.xml` is also the version of a bill of materials, which Maven reads from a
/// repository in the project before it does anything else.
fn maven_project(versions: &[&str]) -> SeededRepository {
    let repository = SeededRepository::new("maven", "pom.xml");
    let group = "<groupId>org.apache.logging.log4j</groupId><artifactId>log4j-bom</artifactId>";
    let added = format!(
        "<repositories><repository><id>central</id><url>file://${{project.basedir}}/packages</url></repository></repositories>\n  \
         <dependencyManagement><dependencies><dependency>{group}<version>${{log4j.version}}</version>\
         <type>pom</type><scope>import</scope></dependency></dependencies></dependencyManagement>\n  <dependencies>"
    );
    let pom = repository.read("pom.xml").replacen("<dependencies>", &added, 1);
    repository.write("pom.xml", &pom);
    for version in versions {
        let text = format!(
            "<project><modelVersion>4.0.0</modelVersion>{group}<version>{version}</version><packaging>pom</packaging></project>\n"
        );
        let folder = format!("packages/org/apache/logging/log4j/log4j-bom/{version}");
        repository.write(&format!("{folder}/log4j-bom-{version}.pom"), &text);
    }
    // The two weaknesses of the report have different fixed versions.
    repository.write(
        "scan.sh",
        "case $(sed -n 's:.*<log4j.version>\\(.*\\)</.*:\\1:p' pom.xml) in\n2.14.1) cat report.json ;;\n\
         2.15.0) sed 's/GHSA-jfh8-c2jp-5v3q/GHSA-other/; s/CVE-2021-44228/CVE-other/' report.json ;;\n*) echo '{\"results\": []}' ;;\nesac\n",
    );
    repository.write(".gitignore", "target/\n");
    repository.prepare("mvn -v || { echo '`mvn` is needed: apt install maven' >&2; exit 1; }");
    repository
}

#[test]
fn maven_proves_each_update_to_the_lowest_fixed_version() {
    let run = "mvn -B -q -Dmaven.repo.local=target/m2 validate";
    let repository = maven_project(&["2.14.1", "2.15.0", "2.16.0", "2.17.0"]);
    let ended = repository.fix(run);
    let ends: Vec<_> = ended.iter().map(|[outcome, to, proof, _]| [outcome, to, proof]).collect();
    assert_eq!(ends, [["fixed", "2.15.0", "scanner"], ["fixed", "2.16.0", "scanner"]], "{ended:?}");
    assert!(repository.read("pom.xml").contains("<log4j.version>2.16.0<"));

    let repository = maven_project(&["2.14.1"]);
    let ended = repository.fix(run);
    assert!(ended.iter().all(|[outcome, ..]| outcome == "not_fixed"), "{ended:?}");
    assert!(repository.read("pom.xml").contains("<log4j.version>2.14.1<"));
}
