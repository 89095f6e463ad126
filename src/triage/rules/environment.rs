//! Rules for missing inputs of a machine: secrets, tools, permissions.
//!
//! A line counts only in the exact words of the tool that prints it, because programs under test print similar ones.

use super::SignalRule;
use crate::domain::FailureClass;

const BASE: SignalRule = SignalRule::of(FailureClass::Environment);

pub(super) const RULES: &[SignalRule] = &[
    SignalRule {
        name: "input-missing",
        cue: "Input required and not supplied",
        pattern: r"^(?:##\[error\]|Error: )*Input required and not supplied: ",
        source: "actions/toolkit, core.getInput",
        sample: "##[error]Input required and not supplied: token",
        next: "give the job the secret or permission it names",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "action-gone",
        cue: "Unable to resolve action",
        pattern: r"^(?:##\[error\])?Unable to resolve action `?\S+`?, (?:unable to find version|repository not found|not found)",
        source: "actions/runner, ActionManager",
        sample: "##[error]Unable to resolve action `actions/checkout@v99`, unable to find version `v99`",
        next: "name a version of the action that exists",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "action-deprecated",
        cue: "uses a deprecated version of",
        pattern: r"^(?:##\[error\])?This request has been automatically failed because it uses a deprecated version of ",
        source: "GitHub changelog, deprecation of artifact actions v3",
        sample: "##[error]This request has been automatically failed because it uses a deprecated version of `actions/upload-artifact: v3`. Learn more: https://github.blog/changelog/",
        next: "move to a supported version of the action",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "not-accessible",
        cue: "Resource not accessible by",
        pattern: r"^(?:##\[error\]|Error: |HttpError: |GraphQL: |RequestError \[HttpError\]: )*Resource not accessible by (?:integration|personal access token)",
        source: "docs.github.com, permissions of GITHUB_TOKEN",
        sample: "##[error]Resource not accessible by integration",
        next: "give the workflow the permission it lacks (`permissions:`)",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "aws-credentials",
        cue: "redentials",
        pattern: r"^(?:##\[error\]|Error: )*(?:Credentials could not be loaded, please check your action inputs|Unable to locate credentials\. You can configure credentials|Could not load credentials from any providers)",
        source: "aws-actions/configure-aws-credentials; AWS CLI",
        sample: "##[error]Credentials could not be loaded, please check your action inputs: Could not load credentials from any providers",
        next: "give the job the secret or permission it names",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "gcloud-credentials",
        cue: "google-github-actions/auth failed",
        pattern: "google-github-actions/auth failed with: ",
        source: "google-github-actions/auth",
        sample: r#"##[error]google-github-actions/auth failed with: the GitHub Action workflow must specify exactly one of "workload_identity_provider" or "credentials_json"!"#,
        next: "give the job the secret or permission it names",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "git-no-username",
        cue: "could not read Username",
        pattern: r"^fatal: could not read (?:Username|Password) for \'https?://",
        source: "git, credential.c",
        sample: "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
        next: "give the job the secret or permission it names",
        ..BASE
    },
    SignalRule {
        name: "git-denied",
        cue: "denied",
        pattern: r"^(?:remote: Permission to \S+ denied to \S+|git@\S+: Permission denied \(publickey\)\.|Permission denied \(publickey\)\.|fatal: Authentication failed for \'https?://.*|remote: Write access to repository not granted\.)$",
        source: "GitHub, errors of git operations",
        sample: "remote: Permission to acme/app.git denied to github-actions[bot].",
        next: "give the job the secret or permission it names",
        ..BASE
    },
    SignalRule {
        name: "git-auth-failed",
        cue: "Authentication failed for",
        pattern: "^fatal: Authentication failed for 'https?://",
        source: "git, remote-curl",
        sample: "fatal: Authentication failed for 'https://github.com/acme/private.git/'",
        next: "give the job the secret or permission it names",
        ..BASE
    },
    SignalRule {
        name: "npm-auth",
        cue: "code E",
        pattern: "^npm (?:ERR!|error) code (?:E401|E403|ENEEDAUTH|EOTP)$",
        source: "docs.npmjs.com, Common errors",
        sample: "npm error code E401",
        next: "give the job the secret or permission it names",
        tool: Some("npm"),
        ..BASE
    },
    SignalRule {
        name: "yarn-auth",
        cue: "YN0041",
        pattern: "^➤ YN0041: ",
        source: "yarnpkg.com, error codes",
        sample: "➤ YN0041: │ Invalid authentication (as an unknown user)",
        next: "give the job the secret or permission it names",
        tool: Some("npm"),
        ..BASE
    },
    SignalRule {
        name: "docker-auth",
        cue: "denied",
        pattern: "(?:^|: )(?:denied: requested access to the resource is denied|unauthorized: (?:authentication required|incorrect username or password|access token has insufficient scopes))",
        source: "docker distribution, error codes",
        sample: "Error response from daemon: pull access denied for acme/app, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
        next: "give the job the secret or permission it names",
        ..BASE
    },
    SignalRule {
        name: "docker-login",
        cue: "Cannot perform an interactive login",
        pattern: "^(?:Error: )?Cannot perform an interactive login from a non[ -]TTY device|^Error: Username and password required$",
        source: "docker CLI; docker/login-action",
        sample: "Error: Cannot perform an interactive login from a non TTY device",
        next: "give the job the secret or permission it names",
        ..BASE
    },
    SignalRule {
        name: "docker-daemon",
        cue: "Docker daemon",
        pattern: "^(?:docker: |ERROR: |error during connect: )?(?:Cannot connect to the Docker daemon at |permission denied while trying to connect to the Docker daemon socket)",
        source: "docker CLI",
        sample: "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
        next: "start Docker in the job, or use a runner that has it",
        ..BASE
    },
    SignalRule {
        name: "docker-api-socket",
        cue: "docker API at",
        pattern: "^(?:docker: |ERROR: )?failed to connect to the docker API at |^permission denied while trying to connect to the docker API at",
        source: "docker CLI 29",
        sample: "failed to connect to the docker API at unix:///var/run/docker.sock; check if the path is correct and if the daemon is running",
        next: "start Docker in the job, or use a runner that has it",
        ..BASE
    },
    SignalRule {
        name: "command-not-found",
        cue: "not found",
        pattern: r"^(?:(?:/\S*/)?(?:ba|da|z|k)?sh(?:: line)?(?:: \d+)?: (?:line )?(?:\d+: )?[^\s:]+: (?:command )?not found|/\S+: (?:line )?\d+: [^\s:]+: (?:command )?not found|zsh:\d*: command not found: \S+)$",
        source: "POSIX shells, status 127",
        sample: "bash: line 1: terraform: command not found",
        next: "install the tool in the job, or correct its name",
        ..BASE
    },
    SignalRule {
        name: "python-module-missing",
        cue: ": No module named ",
        pattern: r"^(?:/\S*/)?python[\d.]*: No module named \S+$",
        source: "CPython, runpy: `python3 -m NAME`",
        sample: "/usr/bin/python3: No module named pytest",
        next: "install the module in the job (`python3 -m pip install NAME`), or name another command with `--run`",
        ..BASE
    },
    SignalRule {
        name: "exit-127",
        cue: "exit code 127",
        pattern: r"^(?:##\[error\])?Process completed with exit code 127\.$",
        source: "POSIX shells, status 127",
        sample: "##[error]Process completed with exit code 127.",
        next: "install the tool in the job, or correct its name",
        ..BASE
    },
    SignalRule {
        name: "env-not-found",
        cue: "No such file or directory",
        pattern: r#"^(?:/usr/bin/)?env: [‘\'“"]?[\w.+-]+[’\'”"]?: No such file or directory$"#,
        source: "coreutils, env",
        sample: "/usr/bin/env: ‘node’: No such file or directory",
        next: "install the tool in the job, or correct its name",
        ..BASE
    },
    SignalRule {
        name: "windows-not-recognized",
        cue: "is not recognized as",
        pattern: r"^'?[\w.-]+'? ?:? (?:The term '[^']+' )?is not recognized as (?:an internal or external command|a name of a cmdlet|the name of a cmdlet)",
        source: "cmd.exe and PowerShell",
        sample: "'make' is not recognized as an internal or external command,",
        next: "install the tool in the job, or correct its name",
        ..BASE
    },
    SignalRule {
        name: "executable-missing",
        cue: "Unable to locate executable file",
        pattern: r"^(?:##\[error\]|Error: )*Unable to locate executable file: ",
        source: "actions/toolkit, io.which",
        sample: "##[error]Unable to locate executable file: pnpm. Please verify either the file path exists or the file can be found within a directory specified by the PATH environment variable.",
        next: "install the tool in the job, or correct its name",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "unbound-variable",
        cue: "unbound variable",
        pattern: r"^(?:(?:/\S*/)?\w*sh: (?:line \d+: )?|/\S+: line \d+: |\S+\.sh: line \d+: )[A-Z][A-Z0-9_]*: unbound variable$",
        source: "bash, set -u",
        sample: "bash: line 1: DEPLOY_TOKEN: unbound variable",
        next: "give the job the secret or permission it names",
        ..BASE
    },
    SignalRule {
        name: "parameter-message",
        cue: "must be set",
        pattern: r"^(?:/\S*/)?\w*sh: (?:line )?\d+: [A-Z][A-Z0-9_]*: (?:must be set|is required|not set)$",
        source: "POSIX shells, ${X:?message}",
        sample: "sh: 1: NPM_TOKEN: must be set",
        next: "give the job the secret or permission it names",
        ..BASE
    },
    SignalRule {
        name: "parameter-not-set",
        cue: "parameter",
        pattern: r"^(?:/\S*/)?\w*sh: (?:line )?\d+: [A-Z][A-Z0-9_]*: parameter (?:null or )?not set$",
        source: "POSIX shells, ${X:?}",
        sample: "sh: 1: NPM_TOKEN: parameter not set",
        next: "give the job the secret or permission it names",
        ..BASE
    },
    SignalRule {
        name: "npm-engine",
        cue: "code EBADENGINE",
        pattern: "^npm (?:ERR!|error) code EBADENGINE$",
        source: "docs.npmjs.com, engine-strict",
        sample: "npm error code EBADENGINE",
        next: "use the version that is asked for",
        tool: Some("npm"),
        ..BASE
    },
    SignalRule {
        name: "yarn-engine",
        cue: "is incompatible with this module",
        pattern: r#"^error \S+: The engine "\w+" is incompatible with this module\."#,
        source: "yarn v1, package-compatibility",
        sample: r#"error eslint@9.0.0: The engine "node" is incompatible with this module. Expected version "^18.18.0 || ^20.9.0 || >=21.1.0". Got "16.20.2""#,
        next: "use the version that is asked for",
        ..BASE
    },
    SignalRule {
        name: "pnpm-engine",
        cue: "ERR_PNPM_UNSUPPORTED_ENGINE",
        pattern: "ERR_PNPM_UNSUPPORTED_ENGINE",
        source: "pnpm.io, error codes",
        sample: " ERR_PNPM_UNSUPPORTED_ENGINE  Unsupported environment (bad pnpm and/or Node.js version)",
        next: "use the version that is asked for",
        ..BASE
    },
    SignalRule {
        name: "cargo-rust-version",
        cue: "rustc",
        pattern: r"^error: (?:rustc \S+ is not supported by the following packages?:|package `[^`]+` cannot be built because it requires rustc \S+ or newer)",
        source: "cargo, rust-version",
        sample: "error: rustc 1.95.0 is not supported by the following package:",
        next: "use the version that is asked for",
        ..BASE
    },
    SignalRule {
        name: "rustup-toolchain",
        cue: "toolchain",
        pattern: r"^error: toolchain \'[^\']+\' is not installed|^error: toolchain \'[^\']+\' does not (?:contain|support) component|^error: \'cargo-\w+\' is not installed for the toolchain",
        source: "rustup",
        sample: "error: toolchain 'nightly-2020-01-01-x86_64-unknown-linux-gnu' is not installed",
        next: "use the version that is asked for",
        ..BASE
    },
    SignalRule {
        name: "cargo-subcommand",
        cue: "no such command",
        pattern: r"^error: no such command: `[\w-]+`",
        source: "cargo",
        sample: "error: no such command: `nextest`",
        next: "install the tool in the job, or correct its name",
        ..BASE
    },
    SignalRule {
        name: "pip-python",
        cue: "requires a different Python",
        pattern: "^ERROR: Package '[^']+' requires a different Python: ",
        source: "pip, requires-python",
        sample: "ERROR: Package 'pk' requires a different Python: 3.11.7 not in '>=3.99'",
        next: "use the version that is asked for",
        ..BASE
    },
    SignalRule {
        name: "go-version",
        cue: "go.mod requires go >=",
        pattern: r"^go: (?:errors parsing go\.mod:|go\.mod requires go >= \S+ \(running go |.*requires go >= \S+ \(running go )",
        source: "go.dev, toolchains",
        sample: "go: go.mod requires go >= 1.23 (running go 1.21.0; GOTOOLCHAIN=local)",
        next: "use the version that is asked for",
        ..BASE
    },
    SignalRule {
        name: "java-class-version",
        cue: "UnsupportedClassVersionError",
        pattern: r"java\.lang\.UnsupportedClassVersionError: \S+ has been compiled by a more recent version of the Java Runtime",
        source: "JVM specification, class file versions",
        sample: "Error: LinkageError occurred while loading main class A java.lang.UnsupportedClassVersionError: A has been compiled by a more recent version of the Java Runtime (class file version 65.0)",
        next: "use the version that is asked for",
        ..BASE
    },
    SignalRule {
        name: "java-release",
        cue: "invalid ",
        pattern: r"^(?:\[ERROR\] .*|error: |Fatal error compiling: error: )(?:invalid (?:target|source) release: \d+|release version \d+ not supported)$",
        source: "javac",
        sample: "error: invalid source release: 21",
        next: "use the version that is asked for",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "gradle-jvm",
        cue: "requires at least JVM runtime version",
        pattern: r"Dependency requires at least JVM runtime version \d+",
        source: "Gradle",
        sample: "      > Dependency requires at least JVM runtime version 17. This build uses a Java 11 JVM.",
        next: "use the version that is asked for",
        ..BASE
    },
    SignalRule {
        name: "setup-version",
        cue: "was not found for",
        pattern: r"^(?:##\[error\]|Error: )*The version '[^']+' with architecture '\w+' was not found for ",
        source: "actions/setup-python",
        sample: "##[error]The version '3.6' with architecture 'x64' was not found for Ubuntu 24.04.",
        next: "use the version that is asked for",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "setup-node-version",
        cue: "Unable to find Node version",
        pattern: r"^(?:##\[error\]|Error: )*Unable to find Node version '[^']+' for platform",
        source: "actions/setup-node",
        sample: "##[error]Unable to find Node version '99' for platform linux and architecture x64.",
        next: "use the version that is asked for",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "runs-on-gone",
        cue: "is not supported",
        pattern: r"^##\[error\](?:The (?:ubuntu|windows|macos)-\S+ (?:environment|image) is (?:deprecated|not supported)|This is a scheduled .*brownout)",
        source: "actions/runner-images announcements",
        sample: "##[error]This is a scheduled Ubuntu 20.04 brownout. Ubuntu 20.04 LTS runner is not supported after 2025-04-15.",
        next: "name a runner image that is still there",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "playwright-browsers",
        cue: "Executable doesn't exist at",
        pattern: r"browserType\.launch: Executable doesn't exist at ",
        source: "playwright.dev, installing browsers",
        sample: "browserType.launch: Executable doesn't exist at /root/.cache/ms-playwright/chromium-1091/chrome-linux/chrome",
        next: "run `npx playwright install` in the job",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "openssl-legacy",
        cue: "ERR_OSSL_EVP_UNSUPPORTED",
        pattern: "code: 'ERR_OSSL_EVP_UNSUPPORTED'",
        source: "nodejs.org, OpenSSL 3 in Node.js 17",
        sample: "  code: 'ERR_OSSL_EVP_UNSUPPORTED'",
        next: "use the version that is asked for",
        ..BASE
    },
    SignalRule {
        name: "playwright-host",
        cue: "Host system is missing dependencies",
        pattern: "Host system is missing dependencies to run browsers",
        source: "playwright.dev, installing browsers",
        sample: "║ Host system is missing dependencies to run browsers. ║",
        next: "run `npx playwright install-deps` in the job",
        ..BASE
    },
];
