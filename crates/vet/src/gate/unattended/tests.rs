//! Paths of each class, and paths that look like them.

use super::*;
use papayu_base::domain::RepoPath;

/// Paths that need the flag.
const UNATTENDED: [&str; 146] = [
    ".vscode/tasks.json",
    ".vscode/settings.json",
    "web/.vscode/launch.json",
    "app.code-workspace",
    ".husky/pre-commit",
    ".husky/_/husky.sh",
    ".idea/runConfigurations/x.xml",
    ".run/x.run.xml",
    ".devcontainer/devcontainer.json",
    ".devcontainer.json",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    ".lefthook/pre-push/x.sh",
    ".gitattributes",
    "docs/.gitattributes",
    ".npmrc",
    "web/.npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".yarn/releases/yarn-4.cjs",
    ".pnpmfile.cjs",
    ".mise.toml",
    "mise.toml",
    ".config/mise/config.toml",
    ".tool-versions",
    ".cargo/config.toml",
    ".cargo/config",
    "sub/.cargo/config.toml",
    "sitecustomize.py",
    "src/usercustomize.py",
    "venv/lib/x.pth",
    ".gdbinit",
    ".lldbinit",
    ".vimrc",
    ".exrc",
    ".nvim.lua",
    ".bazelrc",
    ".mvn/jvm.config",
    ".mvn/wrapper/maven-wrapper.properties",
    "mvnw",
    "mvnw.cmd",
    "gradlew",
    "gradlew.bat",
    "gradle/wrapper/gradle-wrapper.properties",
    ".git-blame-ignore-revs",
    ".claude/settings.json",
    ".mcp.json",
    "AGENTS.md",
    ".github/copilot-instructions.md",
    ".dir-locals.el",
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    "Jenkinsfile",
    ".GitHub/Workflows/ci.yml",
    "CODEOWNERS",
    "ci/azure-pipelines-pr.yaml",
    ".zshrc",
    ".Rprofile",
    ".HUSKY/pre-commit",
    ".v\u{200d}scode/tasks.json",
    ".vscode::$INDEX_ALLOCATION/tasks.json",
    ".envrc.local::$DATA",
    "bunfig.toml",
    ".lintstagedrc.js",
    "nuget.config",
    ".bundle/config",
    ".zed/tasks.json",
    ".envrc",
    ".envrc.local",
    ".github/workflows/ci.yml",
    ".github/actions/x/action.yml",
    ".github/dependabot.yml",
    "renovate.json",
    ".travis.yml",
    ".buildkite/pipeline.yml",
    "bitbucket-pipelines.yml",
    ".drone.yml",
    "appveyor.yml",
    ".woodpecker.yml",
    ".cirrus.yml",
    ".forgejo/workflows/x.yml",
    ".gitea/workflows/x.yml",
    "cloudbuild.yaml",
    "buildspec.yml",
    ".tekton/x.yaml",
    ".teamcity/settings.kts",
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".inputrc",
    ".irbrc",
    ".pryrc",
    ".pdbrc",
    ".psqlrc",
    "gdb/x-gdb.py",
    ".vim/ftplugin/x.vim",
    ".lvimrc",
    ".fleet/run.json",
    "x.sublime-project",
    ".helix/languages.toml",
    ".gitpod.yml",
    ".replit",
    ".codesandbox/tasks.json",
    ".cursor/mcp.json",
    ".cursorrules",
    "CLAUDE.md",
    "sub/AGENTS.md",
    ".gemini/settings.json",
    ".codex/config.toml",
    ".aider.conf.yml",
    ".windsurfrules",
    ".githooks/pre-commit",
    ".gitconfig",
    ".pre-commit-hooks.yaml",
    ".huskyrc.json",
    ".overcommit.yml",
    "simple-git-hooks.json",
    ".simple-git-hooks.js",
    ".gitmodules",
    "mise.local.toml",
    ".mise/tasks/x",
    ".asdfrc",
    "devbox.json",
    ".sdkmanrc",
    "pip.conf",
    ".condarc",
    ".gemrc",
    ".curlrc",
    ".wgetrc",
    ".hg/hgrc",
    ".gradle/init.gradle",
    ".mvn/extensions.xml",
    ".mvn/maven.config",
    ".jvmopts",
    ".sbtopts",
    ".yarn/plugins/x.cjs",
    ".pnp.cjs",
    "node_modules/.bin/x",
    ".user.ini",
    ".htaccess",
    ".vscode-test.js",
    ".vs/tasks.vs.json",
    ".nova/Tasks/x.json",
    ".jj/repo/config.toml",
    ".ripgreprc",
    ".direnv/x",
];

fn is_open(path: &str, is_new: bool) -> bool {
    let identity = RepoPath::parse(path).expect("a legal path").identity();
    describe_reader(&identity, Touched { is_new, is_file: true }).is_none()
}

#[test]
fn the_table_compiles_and_every_pattern_matches_in_lower_case() {
    assert!(TABLE.is_some());
    for pattern in ROWS.iter().flat_map(|row| row.patterns.split_whitespace()) {
        assert_eq!(pattern, pattern.to_lowercase());
    }
}

#[test]
fn what_other_programs_run_by_themselves_needs_the_flag() {
    let open: Vec<_> =
        UNATTENDED.iter().filter(|it| is_open(it, false) || is_open(it, true)).collect();
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn build_descriptions_may_be_changed_but_not_added() {
    for path in [
        "Makefile", "GNUmakefile", "sub/makefile", "Justfile", "Taskfile.yml", "Rakefile",
        "Vagrantfile", "Dockerfile", "deploy/Dockerfile.dev", "docker-compose.yml", "build.rs",
        "setup.py", "Directory.Build.props", "flake.nix", "Procfile", ".ebextensions/x.config",
    ] {
        assert!(is_open(path, false) && !is_open(path, true), "{path}");
    }
}

#[test]
fn sources_tests_and_manifests_need_no_flag() {
    for path in [
        "src/main.rs", "package.json", "Cargo.toml", "pyproject.toml", "pom.xml", "build.gradle",
        "gradle.properties", "src/bootstrap/mod.rs", "tests/test_makefile.py", "docs/Makefile.md",
        ".gitignore", ".eslintrc.json", ".github/ISSUE_TEMPLATE.md", "pkg/action.yml",
        "src/gradle.rs", "lib/configure.ts", "conftest.py", "tsconfig.json", "src/husky.js",
        "CHANGELOG.md", "README.md", ".prettierrc", "go.mod", "src/.hidden", ".python-version",
        ".nvmrc",
    ] {
        assert!(is_open(path, true), "{path}");
    }
    let folder = Touched { is_new: true, is_file: false };
    assert_eq!(describe_reader("src/bootstrap", folder), None);
    assert!(describe_reader(".vscode", folder).is_some());
}
