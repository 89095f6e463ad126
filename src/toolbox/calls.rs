//! Answers calls of tools one after the other, from an index that follows the files.

use serde_json::Value;

use crate::fix::config::{policy, verify_config};
use crate::fix::indexed::{MAX_FILE_BYTES, open_cache, open_indexed};
use crate::fix::runtime::Runtime;
use crate::fix::{FixError, Session};
use crate::project;
use crate::tools::{
    self, CallIndex, CommandRules, IndexedCode, TextFilter, ToolAnswer, ToolEntry, ToolError,
    ToolSession,
};
use papayu_base::domain::EventSink;
use papayu_index::{IncrementalIndex, IndexSources};

/// Takes the answer of a call.
pub(crate) type Respond = Box<dyn FnOnce(Result<ToolAnswer, ToolError>) + Send>;

/// A call of a tool.
pub(crate) struct ToolCall {
    /// The tool.
    pub(crate) tool: &'static ToolEntry,
    /// Its parameters, an object.
    pub(crate) params: Value,
    /// Takes the answer.
    pub(crate) respond: Respond,
}

/// Answers calls one after the other, until `next` returns `None`.
///
/// The index is brought up to date for a call that reads it, if files changed since the last one.
///
/// # Errors
///
/// The repository cannot be read, or a setting of the rules is wrong. Errors of calls go to their callers.
pub(crate) fn answer_calls(
    session: &Session,
    runtime: &Runtime,
    events: &dyn EventSink,
    next: &mut dyn FnMut() -> Option<ToolCall>,
) -> Result<(), FixError> {
    let disk = open_indexed(session)?;
    let cache = open_cache(session);
    let sources = IndexSources {
        survey: &disk,
        cache: cache.as_ref(),
        shared: None,
        clock: runtime.system().clock,
        events,
        max_file_bytes: MAX_FILE_BYTES,
        later: None,
    };
    let (policy, commands) = (policy(session)?, command_rules(session));
    let mut keeper = IncrementalIndex::default();
    let mut filter = TextFilter::default();
    let mut waiting = None;
    while let Some(call) = waiting.take().or_else(&mut *next) {
        let call: ToolCall = call;
        if call.tool.uses_index
            && let Err(error) = keeper.refresh(&sources)
        {
            (call.respond)(Err(ToolError::Index(error)));
            continue;
        }
        filter.keep_current(&keeper);
        let workspace = ToolSession {
            tree: session.tree.as_ref(),
            system: runtime.system(),
            code: IndexedCode::of_session(session.tree.as_ref(), &keeper, &filter),
            calls: CallIndex::new(&keeper, sources),
            masker: &runtime.masker,
            environment: &session.environment,
            policy: &policy,
            commands: &commands,
        };
        let is_outdated = || !keeper.is_current(&sources).unwrap_or(false);
        waiting = answer_from(&workspace, call, &is_outdated, next);
    }
    Ok(())
}

/// Answers calls from one state of the index. Returns the first call that needs a newer one; `None` after
/// the last call.
fn answer_from<'w>(
    workspace: &'w ToolSession<'w>,
    first: ToolCall,
    is_outdated: &dyn Fn() -> bool,
    next: &mut dyn FnMut() -> Option<ToolCall>,
) -> Option<ToolCall> {
    let mut call = first;
    loop {
        let ToolCall { tool, params, respond } = call;
        respond(tools::call_tool(tool, params, workspace));
        call = next()?;
        if call.tool.uses_index && is_outdated() {
            return Some(call);
        }
    }
}

/// Returns the rules for commands of tools, with the command of the tests: that of the settings, or the
/// detected one.
fn command_rules(session: &Session) -> CommandRules {
    let settings = &session.settings;
    let named = settings.run_command.value.clone();
    let profile = project::detect(session.tree.as_ref());
    CommandRules {
        builds: profile.commands,
        allow: settings.tools_allow.value.clone(),
        deny: settings.tools_deny.value.clone(),
        limits: verify_config(session),
        tests: named.or_else(|| profile.verify.map(|found| found.command)),
    }
}
