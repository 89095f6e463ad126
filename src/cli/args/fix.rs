//! `papayu-batch fix`, and the flags that it shares with the commands that ask a model or change files.

use std::path::PathBuf;

use clap::Args;

use super::context::GoalArgs;
use super::findings::FindingsArgs;
use super::offer::{AllowArgs, OfferArgs};
use super::value::{
    ProviderNames, command_text, flag_values, lines_value, list_value, number_value, switch_value,
};
use crate::settings::FlagValue;

/// Fix a failure: plan, apply, verify, and output the change.
#[derive(Debug, Args)]
pub struct FixArgs {
    /// The goal and the failure.
    #[command(flatten)]
    pub goal: GoalArgs,
    /// The findings of a scanner.
    #[command(flatten)]
    pub findings: FindingsArgs,
    /// The model that is asked, and its budget.
    #[command(flatten)]
    pub model: ModelArgs,
    /// The permissions and the results.
    #[command(flatten)]
    pub change: ChangeArgs,
    /// The recipes.
    #[command(flatten)]
    pub recipes: RecipeFlags,
    /// The options of a pull request.
    #[command(flatten)]
    pub offer: OfferArgs,
}

/// The recipes that are tried or applied.
#[derive(Debug, Args)]
#[command(next_help_heading = "Recipes")]
pub struct RecipeFlags {
    /// Recipes that are tried before all other fixes if they are for the failure: a folder, a file, or the address of a git
    /// repository (`ADDRESS#NAME` for a branch or tag). May be given several times
    #[arg(long, value_name = "PLACE")]
    pub recipes: Vec<String>,
    /// Recipe to apply whether or not something fails; the command has to pass afterwards. May be given several times
    #[arg(long, value_name = "FILE")]
    pub recipe: Vec<String>,
}

impl RecipeFlags {
    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        flag_values([
            ("recipes.use", list_value(&self.recipes), "--recipes"),
            ("recipes.apply", list_value(&self.recipe), "--recipe"),
        ])
    }
}

/// The model that is asked, and its budget.
#[derive(Debug, Args)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// Provider: openai, openai-responses, anthropic, gemini, ollama, command (the program of `llm.command`),
    /// suggestions, suggestions,openai (or another model after the comma) or replay:FILE
    #[arg(long, value_name = "NAME", value_parser = ProviderNames, hide_possible_values = true)]
    pub provider: Option<String>,
    /// Model to ask
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Model of the second and later attempts: a stronger one, asked only if the first one failed the
    /// checks or the proof
    #[arg(long, value_name = "NAME")]
    pub second_model: Option<String>,
    /// Judgement of each proved change by a model that sees only the change: auto (where the run has a model), on
    /// (requires a model) or off [default: auto]
    #[arg(long, value_name = "WHEN", value_parser = ["auto", "on", "off"])]
    pub judge: Option<String>,
    /// Reaction to a request without a reply: abort, retry (in the next attempt) or skip (to the second model)
    /// [default: abort]
    #[arg(long, value_name = "WHAT", value_parser = ["abort", "retry", "skip"])]
    pub on_error: Option<String>,
    /// Ask the model once more for the lines that show each claim of its summary, and name the claims without a proof
    #[arg(long)]
    pub self_check: bool,
    /// Amount of reasoning before a reply: none, minimal, low, medium, high or xhigh [default: the
    /// model's own]
    #[arg(long, value_name = "EFFORT")]
    pub reasoning_effort: Option<String>,
    /// Address of the model's API; its key comes from `PAPAYU_LLM_API_KEY`
    #[arg(long, value_name = "URL")]
    pub api_url: Option<String>,
    /// Protocol version, 1, 2 or 3 [default: 2]
    #[arg(long, value_name = "VERSION", value_parser = ["1", "2", "3"])]
    pub protocol: Option<String>,
    /// Maximum number of tokens
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u64>,
    /// Maximum cost in US dollars
    #[arg(long, value_name = "USD")]
    pub max_cost: Option<String>,
    /// Maximum number of requests to providers
    #[arg(long, value_name = "N")]
    pub max_requests: Option<u64>,
    /// Domain that online research may read, with its subdomains; may be given several times [default: any]
    #[arg(long, value_name = "DOMAIN", value_delimiter = ',')]
    pub research_domains: Vec<String>,
    /// Time limit of the whole run, in seconds [default: 1800]
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<u64>,
    /// Save what the model's reply asks to remember to the engineering memory
    #[arg(long)]
    pub accept_memory: bool,
    /// Record every exchange with the model in this file, for `--provider replay:FILE`
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

