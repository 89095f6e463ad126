//! The table of settings: name, kind, trust in the repository, environment variables, one line of documentation.
//!
//! The defaults are in `defaults.toml`; a test compares both.

use serde_json::Value;

use super::error::SettingsError;
use super::key::{SettingKey, SettingRow};
use super::kind::{
    AutoSwitch, Choice, Choices, Commands, Decimal, List, OptionalChoices, PathSetting, Protocol,
    Seconds, Secret, Switch, TextSetting, UrlSetting, ValueKind, Whole,
};
use super::layers::Layers;
use super::model_list::ModelList;
use super::origin::Setting;
use super::provider::ProviderWord;
use super::trust::{Narrowing, OutputForm, Trust};
use super::words::{Emit, ForgeChoice};
use papayu_base::domain::outcome::ProofLevel;
use papayu_base::domain::{Allowance, Compression, CulpritSearch, OnConflict};
use papayu_base::text::lines::LineEndings;
use papayu_providers::{OnError, ReasoningEffort};
use papayu_system::trace::ConsoleForm;
use papayu_system::{NetworkMode, SandboxMode};

macro_rules! settings {
    ($($field:ident: $kind:ty, $name:literal, $trust:expr, [$($env:literal),+], $doc:literal;)*) => {
        /// Every setting, resolved.
        #[derive(Clone, Debug)]
        pub struct Settings { $(#[doc = $doc] pub $field: Setting<<$kind as ValueKind>::Value>,)* }

        /// Every setting's description, in the order shown to people.
        pub const KEYS: &[SettingKey] = &[$(SettingKey {
            name: $name,
            env: &[$($env),+],
            doc: $doc,
            secret: <$kind as ValueKind>::SECRET,
            trust: $trust,
            expected: <$kind as ValueKind>::expected_text,
            schema: <$kind as ValueKind>::json_schema,
        },)*];

        impl Settings {
            /// Takes the strongest value of every key; a wrong value in a weaker place is an error
            /// all the same, so that it does not wait for the day the stronger one goes.
            pub(super) fn resolve(mut layers: Layers) -> Result<Self, SettingsError> {
                $(let $field = layers.pick::<$kind>($name);)*
                // One pattern for all: a `?` for each field would compile the clean-up of all other fields
                // each time, a megabyte of code.
                match ($($field,)*) {
                    ($(Some($field),)*) if layers.problems.is_empty() => Ok(Self { $($field,)* }),
                    _ => Err(SettingsError { problems: layers.problems }),
                }
            }

            /// Returns every setting as people read it, in the order of the table.
            pub fn rows(&self) -> impl Iterator<Item = SettingRow<'_>> {
                [$(SettingRow {
                    key: $name,
                    shown_value: <$kind as ValueKind>::to_text(&self.$field.value),
                    origin: &self.$field.origin,
                    doc: $doc,
                    env: &[$($env),+],
                    trust: $trust,
                },)*].into_iter()
            }

            /// Returns the trace's `config_snapshot`: dotted names and values, secrets as `"set"`.
            pub fn snapshot(&self) -> Value {
                let mut all = serde_json::Map::new();
                $(all.insert($name.into(), <$kind as ValueKind>::to_json(&self.$field.value));)*
                Value::Object(all)
            }
        }
    };
}

/// A count of characters or bytes that memory is ready for.
type Size = Whole<1, 10_737_418_240>;
/// A budget; 0 is none.
type BudgetLimit = Whole<0, 1_000_000_000_000>;

/// Lower values permit less.
const LOWER: Trust = Trust::Narrow(Narrowing::Lower);
/// Lower values permit less, and 0 means no limit.
const LOWER_LIMIT: Trust = Trust::Narrow(Narrowing::LowerLimit);
/// `false` permits less.
const OFF: Trust = Trust::Narrow(Narrowing::TurnOff);

settings! {
    llm_provider: ProviderWord, "llm.provider", Trust::Narrow(Narrowing::NoModel), ["PAPAYU_LLM_PROVIDER"], "Provider: openai, openai-responses, anthropic, gemini, ollama, command, suggestions, suggestions,openai (or another model after the comma) or replay:FILE; empty is derived from the other llm settings";
    llm_api_url: UrlSetting, "llm.api_url", Trust::Never, ["PAPAYU_LLM_API_URL"], "Address of the model's API";
    llm_api_key: Secret, "llm.api_key", Trust::Never, ["PAPAYU_LLM_API_KEY"], "Key of the model's API; never in the repository's file";
    llm_command: TextSetting, "llm.command", Trust::Never, ["PAPAYU_LLM_COMMAND"], "Program of the provider `command`, with its arguments: it reads the prompt on standard input, writes the reply to standard output, and runs outside of the sandbox with your environment";
    llm_model: TextSetting, "llm.model", Trust::Repository, ["PAPAYU_LLM_MODEL"], "Model to ask";
    llm_second_model: TextSetting, "llm.second_model", Trust::Repository, ["PAPAYU_LLM_SECOND_MODEL"], "Model of the second and later attempts, asked only if the first model's replies were refused or its change did not pass the proof; empty is the same model";
    llm_second_api_url: UrlSetting, "llm.second_api_url", Trust::Never, ["PAPAYU_LLM_SECOND_API_URL"], "Address of the second model's API; empty is that of the first";
    llm_second_api_key: Secret, "llm.second_api_key", Trust::Never, ["PAPAYU_LLM_SECOND_API_KEY"], "Key of the second model's API, if it has an address of its own";
    llm_judge: AutoSwitch, "llm.judge", Trust::User, ["PAPAYU_JUDGE"], "Whether a model that sees only the change judges each proved one; auto judges where the run has a model, on requires one";
    llm_judge_model: TextSetting, "llm.judge_model", Trust::User, ["PAPAYU_JUDGE_MODEL"], "Model that judges, at the address of the first model; empty is the model of the attempt";
    llm_providers: ModelList, "llm.providers", Trust::Never, ["PAPAYU_LLM_PROVIDERS"], "Models that are asked at the same time in place of `llm.model`: a JSON list of `{url, model, api_key}`; their changes are merged, the first action of a path wins";
    llm_aggregator_url: UrlSetting, "llm.aggregator_url", Trust::Never, ["PAPAYU_LLM_AGGREGATOR_URL"], "Address of a model that combines the replies of `llm.providers`";
    llm_aggregator_key: Secret, "llm.aggregator_key", Trust::Never, ["PAPAYU_LLM_AGGREGATOR_KEY"], "Key of that model's API";
    llm_aggregator_model: TextSetting, "llm.aggregator_model", Trust::User, ["PAPAYU_LLM_AGGREGATOR_MODEL"], "Model that combines the replies; without it and its address they are merged";
    llm_strict_json: AutoSwitch, "llm.strict_json", Trust::Repository, ["PAPAYU_LLM_STRICT_JSON"], "Whether to send `response_format`; auto sends it to providers that are known to accept it";
    llm_reasoning_effort: Choice<ReasoningEffort>, "llm.reasoning_effort", Trust::Repository, ["PAPAYU_LLM_REASONING_EFFORT"], "Amount of reasoning before a reply: auto (the model's default, nothing is sent), none, minimal, low, medium, high or xhigh; sent to openai, openai-responses and gemini, and left out if the model refuses it";
    llm_temperature: Decimal, "llm.temperature", Trust::Repository, ["PAPAYU_LLM_TEMPERATURE"], "Temperature of the replies; sent to openai, openai-responses and ollama, and left out if the model refuses it";
    llm_context_window: BudgetLimit, "llm.context_window", Trust::Repository, ["PAPAYU_LLM_CONTEXT_WINDOW"], "Tokens that the model can take, prompt and reply together; 0 is the window of a model that is known (`doctor` names it), and for others a large one, to which nothing is fitted";
    llm_long_input_max_tokens: BudgetLimit, "llm.long_input_max_tokens", Trust::Repository, ["PAPAYU_LLM_LONG_INPUT_MAX_TOKENS"], "Maximum tokens of a reply to a request of more than 80000 characters; 0 is the limit of other replies";
    llm_timeout_sec: Seconds, "llm.timeout_sec", Trust::Repository, ["PAPAYU_LLM_TIMEOUT_SEC"], "Time limit of one request to the model, in seconds";
    llm_price_file: PathSetting, "llm.price_file", Trust::User, ["PAPAYU_PRICE_FILE"], "TOML file of prices that adds to the built-in one";
    protocol_version: Protocol, "protocol.version", Trust::Repository, ["PAPAYU_PROTOCOL_VERSION", "PAPAYU_PROTOCOL_DEFAULT"], "Protocol that the model is asked for: 1, 2 or 3";
    protocol_fallback_to_v1: Switch, "protocol.fallback_to_v1", Trust::Repository, ["PAPAYU_PROTOCOL_FALLBACK_TO_V1"], "Whether a change that does not apply is requested once more in v1; the step from v3 to v2 does not depend on it";
    protocol_direct: Switch, "protocol.direct", Trust::Repository, ["PAPAYU_PROTOCOL_DIRECT"], "Whether the reply to a PLAN request may bring the change itself, in v2 and v3";
    context_max_rounds: Whole<0, 20>, "context.max_rounds", LOWER, ["PAPAYU_MAX_CONTEXT_ROUNDS"], "Maximum number of requests of the model for more context";
    context_max_files: Whole<1, 1000>, "context.max_files", LOWER, ["PAPAYU_CONTEXT_MAX_FILES"], "Maximum number of files in the context";
    context_max_file_chars: Size, "context.max_file_chars", LOWER, ["PAPAYU_CONTEXT_MAX_FILE_CHARS"], "Maximum characters of one file";
    context_max_total_chars: Size, "context.max_total_chars", LOWER, ["PAPAYU_CONTEXT_MAX_TOTAL_CHARS"], "Maximum characters of the whole context";
    context_max_log_chars: Size, "context.max_log_chars", LOWER, ["PAPAYU_CONTEXT_MAX_LOG_CHARS"], "Maximum characters of the log";
    context_graph: Switch, "context.graph", Trust::Repository, ["PAPAYU_CONTEXT_GRAPH"], "Whether the first request names the imports around its files, hubs and entry points";
    context_compress: Choice<Compression>, "context.compress", Trust::Repository, ["PAPAYU_CONTEXT_COMPRESS"], "Summary of a conversation that fills 80 % of the window: facts (what was shown and the last reply) or model (the model summarizes it, in one more request)";
    index_ignore: List, "index.ignore", Trust::Repository, ["PAPAYU_INDEX_IGNORE"], "Globs of files and folders that the index leaves out in addition to those of `.gitignore`, in its form; a list replaces the default one";
    run_command: TextSetting, "run.command", Trust::Repository, ["PAPAYU_RUN"], "Command that shows the failure and proves the fix";
    run_setup: Commands, "run.setup", Trust::Repository, ["PAPAYU_SETUP"], "Commands that install what the project needs before the first run of the command, with the network of `deps` unless `run.network` is on or off; `auto` is the usual installation of the project's kind";
    run_setup_timeout_sec: Seconds, "run.setup_timeout_sec", Trust::Repository, ["PAPAYU_SETUP_TIMEOUT_SEC"], "Time limit of each of these commands, in seconds";
    run_max_attempts: Whole<1, 20>, "run.max_attempts", LOWER, ["PAPAYU_MAX_ATTEMPTS"], "Maximum number of attempts in a run; a failed verification leads to another plan";
    run_on_error: Choice<OnError>, "run.on_error", Trust::Repository, ["PAPAYU_ON_ERROR"], "Reaction to a request without a reply: abort (the run ends), retry (the next attempt asks again) or skip (the second model takes over)";
    run_self_check: Switch, "run.self_check", OFF, ["PAPAYU_SELF_CHECK"], "Whether the model cites the lines that show each claim of its summary, in one more request; claims without a proof are named";
    run_flake_reruns: Whole<0, 20>, "run.flake_reruns", LOWER, ["PAPAYU_FLAKE_RERUNS"], "Number of reruns of a failure that looks like a flaky test, before anything is changed";
    run_control_run: Switch, "run.control_run", Trust::Narrow(Narrowing::TurnOn), ["PAPAYU_CONTROL_RUN"], "Whether the failing command runs again with only a comment added before a model is asked, and a short one with and without the fix after it";
    run_prove_runs: Whole<0, 1000>, "run.prove_runs", LOWER, ["PAPAYU_FLAKE_PROOF"], "Maximum number of runs that prove the fix of a flaky test; 0 fixes no flaky test";
    run_base: TextSetting, "run.base", Trust::User, ["PAPAYU_BASE"], "Branch or commit that the work is based on: a failure that is there too is not fixed; empty is that of the pull request";
    run_green: TextSetting, "run.green", Trust::User, ["PAPAYU_GREEN"], "Commit, tag or branch on which the command passed; `auto` is the base of the pull request, the commit of the last CI run that passed, the commit before the push or the last pushed one; empty is none";
    run_culprit: Choice<CulpritSearch>, "run.culprit", Trust::User, ["PAPAYU_CULPRIT"], "Whether the commit that made the command fail is named: off, guess (from the changed lines; nothing is run) or prove (the command runs on earlier commits)";
    run_culprit_budget: Whole<1, 100>, "run.culprit_budget", LOWER, ["PAPAYU_CULPRIT_BUDGET"], "Maximum number of runs on earlier commits";
    run_allow_undo: Switch, "run.allow_undo", OFF, ["PAPAYU_ALLOW_UNDO"], "Whether the sources of the commit that is proved to have made the command fail, or the packages that moved since the green one, may be taken back if nothing else helps; the outcome is then `undone`";
    run_fix_base: Switch, "run.fix_base", OFF, ["PAPAYU_FIX_BASE"], "Whether a failure is fixed that the base has too";
    run_format: Switch, "run.format", Trust::Repository, ["PAPAYU_FORMAT"], "Whether changed files are formatted by the project's formatter before the proof, if they were formatted before the change";
    run_guard: TextSetting, "run.guard", Trust::User, ["PAPAYU_GUARD"], "Command in which a fix must not break what passed before; empty is the command without its selection of tests, and the project's type checker; `off` is none";
    run_require_proof: Choice<ProofLevel>, "run.require_proof", Trust::Narrow(Narrowing::Strengthen), ["PAPAYU_REQUIRE_PROOF"], "Weakest proof of a fix that is accepted: `exit_code`, counts (as many tests ran as before) or tests (each test is seen passing)";
    run_on_conflict: Choice<OnConflict>, "run.on_conflict", Trust::User, ["PAPAYU_ON_CONFLICT"], "Treatment of a file that changed while the reply was generated: regenerate (the change is requested again), skip (it is dropped) or apply (to the file as it is now, if every part still has its place)";
    run_accept_flags: Switch, "run.accept_flags", OFF, ["PAPAYU_ACCEPT_FLAGS"], "Whether a fix counts although places of it are flagged for review";
    run_timeout_sec: Seconds, "run.timeout_sec", LOWER, ["PAPAYU_TIMEOUT_SEC"], "Time limit of the whole run, in seconds";
    run_verify_timeout_sec: Seconds, "run.verify_timeout_sec", Trust::Repository, ["PAPAYU_VERIFY_TIMEOUT_SEC"], "Time limit of one call of the command, in seconds";
    run_max_output_bytes: Size, "run.max_output_bytes", LOWER, ["PAPAYU_VERIFY_MAX_OUTPUT"], "Maximum bytes of output, above which the command is ended";
    run_keep_env: List, "run.keep_env", Trust::Never, ["PAPAYU_KEEP_ENV"], "Variables that commands see in addition to the fixed list, even if they look like secrets";
    run_sandbox: Choice<SandboxMode>, "run.sandbox", Trust::Narrow(Narrowing::Only("required")), ["PAPAYU_SANDBOX"], "Whether commands that run the repository's code run in a sandbox: auto (as far as the machine provides one), required (only in a whole one) or off";
    run_network: Choice<NetworkMode>, "run.network", Trust::Narrow(Narrowing::Only("off")), ["PAPAYU_NETWORK"], "Whether such commands have the network: auto (until the first change; after it, if the control run needed it), deps (only registries of packages), on or off";
    run_registries: List, "run.registries", Trust::Never, ["PAPAYU_REGISTRIES"], "Hosts of registries that commands reach with `run.network = deps`, in addition to the known ones";
    run_writable: List, "run.writable", Trust::Never, ["PAPAYU_WRITABLE"], "Absolute paths outside the repository that commands in the sandbox may change";
    run_emit: Choices<Emit>, "run.emit", Trust::Narrow(Narrowing::Subset), ["PAPAYU_EMIT"], "Outputs of a run: patch, worktree, bundle, branch, pr; at the pull request that failed: suggest, commit, comment; issue about a failure of the infrastructure";
    run_max_attempts_total: Whole<0, 1000>, "run.max_attempts_total", LOWER_LIMIT, ["PAPAYU_MAX_ATTEMPTS_TOTAL"], "Maximum number of attempts at one failure across runs, counted in its branch and pull request; 0 is no limit";
    budget_max_tokens: BudgetLimit, "budget.max_tokens", LOWER_LIMIT, ["PAPAYU_MAX_TOKENS"], "Maximum tokens of a run; 0 is no limit";
    budget_max_cost: Decimal, "budget.max_cost", LOWER_LIMIT, ["PAPAYU_MAX_COST"], "Maximum cost of a run in US dollars; 0 is no limit";
    budget_max_requests: BudgetLimit, "budget.max_requests", LOWER_LIMIT, ["PAPAYU_MAX_REQUESTS"], "Maximum requests of a run to providers; 0 is no limit";
    paths_protected: List, "paths.protected", Trust::Narrow(Narrowing::Grow), ["PAPAYU_PROTECTED_PATHS"], "Globs of files that must not be changed, in addition to the built-in ones";
    paths_allowed: List, "paths.allowed", Trust::Narrow(Narrowing::AllowList), ["PAPAYU_ALLOWED_PATHS"], "Extensions (.rs) and names (Makefile) that may be written; empty is any";
    policy_allow: OptionalChoices<Allowance>, "policy.allow", Trust::Narrow(Narrowing::Subset), ["PAPAYU_ALLOW"], "Kinds of files that a change may touch although the proof depends on them: tests, snapshots, settings, packaging, build, ci";
    policy_allow_delete: Switch, "policy.allow_delete", OFF, ["PAPAYU_ALLOW_DELETE"], "Whether files and folders may be deleted";
    policy_allow_ci_files: Switch, "policy.allow_ci_files", OFF, ["PAPAYU_ALLOW_CI_FILES"], "The same as `ci` in `policy.allow`";
    policy_allow_test_edits: Switch, "policy.allow_test_edits", OFF, ["PAPAYU_ALLOW_TEST_EDITS"], "The same as `tests`, `snapshots` and `settings` in `policy.allow`";
    apply_normalize_eol: Choice<LineEndings>, "apply.normalize_eol", Trust::Repository, ["PAPAYU_NORMALIZE_EOL"], "Line endings of changed files: keep (the file's own) or lf";
    memory_accept: Switch, "memory.accept", Trust::Never, ["PAPAYU_ACCEPT_MEMORY"], "Whether what a reply asks to remember is saved to the engineering memory";
    notes_enabled: Switch, "notes.enabled", OFF, ["PAPAYU_NOTES"], "Whether notes on earlier failures are shown to models, and proved fixes leave one";
    notes_ttl_days: Whole<1, 3650>, "notes.ttl_days", LOWER, ["PAPAYU_NOTES_TTL_DAYS"], "Days after which a note is no longer shown, unless it is pinned";
    tools_allow: List, "tools.allow", Trust::Never, ["PAPAYU_TOOLS_ALLOW"], "Commands that the tool `run_command` may run besides the built-in ones: a program, or a program and its first words";
    tools_deny: List, "tools.deny", Trust::Narrow(Narrowing::Grow), ["PAPAYU_TOOLS_DENY"], "Commands that it never runs; they win over `tools.allow`";
    trace_enabled: Switch, "trace.enabled", OFF, ["PAPAYU_TRACE"], "Whether a trace file is written for every exchange";
    trace_raw: Switch, "trace.raw", OFF, ["PAPAYU_TRACE_RAW"], "Whether traces contain the raw replies of the model, with secrets masked";
    trace_dir: PathSetting, "trace.dir", Trust::Inside(OutputForm::Folder), ["PAPAYU_TRACE_DIR"], "Folder of trace files";
    git_remote: TextSetting, "git.remote", Trust::Never, ["PAPAYU_GIT_REMOTE"], "Remote that branches are pushed to";
    forge_kind: Choice<ForgeChoice>, "forge.kind", Trust::Never, ["PAPAYU_FORGE_KIND"], "Forge of the repository: auto (from the other settings, the CI system or the remote), github, gitlab, gitea (also Forgejo), bitbucket or azure";
    forge_api_url: UrlSetting, "forge.api_url", Trust::Never, ["PAPAYU_FORGE_API_URL"], "Address of the forge's API, such as `https://HOST/api/v4` for GitLab, `https://HOST/api/v1` for Gitea and `https://dev.azure.com/ORGANISATION`; empty is that of the CI job or of the public server";
    forge_token: Secret, "forge.token", Trust::Never, ["PAPAYU_FORGE_TOKEN"], "Token for pushes to and requests of the forge that `forge.kind`, `forge.api_url` or the CI job names; never in the repository's file";
    forge_repository: TextSetting, "forge.repository", Trust::Never, ["PAPAYU_FORGE_REPOSITORY"], "Name of the repository on the forge: OWNER/NAME, with all groups on GitLab, PROJECT/NAME on Azure DevOps; empty is read from the CI job or the remote";
    snyk_token: Secret, "snyk.token", Trust::Never, ["PAPAYU_SNYK_TOKEN", "SNYK_TOKEN"], "Token of Snyk's REST API, sent to `snyk.api_url` only; never in the repository's file";
    snyk_api_url: UrlSetting, "snyk.api_url", Trust::Never, ["PAPAYU_SNYK_API_URL"], "Address of Snyk's REST API; other regions have other hosts";
    snyk_org: TextSetting, "snyk.org", Trust::User, ["PAPAYU_SNYK_ORG", "SNYK_ORG_ID"], "Identifier of the organization in Snyk that has the project of `--snyk-project`";
    snyk_project: TextSetting, "snyk.project", Trust::User, ["PAPAYU_SNYK_PROJECT", "SNYK_PROJECT_ID"], "Identifier of the project in Snyk that `snyk.sync` reads; empty is all projects of the organization";
    snyk_sync: Switch, "snyk.sync", OFF, ["PAPAYU_SNYK_SYNC"], "Whether each run reads the open issues from Snyk, shows them to the model with the failure, and lists them in the outcome and in `.papa-yu/agent-sync.json`";
    findings_scan: TextSetting, "findings.scan", Trust::User, ["PAPAYU_FINDINGS_SCAN"], "Command of the scanner that shows with the change in place that a finding is gone; it prints a report that `--findings` reads";
    github_token: Secret, "github.token", Trust::Never, ["PAPAYU_GITHUB_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"], "Token for pushes to and requests of GitHub; never in the repository's file";
    github_api_url: UrlSetting, "github.api_url", Trust::Never, ["PAPAYU_GITHUB_API_URL", "GITHUB_API_URL"], "Address of GitHub's API; for an Enterprise server `https://HOST/api/v3`";
    github_log_hosts: List, "github.log_hosts", Trust::Never, ["PAPAYU_GITHUB_LOG_HOSTS"], "Servers with private addresses that the forge may redirect a job log to, as HOST or HOST:PORT";
    github_repository: TextSetting, "github.repository", Trust::Never, ["PAPAYU_GITHUB_REPOSITORY", "GITHUB_REPOSITORY"], "Repository as OWNER/NAME; empty is read from the remote";
    github_app_id: TextSetting, "github.app_id", Trust::Never, ["PAPAYU_GITHUB_APP_ID"], "Number or client id of a GitHub App, which obtains the token in place of `github.token`";
    github_app_key_file: PathSetting, "github.app_key_file", Trust::Never, ["PAPAYU_GITHUB_APP_KEY_FILE"], "File with the private key of the GitHub App, in PEM";
    github_app_installation: BudgetLimit, "github.app_installation", Trust::Never, ["PAPAYU_GITHUB_APP_INSTALLATION"], "Number of the installation of the GitHub App; 0 is the one of the repository";
    pr_base: TextSetting, "pr.base", Trust::Repository, ["PAPAYU_PR_BASE"], "Target branch of a pull request; empty is the checked-out branch";
    pr_labels: List, "pr.labels", Trust::User, ["PAPAYU_PR_LABELS"], "Labels of a pull request";
    pr_reviewers: List, "pr.reviewers", Trust::Repository, ["PAPAYU_PR_REVIEWERS"], "Reviewers of a pull request; teams as team/NAME";
    pr_draft: Switch, "pr.draft", Trust::Narrow(Narrowing::TurnOn), ["PAPAYU_PR_DRAFT"], "Whether a new pull request is a draft";
    pr_auto_merge: Switch, "pr.auto_merge", OFF, ["PAPAYU_PR_AUTO_MERGE"], "Whether a pull request is merged automatically when all required checks have passed";
    pr_wait_checks: Whole<0, 21_600>, "pr.wait_checks", Trust::User, ["PAPAYU_PR_WAIT_CHECKS"], "Seconds to wait for the checks of the pull request; 0 does not wait";
    pr_api_commits: AutoSwitch, "pr.api_commits", Trust::User, ["PAPAYU_PR_API_COMMITS"], "Whether the forge makes and signs the commit; auto has it do so where the target branch requires signatures and git signs none";
    pr_code_owners: Switch, "pr.code_owners", Trust::Narrow(Narrowing::TurnOn), ["PAPAYU_PR_CODE_OWNERS"], "Whether the owners of changed files in `CODEOWNERS` are asked to review the pull request";
    pr_max_open: Whole<0, 1000>, "pr.max_open", LOWER_LIMIT, ["PAPAYU_PR_MAX_OPEN"], "Maximum number of open pull requests of papayu-batch in a repository, above which no other one is opened; 0 is no limit";
    pr_pause_label: TextSetting, "pr.pause_label", Trust::User, ["PAPAYU_PR_PAUSE_LABEL"], "Label LABEL or OWNER/REPOSITORY#LABEL: while an open issue or pull request of the repository, or of that one, has it, papayu-batch opens and updates no pull request";
    pr_reopen: Switch, "pr.reopen", OFF, ["PAPAYU_PR_REOPEN"], "Whether a pull request that a person closed is opened again";
    pr_check_run: Switch, "pr.check_run", OFF, ["PAPAYU_PR_CHECK_RUN"], "Whether the run adds a check run to the commit";
    log_format: Choice<ConsoleForm>, "log.format", Trust::Repository, ["PAPAYU_LOG_FORMAT"], "Events on stderr: human or json";
    out_dir: PathSetting, "out.dir", Trust::Inside(OutputForm::Results), ["PAPAYU_OUT"], "Folder of a run's results; empty is `.papa-yu/runs/RUN_ID` in the repository";
    out_junit: PathSetting, "out.junit", Trust::Inside(OutputForm::File(&[".xml"])), ["PAPAYU_OUT_JUNIT"], "File for the failures found and fixed, as JUnit XML";
    out_sarif: PathSetting, "out.sarif", Trust::Inside(OutputForm::File(&[".sarif", ".json"])), ["PAPAYU_OUT_SARIF"], "File for the failures found and fixed, as SARIF";
    out_agent_sync: Switch, "out.agent_sync", Trust::Repository, ["PAPAYU_AGENT_SYNC"], "Whether a run writes `.papa-yu/agent-sync.json`, which other agents read";
    batch_jobs: Whole<1, 256>, "batch.jobs", LOWER, ["PAPAYU_BATCH_JOBS"], "Number of repositories that a batch processes in parallel";
    batch_cache_dir: PathSetting, "batch.cache_dir", Trust::Never, ["PAPAYU_BATCH_CACHE_DIR"], "Folder of a batch's clones; empty is `papayu-batch/clones` in the user's cache folder";
    batch_cache_max_mb: Whole<1, 10_000_000>, "batch.cache_max_mb", Trust::User, ["PAPAYU_BATCH_CACHE_MAX_MB"], "Maximum megabytes of clones; the least recently used are removed first";
    batch_provider_rate: BudgetLimit, "batch.provider_rate", LOWER_LIMIT, ["PAPAYU_BATCH_PROVIDER_RATE"], "Maximum requests per minute of a batch to one provider; 0 is no limit";
    batch_forge_rate: BudgetLimit, "batch.forge_rate", LOWER_LIMIT, ["PAPAYU_BATCH_FORGE_RATE"], "Maximum requests per minute of a batch to the forge; 0 is no limit";
    batch_recipes_dir: PathSetting, "batch.recipes_dir", Trust::Never, ["PAPAYU_BATCH_RECIPES_DIR"], "Folder for the recipes that the tasks of a batch learn, and that later tasks try; empty is `recipes` in the folder of results";
    recipes_use: List, "recipes.use", Trust::Never, ["PAPAYU_RECIPES"], "Recipes that a run tries before all other fixes if they are for its failure: folders, files, and addresses of git repositories";
    recipes_dir: PathSetting, "recipes.dir", Trust::Never, ["PAPAYU_RECIPES_DIR"], "Folder for the recipes that proved fixes teach, and that later runs try; empty learns none";
    recipes_ask_model: Switch, "recipes.ask_model", OFF, ["PAPAYU_RECIPES_ASK_MODEL"], "Whether the model is asked once for a recipe of its proved fix if none could be learned from it; the rules must pass the same tests";
    recipes_apply: List, "recipes.apply", Trust::Never, ["PAPAYU_RECIPE"], "Recipe files that a run applies whether or not something fails, in place of a fix; the command has to pass afterwards";
    online_research: Switch, "online.research", OFF, ["PAPAYU_ONLINE_RESEARCH"], "Whether online research may be done: a search of the web, offered if a plan fails or the model asks for it";
    online_auto_use_as_context: Switch, "online.auto_use_as_context", OFF, ["PAPAYU_ONLINE_AUTO_USE_AS_CONTEXT"], "Whether a run does online research without asking, at most once, and shows the findings to the model";
    online_searxng_url: UrlSetting, "online.searxng_url", Trust::Never, ["PAPAYU_ONLINE_SEARXNG_URL"], "Address of a `SearXNG` server that answers in JSON; used in place of Tavily";
    online_tavily_api_key: Secret, "online.tavily_api_key", Trust::Never, ["PAPAYU_TAVILY_API_KEY"], "Key of the search engine Tavily; never in the repository's file";
    online_tavily_api_url: UrlSetting, "online.tavily_api_url", Trust::Never, ["PAPAYU_TAVILY_API_URL"], "Address of Tavily's API";
    online_model: TextSetting, "online.model", Trust::Never, ["PAPAYU_ONLINE_MODEL"], "Model of the configured provider that summarizes the findings; empty shows the texts of the pages";
    online_domains: List, "online.domains", Trust::Never, ["PAPAYU_ONLINE_DOMAINS"], "Only domains that online research reads, with their subdomains; empty is any";
    online_denied_domains: List, "online.denied_domains", Trust::Narrow(Narrowing::Grow), ["PAPAYU_ONLINE_DENIED_DOMAINS"], "Domains that online research never reads, with their subdomains";
    online_max_sources: Whole<1, 10>, "online.max_sources", LOWER, ["PAPAYU_ONLINE_MAX_SOURCES"], "Maximum number of sources of online research";
    online_max_pages: Whole<0, 10>, "online.max_pages", LOWER, ["PAPAYU_ONLINE_MAX_PAGES"], "Maximum number of pages that online research fetches; the other sources have the text of the search only";
    online_page_max_bytes: Whole<1000, 10_000_000>, "online.page_max_bytes", LOWER, ["PAPAYU_ONLINE_PAGE_MAX_BYTES"], "Maximum bytes of a page, decompressed; a longer page is not read";
    online_timeout_sec: Seconds, "online.timeout_sec", LOWER, ["PAPAYU_ONLINE_TIMEOUT_SEC"], "Time limit of the search, and of each page with its redirects, in seconds";
    queue_url: Secret, "queue.url", Trust::Never, ["PAPAYU_QUEUE"], "Address of the NATS server that `enqueue` and `worker` share, with its password: nats:// or tls://, several servers separated by commas, and the name of the queue as the path; never in the repository's file; for programs built with the feature `nats`";
    queue_credentials: PathSetting, "queue.credentials", Trust::Never, ["PAPAYU_QUEUE_CREDENTIALS"], "File with the credentials for the queue: a JWT with its key (`.creds`), or the seed of a key";
    queue_lease_sec: Whole<2, 86_400>, "queue.lease_sec", Trust::User, ["PAPAYU_QUEUE_LEASE_SEC"], "Seconds without a heartbeat after which another worker takes over a task";
    queue_max_tries: Whole<1, 1000>, "queue.max_tries", Trust::User, ["PAPAYU_QUEUE_MAX_TRIES"], "Attempts before a task is parked because its workers died";
    store_url: Secret, "store.url", Trust::Never, ["PAPAYU_STORE"], "Address of the Redis in which machines share facts of files and outcomes of runs, with its password: redis://, rediss:// or unix://; never in the repository's file; for programs built with the feature `redis`";
    store_expire_days: Whole<0, 3650>, "store.expire_days", Trust::User, ["PAPAYU_STORE_EXPIRE_DAYS"], "Days after which the shared store deletes the facts of a file; 0 keeps them";
    trust_repositories: List, "trust.repositories", Trust::Never, ["PAPAYU_TRUST_REPOSITORIES"], "Absolute paths or patterns of repositories; their settings files count as the user's own";
    trust_this_repository: Switch, "trust.this_repository", Trust::Never, ["PAPAYU_TRUST_REPOSITORY_SETTINGS"], "Whether the settings file of this repository counts as the user's own";
}
