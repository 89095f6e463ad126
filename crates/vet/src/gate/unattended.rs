//! The table of files that other programs run or obey without being asked; `--allow-ci-files` opens them.
//!
//! A change that a person merges or checks out must not run code on their machine, or in a job that
//! has credentials, before they read it. Two classes of files do that:
//!
//! - [`Since::Always`]: a shell, editor, hook manager, package manager or CI service reads the file
//!   by itself. A repair of a build hardly ever needs to change one.
//! - [`Since::New`]: build descriptions. Changing an existing one is an ordinary repair, and the
//!   command of the run reads it anyway. A new one is refused, because a tool would prefer it to the
//!   file that it reads today (`GNUmakefile` to `Makefile`) or begin to run it.

use std::sync::LazyLock;

use globset::GlobSet;

use papayu_lang::compile_globs;

/// The changes of a file that need the flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Since {
    /// Every change.
    Always,
    /// Making the file.
    New,
}

/// One reader of such files.
struct UnattendedReader {
    /// The program, as messages name it.
    reader: &'static str,
    since: Since,
    /// Patterns of lower case paths, separated by blanks. One with a `/` is matched from the root, others at any depth;
    /// one that ends with `/` is a folder with everything below it.
    patterns: &'static str,
}

/// A row for files that no change may touch without the flag.
const fn always(reader: &'static str, patterns: &'static str) -> UnattendedReader {
    UnattendedReader { reader, since: Since::Always, patterns }
}

/// A row for files that may be changed but not added without the flag.
const fn when_new(reader: &'static str, patterns: &'static str) -> UnattendedReader {
    UnattendedReader { reader, since: Since::New, patterns }
}

