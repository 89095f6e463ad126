//! Rules for failures of the machine: lost runners, memory, disks.
//!
//! Most of these lines come from the CI system after the step ended, in words that no test prints.

use super::SignalRule;
use crate::domain::FailureClass;

const BASE: SignalRule = SignalRule::of(FailureClass::Infrastructure);

pub(super) const RULES: &[SignalRule] = &[
    SignalRule {
        name: "runner-shutdown",
        cue: "The runner has received a shutdown signal",
        pattern: r"^(?:##\[error\])?The runner has received a shutdown signal",
        source: "actions/runner, ListenerContent: shown when the machine is taken away",
        sample: "##[error]The runner has received a shutdown signal. This can happen when the runner service is stopped, or a manually started runner is canceled.",
        next: "run the job again; if it recurs, look at the runner or raise the job's time limit",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "runner-lost",
        cue: "lost communication with the server",
        pattern: r"^(?:##\[error\])?The (?:self-hosted|hosted) runner(?:: \S.*)? lost communication with the server",
        source: "docs.github.com, Monitoring and troubleshooting self-hosted runners",
        sample: "##[error]The hosted runner: GitHub Actions 12 lost communication with the server. Anything in your workflow that terminates the runner process, starves it for CPU/Memory, or blocks its network access can cause this error.",
        next: "run the job again; if it recurs, look at the runner or raise the job's time limit",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "runner-no-machine",
        cue: "was not acquired by Runner",
        pattern: r"^(?:##\[error\])?The job was not acquired by Runner of type \w+ even after multiple attempts",
        source: "actions/runner-images issues; GitHub Actions incidents",
        sample: "The job was not acquired by Runner of type hosted even after multiple attempts",
        next: "run the job again",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "job-cancelled",
        cue: "The operation was canceled.",
        pattern: r"^##\[error\]The operation was canceled\.$",
        source: "actions/runner, form of a cancelled step",
        sample: "##[error]The operation was canceled.",
        next: "run the job again; if it recurs, look at the runner or raise the job's time limit",
        ..BASE
    },
    SignalRule {
        name: "job-timeout-github",
        cue: "has exceeded the maximum execution time",
        pattern: r"^##\[error\]The (?:job running on runner .+|action .+) has exceeded the maximum execution time of \d+ minutes",
        source: "docs.github.com, jobs.<job_id>.timeout-minutes",
        sample: "##[error]The job running on runner GitHub Actions 4 has exceeded the maximum execution time of 60 minutes.",
        next: "run the job again; if it recurs, look at the runner or raise the job's time limit",
        ..BASE
    },
    SignalRule {
        name: "job-timeout-gitlab",
        cue: "Job failed: execution took longer than",
        pattern: "^ERROR: Job failed: execution took longer than ",
        source: "gitlab-runner, common/build.go",
        sample: "ERROR: Job failed: execution took longer than 1h0m0s seconds",
        next: "run the job again; if it recurs, look at the runner or raise the job's time limit",
        ..BASE
    },
    SignalRule {
        name: "gitlab-system-failure",
        cue: "Job failed (system failure)",
        pattern: r"^ERROR: Job failed \(system failure\): ",
        source: "docs.gitlab.com, job failure reason runner_system_failure",
        sample: "ERROR: Job failed (system failure): prepare environment: waiting for pod running: timed out waiting for pod to start.",
        next: "run the job again",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "exit-137",
        cue: "exit code 137",
        pattern: r"^(?:##\[error\])?(?:Error: )?(?:Process completed with|Job failed:|ERROR: Job failed: command terminated with|The command .* exited with|.* terminated with) exit code 137\.?$",
        source: "128 + SIGKILL; docs.docker.com, exit codes of containers",
        sample: "##[error]Process completed with exit code 137.",
        next: "give the job more memory, or run fewer processes at once",
        ..BASE
    },
    SignalRule {
        name: "shell-killed",
        cue: "Killed",
        pattern: r"^(?:\S.*: line \d+: +\d+ Killed\b.*|Killed|/bin/bash: line \d+: +\d+ Killed\b.*)$",
        source: "bash and dash, report of a child that SIGKILL ended",
        sample: "bash: line 1: 20874 Killed                  npm run build",
        next: "give the job more memory, or run fewer processes at once",
        ..BASE
    },
    SignalRule {
        name: "npm-killed",
        cue: "signal SIGKILL",
        pattern: "^npm (?:ERR!|error) signal SIGKILL$",
        source: "npm, error of a lifecycle script",
        sample: "npm error signal SIGKILL",
        next: "give the job more memory, or run fewer processes at once",
        ..BASE
    },
    SignalRule {
        name: "gcc-killed",
        cue: "Killed signal terminated program",
        pattern: r"(?:fatal error|error): Killed signal terminated program \w+",
        source: "gcc, gcc.cc",
        sample: "c++: fatal error: Killed signal terminated program cc1plus",
        next: "give the job more memory, or run fewer processes at once",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "rustc-killed",
        cue: "SIGKILL: kill",
        pattern: r"^(?:  )?process didn\'t exit successfully: `.*rustc .*` \(signal: 9, SIGKILL: kill\)",
        source: "cargo, ProcessError",
        sample: "  process didn't exit successfully: `/usr/bin/rustc --crate-name big src/lib.rs` (signal: 9, SIGKILL: kill)",
        next: "give the job more memory, or run fewer processes at once",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "linker-killed",
        cue: "ld terminated with signal 9 [Killed]",
        pattern: r"collect2: fatal error: ld terminated with signal 9 \[Killed\]",
        source: "gcc, collect2",
        sample: "collect2: fatal error: ld terminated with signal 9 [Killed]",
        next: "give the job more memory, or run fewer processes at once",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "gradle-daemon-gone",
        cue: "Gradle build daemon disappeared unexpectedly",
        pattern: r"^(?:> )?Gradle build daemon disappeared unexpectedly \(it may have been killed or may have crashed\)",
        source: "Gradle, DaemonDisappearedException",
        sample: "Gradle build daemon disappeared unexpectedly (it may have been killed or may have crashed)",
        next: "give the job more memory, or run fewer processes at once",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "oom-killed",
        cue: "OOMKilled",
        pattern: r"^\s*(?:Last State: .*|[Rr]eason): +OOMKilled\b",
        source: "kubernetes.io, termination reason of a container",
        sample: "    reason: OOMKilled",
        next: "give the job more memory, or run fewer processes at once",
        ..BASE
    },
    SignalRule {
        name: "disk-full-tool",
        cue: "No space left on device",
        pattern: r"^(?:cp|mv|dd|tar|cat|tee|git|fatal|ln|mkdir|touch|install|rsync|unzip|gzip|xz|sed|ld|ar|as|strip|collect2|/usr/bin/ld(?:\.\w+)?|cc1(?:plus)?|write /\S+|bash|sh|/bin/\w*sh|npm (?:ERR!|error) .*|ERROR: Could not install packages due to an OSError|System\.IO\.IOException|docker|failed to (?:register layer|copy files|solve)): .*No space left on device",
        source: "errno(3) ENOSPC, as coreutils, binutils and others print it",
        sample: "cp: error writing '/mnt/x': No space left on device",
        next: "free disk space on the runner, or use a larger one",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "disk-full-linker",
        cue: "No space left on device",
        pattern: r"(?:final link failed|error writing to \S+|can\'t write(?: \d+ bytes)? to section \S+ of \S+(?: .*)?|error: could not write output to \S+|LLVM ERROR: IO failure on output stream|Fatal error: can\'t close \S+): No space left on device",
        source: "GNU ld and as, rustc and LLVM",
        sample: "/usr/bin/ld: final link failed: No space left on device",
        next: "free disk space on the runner, or use a larger one",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "disk-full-rust",
        cue: "No space left on device (os error 28)",
        pattern: r"^(?:error: |  )?(?:failed to (?:write|create|build archive|copy|link|unpack|open|mkdir)\b.*|couldn\'t create a temp (?:dir|file)|could not (?:write|create)\b.*|error writing dependencies to .*|failed to build archive at .*|unable to copy .*|io error when .*|error creating .*): No space left on device \(os error 28\)",
        source: "cargo and rustc, io::Error",
        sample: "error: failed to write /tmp/target/debug/.fingerprint/x: No space left on device (os error 28)",
        next: "free disk space on the runner, or use a larger one",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "disk-full-bus-error",
        cue: "ld terminated with signal 7 [Bus error]",
        pattern: r"collect2: fatal error: ld terminated with signal 7 \[Bus error\]",
        source: "gcc and lld: a linker that maps its output on a full disk",
        sample: "  = note: collect2: fatal error: ld terminated with signal 7 [Bus error]",
        next: "free disk space on the runner, or use a larger one",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "disk-full-tar",
        cue: "Wrote only ",
        pattern: r"^tar: .*: Wrote only \d+ of \d+ bytes$",
        source: "GNU tar, short write",
        sample: "tar: bin/bash: Wrote only 6656 of 10240 bytes",
        next: "free disk space on the runner, or use a larger one",
        ..BASE
    },
    SignalRule {
        name: "disk-full-pip",
        cue: "[Errno 28] No space left on device",
        pattern: r"^ERROR: (?:Could not install packages due to an OSError|Exception): ?\[Errno 28\] No space left on device",
        source: "pip, install command",
        sample: "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
        next: "free disk space on the runner, or use a larger one",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "disk-full-npm",
        cue: "ENOSPC",
        pattern: "^npm (?:ERR!|error) code ENOSPC$",
        source: "docs.npmjs.com, Common errors",
        sample: "npm error code ENOSPC",
        next: "free disk space on the runner, or use a larger one",
        decisive: true,
        ..BASE
    },
    SignalRule {
        name: "disk-full-runner",
        cue: "No space left on device",
        pattern: r"^(?:##\[error\])?(?:System\.IO\.IOException: |You are running out of disk space\. The runner will stop working.*|No space left on device\b)",
        source: "actions/runner, Worker log",
        sample: "System.IO.IOException: No space left on device : '/home/runner/runners/2.320.0/_diag/Worker.log'",
        next: "free disk space on the runner, or use a larger one",
        decisive: true,
        ..BASE
    },
];
