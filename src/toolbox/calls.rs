//! Answers calls of tools one after the other, from an index that follows the files.

use std::time::Duration;

use serde_json::Value;

use crate::domain::EventSink;
use crate::fix::config::{policy, verify_config};
use crate::fix::indexed::{MAX_FILE_BYTES, open_cache, open_indexed};
use crate::fix::runtime::Runtime;
use crate::fix::{FixError, Session};
use crate::index::{IncrementalIndex, Sources, watch};
use crate::project;
use crate::system::os::OsWatcher;
use crate::system::survey::{News, Watcher as _};
use crate::tools::{
    self, Access, Calls, Code, CommandRules, TextFilter, ToolAnswer, ToolEntry, ToolError,
    Workspace,
};

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
/// The index is brought up to date for a call that reads it, if files changed since the last one. With
/// `is_watching` a watcher reports changes; without one the index is refreshed for every such call.
///
/// # Errors
///
/// The repository cannot be read, or a setting of the rules is wrong. Errors of calls go to their callers.
pub(crate) fn answer_calls(
    session: &Session,
    runtime: &Runtime,
    events: &dyn EventSink,
    is_watching: bool,
    next: &mut dyn FnMut() -> Option<ToolCall>,
) -> Result<(), FixError> {
    let disk = open_indexed(session)?;
    let cache = open_cache(session);
    let sources = Sources {
        survey: &disk,
        cache: cache.as_ref(),
        clock: runtime.system().clock,
        events,
        max_file_bytes: MAX_FILE_BYTES,
        later: None,
    };
    let (policy, commands) = (policy(session)?, command_rules(session));
    let mut keeper = IncrementalIndex::default();
    let mut freshness = Freshness { watcher: None, is_watching, is_fresh: false };
    let mut filter = TextFilter::default();
    let mut waiting = None;
    while let Some(call) = waiting.take().or_else(&mut *next) {
        let call: ToolCall = call;
        if call.tool.uses_index
            && !freshness.is_fresh
            && let Err(error) = freshness.refresh(session, &mut keeper, &sources)
        {
            (call.respond)(Err(ToolError::Index(error)));
            continue;
        }
        filter.keep_current(&keeper);
        let workspace = Workspace {
            tree: session.tree.as_ref(),
            system: runtime.system(),
            code: Code::of_session(session.tree.as_ref(), &keeper, &filter),
            calls: Calls::new(&keeper, sources),
            masker: &runtime.masker,
            environment: &session.environment,
            policy: &policy,
            commands: &commands,
        };
        waiting = answer_from(&workspace, call, &mut freshness, next);
    }
    Ok(())
}

/// Answers calls from one state of the index. Returns the first call that needs a newer one; `None` after
/// the last call.
fn answer_from<'w>(
    workspace: &'w Workspace<'w>,
    first: ToolCall,
    freshness: &mut Freshness,
    next: &mut dyn FnMut() -> Option<ToolCall>,
) -> Option<ToolCall> {
    let mut call = first;
    loop {
        let ToolCall { tool, params, respond } = call;
        respond(tools::call_tool(tool, params, workspace));
        if tool.access != Access::Reads {
            freshness.is_fresh = false;
        }
        call = next()?;
        if call.tool.uses_index && freshness.is_outdated() {
            return Some(call);
        }
    }
}

/// The state of the index against the disk.
struct Freshness {
    watcher: Option<OsWatcher>,
    is_watching: bool,
    is_fresh: bool,
}

impl Freshness {
    fn refresh(
        &mut self,
        session: &Session,
        keeper: &mut IncrementalIndex,
        sources: &Sources<'_>,
    ) -> std::io::Result<()> {
        if self.is_watching && self.watcher.is_none() {
            // Without a watcher (a limit of the system) every call refreshes the index.
            self.watcher = OsWatcher::new(session.tree.root()).ok();
        }
        match &mut self.watcher {
            Some(watcher) => {
                while watcher.news(Duration::ZERO)? == News::Changed {}
                watch::refresh_watched(keeper, sources, watcher)?;
            }
            None => drop(keeper.refresh(sources)?),
        }
        self.is_fresh = true;
        Ok(())
    }

    /// Returns true if files may have changed since the last refresh.
    fn is_outdated(&mut self) -> bool {
        let is_quiet = self.watcher.as_mut().is_some_and(|watcher| {
            !watcher.is_blind()
                && watcher.news(Duration::ZERO).is_ok_and(|news| news == News::Quiet)
        });
        self.is_fresh &= is_quiet;
        !self.is_fresh
    }
}

fn command_rules(session: &Session) -> CommandRules {
    let settings = &session.settings;
    let named = settings.run_command.value.clone();
    CommandRules {
        allow: settings.tools_allow.value.clone(),
        deny: settings.tools_deny.value.clone(),
        limits: verify_config(session),
        tests: named
            .or_else(|| project::detect(session.tree.as_ref()).verify.map(|found| found.command)),
    }
}