/// The files by reader. To add one, use the path that the documentation of the program gives,
/// in lower case.
const ROWS: &[UnattendedReader] = &[
    // CI services, and files that decide who approves a change or what bots do with it.
    always("GitHub", "/.github/workflows/ /.github/actions/ /action.yml /action.yaml"),
    always("GitHub", "/.github/{dependabot,settings,labeler,mergify}.{yml,yaml} /.mergify.yml"),
    always("the forge's review rules", "/{,.github/,docs/,.gitlab/}codeowners"),
    always(
        "Renovate",
        "{,.}renovate.{json,json5} /.github/renovate.{json,json5} .renovaterc{,.json,.json5}",
    ),
    always("GitLab CI", "/.gitlab-ci.{yml,yaml} /.gitlab/ci/"),
    always("CircleCI", "/.circleci/"),
    always("Azure Pipelines", "azure-pipelines*.{yml,yaml} /.azure-pipelines/ /azure-pipelines/"),
    always("Jenkins", "jenkinsfile jenkinsfile.* *.jenkinsfile"),
    always("Travis CI", "/.travis.{yml,yaml}"),
    always("Buildkite", "/.buildkite/"),
    always("Bitbucket Pipelines", "/bitbucket-pipelines.{yml,yaml}"),
    always("Drone CI", "/.drone.{yml,yaml,star,jsonnet}"),
    always("AppVeyor", "/{,.}appveyor.{yml,yaml}"),
    always("Woodpecker CI", "/.woodpecker/ /.woodpecker.{yml,yaml}"),
    always("Cirrus CI", "/.cirrus.{yml,yaml,star}"),
    always("TeamCity", "/.teamcity/"),
    always("Semaphore CI", "/.semaphore/"),
    always(
        "a CI service",
        "/{cloudbuild,buildspec,wercker,codefresh,shippable,screwdriver,codemagic,bitrise}.{yml,yaml} \
        /.{codemagic,builds,vela,scrutinizer,cds,zuul}.{yml,yaml} /.zuul.d/ /.builds/ /.harness/ \
        /.ci/ /.buddy/ /buddy.{yml,yaml}",
    ),
    always("Gitea and Forgejo", "/{.forgejo,.gitea}/workflows/ /{.forgejo,.gitea}/actions/"),
    always("Tekton", "/.tekton/"),
    // Shells and debuggers that read files of the folder they are in.
    always("direnv and similar programs", ".envrc .envrc.* .autoenv* .in .out .direnv/"),
    always(
        "a shell",
        ".{bashrc,bash_profile,bash_login,bash_logout,profile,zshrc,zshenv,zprofile,zlogin,zlogout,kshrc,cshrc,tcshrc,login,inputrc} \
        config.fish",
    ),
    always(
        "a debugger",
        ".gdbinit gdbinit *-gdb.{py,gdb,scm} .lldbinit .lldbinit-* .pdbrc .pdbrc.py",
    ),
    always(
        "an interpreter",
        ".irbrc .pryrc .rprofile .renviron .pythonrc{,.py} .ghci .ocamlinit .iex.exs .psqlrc \
        .sqliterc",
    ),
    // Editors.
    always(
        "Vim and Neovim",
        ".{vimrc,gvimrc,exrc,nvimrc,nexrc} _{vimrc,exrc} .nvim.lua .vim/ .lvimrc .vimspector.json",
    ),
    always("Emacs", ".dir-locals.el .dir-locals-2.el .projectile"),
    always("Visual Studio Code", ".vscode/ *.code-workspace .theia/ .vscode-test.{js,cjs,mjs}"),
    always("JetBrains IDEs", ".idea/ .run/ .fleet/ *.{iml,ipr,iws}"),
    always(
        "an editor",
        ".zed/ .vs/ .nova/ .helix/ .kakrc *.sublime-{project,build} .atom-build.{yml,json,cson,js} \
        .settings/ .xcode.env.local",
    ),
    // Development environments in containers and in the cloud.
    always(
        "a development container",
        ".devcontainer/ .devcontainer.json devfile.{yml,yaml} .devfile.{yml,yaml} \
        .gitpod.{yml,dockerfile} .gitpod/ .replit replit.nix .idx/ .codesandbox/ .stackblitzrc \
        .codespaces/ .ona/",
    ),
    // Agents.
    always(
        "a coding agent",
        ".claude/ .cursor/ .cursorrules .mcp.json mcp.json .gemini/ .codex/ .aider* .continue/ \
        .windsurf/ .windsurfrules .clinerules .clinerules/ .roo/ .roomodes .amazonq/ .kiro/ \
        .junie/ .opencode/ opencode.{json,jsonc} claude.md claude.local.md agents.md gemini.md \
        /.github/{copilot-instructions.md,copilot-setup-steps.yml} \
        /.github/{instructions,prompts,chatmodes,agents}/",
    ),
    // Git and hook managers.
    always(
        "git",
        ".gitattributes .gitmodules .gitconfig .lfsconfig .git-blame-ignore-revs .githooks/ \
        .git-hooks/ githooks/",
    ),
    always(
        "a hook manager",
        ".husky/ .huskyrc{,.*} husky.config.* .pre-commit-config.{yml,yaml} \
        .pre-commit-hooks.{yml,yaml} prek.toml {,.}lefthook{,-local}.{yml,yaml,toml,json,jsonc} \
        .lefthook/ .lefthook-local/ .config/lefthook.* .overcommit.yml .overcommit/ \
        {.lintstagedrc,{,.}simple-git-hooks}{,.*} {lint-staged,simple-git-hooks}.config.* \
        {,.}captainhook.json grumphp.{yml,yaml}{,.dist} .rusty-hook.toml .cargo-husky/ .hooks/ \
        .yorkie/ .ghooks/ hk.pkl",
    ),
    always("Mercurial", ".hg/ .hgrc .hgsub .hgcheck/"),
    always("another version control system", ".svn/ .jj/ .bzr/ .sl/"),
    // Version and package managers.
    always(
        "a version manager",
        "{,.}mise{,.*}.toml {,.}mise/ .config/mise/ .config/mise.toml .{,rtx}tool-versions \
        .rtx.toml .sdkmanrc .proto/ .prototools .volta/ .asdfrc devbox.json {,.}pkgx.{yml,yaml} \
        hermit.hcl",
    ),
    always(
        "npm, Yarn, pnpm or Bun",
        ".npmrc .yarnrc .yarnrc.{yml,yaml} .yarn/ {,.}pnpmfile.{js,cjs,mjs} .pnpmrc {,.}bunfig.toml \
        .pnp.{js,cjs,loader.mjs} node_modules/.bin/",
    ),
    always("Cargo", ".cargo/config .cargo/config.toml .cargo/credentials{,.toml}"),
    always(
        "Python",
        "{site,user}customize.py *.pth pip.{conf,ini} .pip/ .pypirc .condarc .pydistutils.cfg",
    ),
    always("Bundler or RubyGems", ".bundle/ .gemrc rubygems_plugin.rb"),
    always("NuGet", "nuget.config"),
    always("Maven", ".mvn/ mvnw mvnw.cmd"),
    always("Gradle", "gradle/wrapper/ gradlew gradlew.bat init.gradle{,.kts}"),
    always("Bazel", ".bazelrc .bazeliskrc .bazelversion tools/bazel *.bazelrc"),
    always(
        "another build tool",
        "{sbtw,.sbtopts,.jvmopts} .buckconfig{,.local} .pants.rc .pants.bootstrap .ackrc .curlrc \
        .wgetrc .ripgreprc .netrc",
    ),
    always("a web server", ".htaccess .user.ini"),
    // Build descriptions: ordinary to change, not to add.
    when_new("make", "{gnu,bsd,}makefile makefile.{am,common,in,inc,local,unix,win}"),
    when_new(
        "a task runner",
        "{,.}justfile *.just {,.}taskfile{,.dist}.{yml,yaml} rakefile{,.rb} *.rake rakelib/ \
        tiltfile earthfile procfile{,.*} dangerfile{,.*} fastfile magefile.go \
        invoke.{yml,yaml,json} fabfile.py noxfile.py {gulpfile,gruntfile}.* makefile.toml",
    ),
    when_new(
        "a virtual machine or container",
        "vagrantfile {dockerfile,containerfile}{,.*} *.dockerfile {docker-,}compose{,.*}.{yml,yaml} \
        skaffold.{yml,yaml}",
    ),
    when_new(
        "a deployment service",
        "{netlify,fly,wrangler}.toml {vercel,now}.json heroku.{yml,yaml} render.{yml,yaml} \
        .platform.app.yaml .ebextensions/ serverless.{yml,yaml,ts,js} {,.}goreleaser.{yml,yaml} \
        {,.}releaserc{,.*}",
    ),
    when_new(
        "MSBuild",
        "directory.{build,solution}.{props,targets} directory.build.rsp *.rsp before.*.targets \
        after.*.targets",
    ),
    when_new(
        "a build tool",
        "build.rs setup.py binding.gyp configure bootstrap autogen.sh build.{sh,bat,cmd,ps1} \
        extconf.rb build.zig rust-toolchain{,.toml} {flake,shell,default}.nix /workspace \
        workspace.bazel module.bazel sconstruct wscript",
    ),
];