/// The permissions and the results.
#[derive(Debug, Args)]
#[command(next_help_heading = "Change")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct ChangeArgs {
    /// Result to produce; may be given several times [default: patch]
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = ["patch", "worktree", "bundle", "branch", "pr", "suggest", "commit", "comment", "issue"])]
    pub emit: Vec<String>,
    /// Number of attempts; a failed verification leads to another plan [default: 2]
    #[arg(long, value_name = "N")]
    pub max_attempts: Option<u64>,
    /// Number of reruns of a failure that looks like a flaky test [default: 2]
    #[arg(long, value_name = "N")]
    pub flake_reruns: Option<u64>,
    /// Fix a flaky test, and prove the fix by at most so many runs [default: 0, which fixes none]
    #[arg(long, value_name = "N")]
    pub prove_runs: Option<u64>,
    /// Name the commit that made the command fail: off, guess from the changed lines, or prove by runs of the
    /// command on earlier commits [default: guess]
    #[arg(long, value_name = "HOW", value_parser = ["off", "guess", "prove"])]
    pub culprit: Option<String>,
    /// Take back the proved culprit, or the packages that moved, if nothing else helps; the outcome is `undone`
    #[arg(long)]
    pub allow_undo: bool,
    /// Fix a failure although the base (`--base`) has it too
    #[arg(long)]
    pub fix_base: bool,
    /// Do not run the command again with an empty change, and after a fix without and with it
    #[arg(long)]
    pub no_control_run: bool,
    /// Do not format the changed files with the project's formatter
    #[arg(long)]
    pub no_format: bool,
    /// Command in which a fix must not break what passed before; `off` is none [default: the command
    /// without its selection of tests, and the project's type checker]
    #[arg(long, value_name = "CMD", value_parser = command_text)]
    pub guard: Option<String>,
    /// Command that installs what the project needs before the first run, or auto for the usual installation of its kind;
    /// may be given several times [default: none]
    #[arg(long, value_name = "CMD|auto", value_parser = command_text)]
    pub setup: Vec<String>,
    /// Time limit of each of these commands, in seconds [default: 1200]
    #[arg(long, value_name = "SECONDS")]
    pub setup_timeout: Option<u64>,
    /// Weakest proof of a fix that is accepted [default: `exit_code`]
    #[arg(long, value_name = "LEVEL", value_parser = ["exit_code", "counts", "tests"])]
    pub require_proof: Option<String>,
    /// Treatment of a file that changed while the reply was generated: regenerate, skip or apply
    /// [default: regenerate]
    #[arg(long, value_name = "WHAT", value_parser = ["apply", "skip", "regenerate"])]
    pub on_conflict: Option<String>,
    /// Accept a fix although places of it are flagged for review
    #[arg(long)]
    pub accept_flags: bool,
    /// Time limit of one call of the command, in seconds [default: 900]
    #[arg(long, value_name = "SECONDS")]
    pub verify_timeout: Option<u64>,
    /// Sandbox of commands that run the repository's code [default: auto]
    #[arg(long, value_name = "WHEN", value_parser = ["auto", "required", "off"])]
    pub sandbox: Option<String>,
    /// Network of such commands; auto turns it off after the first change, if they do not need it; deps is only
    /// registries of packages [default: auto]
    #[arg(long, value_name = "WHEN", value_parser = ["auto", "on", "off", "deps"])]
    pub network: Option<String>,
    /// The files that a change may touch.
    #[command(flatten)]
    pub allow: AllowArgs,
}

impl FixArgs {
    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        let Self { goal, findings, model, change, recipes, offer } = self;
        let flags = [goal.flags(), findings.flags(), model.flags(), change.flags()];
        [flags.concat(), recipes.flags(), offer.flags()].concat()
    }
}

impl ModelArgs {
    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        flag_values([
            ("llm.provider", self.provider.clone(), "--provider"),
            ("llm.model", self.model.clone(), "--model"),
            ("llm.second_model", self.second_model.clone(), "--second-model"),
            ("llm.judge", self.judge.clone(), "--judge"),
            ("run.on_error", self.on_error.clone(), "--on-error"),
            ("run.self_check", switch_value(self.self_check), "--self-check"),
            ("llm.reasoning_effort", self.reasoning_effort.clone(), "--reasoning-effort"),
            ("llm.api_url", self.api_url.clone(), "--api-url"),
            ("protocol.version", self.protocol.clone(), "--protocol"),
            ("budget.max_tokens", number_value(self.max_tokens), "--max-tokens"),
            ("budget.max_cost", self.max_cost.clone(), "--max-cost"),
            ("budget.max_requests", number_value(self.max_requests), "--max-requests"),
            ("online.domains", list_value(&self.research_domains), "--research-domains"),
            ("run.timeout_sec", number_value(self.timeout), "--timeout"),
            ("memory.accept", switch_value(self.accept_memory), "--accept-memory"),
        ])
    }
}

impl ChangeArgs {
    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        // The flag turns the setting off, so its value is the opposite.
        let control_run = self.no_control_run.then(|| "false".to_owned());
        let format = self.no_format.then(|| "false".to_owned());
        let flags = flag_values([
            ("run.emit", list_value(&self.emit), "--emit"),
            ("run.max_attempts", number_value(self.max_attempts), "--max-attempts"),
            ("run.flake_reruns", number_value(self.flake_reruns), "--flake-reruns"),
            ("run.control_run", control_run, "--no-control-run"),
            ("run.prove_runs", number_value(self.prove_runs), "--prove-runs"),
            ("run.culprit", self.culprit.clone(), "--culprit"),
            ("run.allow_undo", switch_value(self.allow_undo), "--allow-undo"),
            ("run.fix_base", switch_value(self.fix_base), "--fix-base"),
            ("run.format", format, "--no-format"),
            ("run.guard", self.guard.clone(), "--guard"),
            ("run.setup", lines_value(&self.setup), "--setup"),
            ("run.setup_timeout_sec", number_value(self.setup_timeout), "--setup-timeout"),
            ("run.require_proof", self.require_proof.clone(), "--require-proof"),
            ("run.on_conflict", self.on_conflict.clone(), "--on-conflict"),
            ("run.accept_flags", switch_value(self.accept_flags), "--accept-flags"),
            ("run.verify_timeout_sec", number_value(self.verify_timeout), "--verify-timeout"),
            ("run.sandbox", self.sandbox.clone(), "--sandbox"),
            ("run.network", self.network.clone(), "--network"),
        ]);
        [flags, self.allow.flags()].concat()
    }
}
