//! Translates a session's settings into the configuration of the stages.

use std::path::PathBuf;

use super::error::FixError;
use super::online::research_config;
use super::session::Session;
use super::text_file::text;
use crate::engine::rules::DirectReply;
use crate::engine::{
    Budget, ContextWindow, EngineConfig, FlaggedFix, MemoryPatch, SetupPlan, TraceConfig,
};
use crate::settings::{Emit, data_folder};
use crate::{context, verify};
use papayu_providers::{Prices, Provider, known_window};
use papayu_system::SandboxConfig;

/// Returns the limits and choices of a run from its settings. A limit of 0 means no limit.
///
/// # Errors
///
/// Returns [`FixError::Provider`] for an invalid pattern in `paths.protected` or an unreadable
/// price file.
pub(crate) fn engine_config(session: &Session) -> Result<EngineConfig, FixError> {
    let settings = &session.settings;
    // In settings 0 means no limit, in the code `None`.
    let limit = |value: u64| (value > 0).then_some(value);
    let trace_dir = settings.trace_dir.resolved(session.top().root());
    Ok(EngineConfig {
        version: settings.protocol_version.value,
        fallback: settings.protocol_fallback_to_v1.value,
        direct: if settings.protocol_direct.value {
            DirectReply::Accept
        } else {
            DirectReply::Refuse
        },
        on_conflict: settings.run_on_conflict.value,
        research: research_config(session),
        flake_reruns: u32::try_from(settings.run_flake_reruns.value).unwrap_or(u32::MAX),
        prove_runs: u32::try_from(settings.run_prove_runs.value).unwrap_or(u32::MAX),
        culprit: settings.run_culprit.value,
        culprit_runs: u32::try_from(settings.run_culprit_budget.value).unwrap_or(u32::MAX),
        control_run: settings.run_control_run.value,
        require_proof: settings.run_require_proof.value,
        flagged: if settings.run_accept_flags.value {
            FlaggedFix::Accept
        } else {
            FlaggedFix::Refuse
        },
        on_error: settings.run_on_error.value,
        self_check: settings.run_self_check.value,
        asks_recipe: settings.recipes_ask_model.value,
        judges: settings.llm_judge.value != Some(false),
        max_rounds: u32::try_from(settings.context_max_rounds.value).unwrap_or(u32::MAX),
        diet: diet(session),
        graph: settings.context_graph.value,
        compress: settings.context_compress.value,
        window: limit(settings.llm_context_window.value)
            .map(|tokens| ContextWindow { tokens: u32::try_from(tokens).unwrap_or(u32::MAX) }),
        budget: Budget {
            max_tokens: limit(settings.budget_max_tokens.value),
            max_cost: Some(settings.budget_max_cost.value).filter(|cost| *cost > 0.0),
            max_requests: limit(settings.budget_max_requests.value)
                .map(|max| u32::try_from(max).unwrap_or(u32::MAX)),
            timeout: settings.run_timeout_sec.value,
        },
        policy: policy(session)?,
        verify: verify_config(session),
        setup: SetupPlan::default(),
        trace: TraceConfig {
            dir: trace_dir.filter(|_| settings.trace_enabled.value),
            raw: settings.trace_raw.value,
        },
        long_input_tokens: limit(settings.llm_long_input_max_tokens.value)
            .and_then(|tokens| u32::try_from(tokens).ok()),
        memory_patch: if settings.memory_accept.value {
            MemoryPatch::Accept
        } else {
            MemoryPatch::Drop
        },
        keep_tree: settings.run_emit.value.contains(&Emit::Worktree),
        prices: prices(session)?,
        snapshot: settings.snapshot(),
    })
}

/// Returns the limits on the user's command.
pub(crate) fn verify_config(session: &Session) -> verify::VerifyConfig {
    let settings = &session.settings;
    verify::VerifyConfig {
        timeout: settings.run_verify_timeout_sec.value,
        max_output: settings.run_max_output_bytes.value,
        keep_env: settings.run_keep_env.value.clone(),
        network: settings.run_network.value,
        runner_options: verify::RunnerOptions::new(&session.environment),
        variables: Vec::new(),
    }
}