/// `None` if a pattern does not compile, which a unit test excludes.
static TABLE: LazyLock<Option<GlobSet>> = LazyLock::new(compile);

/// The rows of the patterns in [`TABLE`], in the same order.
static ROW_OF_PATTERN: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let rows = ROWS.iter().enumerate();
    rows.flat_map(|(index, row)| row.patterns.split_whitespace().map(move |_| index)).collect()
});

/// Compiles the patterns of all rows into one set, in the order of the rows.
fn compile() -> Option<GlobSet> {
    let patterns = ROWS.iter().flat_map(|row| row.patterns.split_whitespace());
    compile_globs(patterns.map(|pattern| {
        // A pattern without a leading slash matches at any depth, as in `.gitignore`.
        let (anywhere, rest) = match pattern.strip_prefix('/') {
            Some(rest) => ("", rest),
            None => ("**/", pattern),
        };
        match rest.strip_suffix('/') {
            // A folder matches by itself too, because an action may create it as a link or
            // file.
            Some(folder) => format!("{anywhere}{folder}{{,/**}}"),
            None => format!("{anywhere}{rest}"),
        }
    }))
}

/// Compiles the table before it is first needed.
pub(super) fn prepare() {
    LazyLock::force(&TABLE);
    LazyLock::force(&ROW_OF_PATTERN);
}

/// The change of a path, as far as the table asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Touched {
    /// True when the action makes the path.
    pub(super) is_new: bool,
    /// False for a folder.
    pub(super) is_file: bool,
}

/// Returns why a change of a path needs the flag, as the end of a sentence that begins with the
/// path; `None` where it does not. `identity` is the path's [`papayu_base::domain::RepoPath::identity`].
pub(super) fn describe_reader(identity: &str, touched: Touched) -> Option<String> {
    let Some(table) = TABLE.as_ref() else {
        // A table that does not compile protects everything; a test compiles it.
        return Some(
            "cannot be compared with the table of files that run by themselves".to_owned(),
        );
    };
    // On NTFS, `NAME::$INDEX_ALLOCATION` and `NAME::$DATA` are `NAME`.
    let own = |segment: &str| segment.split(':').next().unwrap_or_default().to_owned();
    let plain = identity.split('/').map(own).collect::<Vec<_>>().join("/");
    let rows = table.matches(&plain).into_iter();
    let row =
        rows.filter_map(|at| ROWS.get(*ROW_OF_PATTERN.get(at)?)).find(|row| match row.since {
            Since::Always => true,
            Since::New => touched.is_new && touched.is_file,
        })?;
    let reader = row.reader;
    Some(match row.since {
        Since::Always => {
            format!(
                "is run or obeyed by {reader} without being asked; `--allow-ci-files` would allow it"
            )
        }
        Since::New => {
            format!(
                "is new, and {reader} would run it without being asked; `--allow-ci-files` would allow it"
            )
        }
    })
}

#[cfg(test)]
mod tests;