/// Returns the sandbox of commands that run the repository's code.
pub(crate) fn sandbox_config(session: &Session) -> SandboxConfig {
    let settings = &session.settings;
    let absolute = |paths: &[String]| {
        paths.iter().map(PathBuf::from).filter(|path| path.is_absolute()).collect::<Vec<_>>()
    };
    SandboxConfig {
        mode: settings.run_sandbox.value,
        writable: absolute(&settings.run_writable.value),
        hidden: settings
            .batch_cache_dir
            .value
            .iter()
            .chain(&session.hidden)
            .cloned()
            // Else the repository's own code could write to the user's memory.
            .chain(data_folder(&session.environment))
            .collect(),
        shared: session.sandbox.clone(),
        registries: settings.run_registries.value.clone(),
    }
}

/// Returns the budget of the context, in files and characters.
pub(crate) fn diet(session: &Session) -> context::DietConfig {
    let settings = &session.settings;
    context::DietConfig {
        max_files: count(settings.context_max_files.value),
        max_file_chars: count(settings.context_max_file_chars.value),
        max_total_chars: count(settings.context_max_total_chars.value),
        max_log_chars: count(settings.context_max_log_chars.value),
        is_hard: false,
    }
}

/// Returns the rules for the files that a change may touch.
///
/// Fails with [`FixError::Provider`] if a glob of `paths.protected` is invalid.
pub(crate) fn policy(session: &Session) -> Result<papayu_vet::Policy, FixError> {
    let settings = &session.settings;
    Ok(papayu_vet::Policy {
        allow_delete: settings.policy_allow_delete.value,
        allowances: settings.allowances(),
        checks: std::collections::BTreeSet::new(),
        product: std::collections::BTreeSet::new(),
        protected: papayu_vet::Globs::parse_below(
            &session.prefix(),
            &settings.paths_protected.value,
        )
        .map_err(|fault| FixError::Provider(format!("paths.protected: {fault}")))?,
        allowed: settings.paths_allowed.value.clone(),
        endings: settings.apply_normalize_eol.value,
    })
}

/// Returns the table of prices: that of the setting, else the built-in one.
fn prices(session: &Session) -> Result<Prices, FixError> {
    let settings = &session.settings;
    let prices = match settings.llm_price_file.resolved(&session.repo) {
        Some(path) => Prices::with_file(&text(&session.disk, &path)?),
        None => Prices::built_in(),
    };
    prices.map_err(|error| FixError::Provider(error.to_string()))
}

/// Refuses a cost limit that cannot be kept because the price of a model is unknown, before
/// anything is spent.
///
/// # Errors
///
/// Returns [`FixError::NoPrice`] with the name of the model.
pub(crate) fn priced(
    session: &Session,
    config: &EngineConfig,
    providers: &[&dyn Provider],
) -> Result<(), FixError> {
    if session.settings.budget_max_cost.value <= 0.0 {
        return Ok(());
    }
    let usage = papayu_base::domain::Usage { input: 1, ..Default::default() };
    let unpriced = all_members(providers).find(|provider| {
        // A recording costs nothing, whatever model it names.
        provider.name() != "replay"
            && config.prices.cost(provider.name(), provider.model(), usage).is_none()
    });
    match unpriced {
        Some(provider) => Err(FixError::NoPrice(provider.model().to_owned())),
        None => Ok(()),
    }
}

/// Returns the smallest window of these providers' models that is known; `None` if none is.
pub(crate) fn known_model_window(providers: &[&dyn Provider]) -> Option<ContextWindow> {
    let windows = all_members(providers).filter_map(|it| known_window(it.model()));
    windows.min().map(|tokens| ContextWindow { tokens })
}

/// Returns the providers, and in place of one that asks several those that it asks.
fn all_members<'p>(providers: &[&'p dyn Provider]) -> impl Iterator<Item = &'p dyn Provider> {
    providers.iter().flat_map(|provider| {
        let members = provider.members();
        if members.is_empty() { vec![*provider] } else { members }
    })
}

/// Returns a setting as a size in memory; a larger value than the machine can address is the
/// largest one.
pub(crate) fn count(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
