//! The provider itself: asks the tools once per PLAN and answers APPLY from what they said.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::findings::Findings;
use super::land::{Landed, land};
use super::lookup::Lookup;
use super::offers::Offers;
use super::probe::{Interrupted, Probe};
use super::reply::{self, Offer};
use super::sources;
use crate::domain::{FailureReport, Mode, Usage};
use crate::providers::exchange::{
    Ask, Call, Finish, Provider, ProviderError, ProviderFault, Reply, Request,
};
use crate::system::{System, Tree};

/// The provider's name in traces and errors.
const NAME: &str = "suggestions";

/// What the tools may take, and the command they take after.
#[derive(Clone, Debug)]
pub struct SuggestionsConfig {
    /// The user's `--run`: the tool is asked about the same packages and features as it builds.
    pub run: Option<String>,
    /// Longest time a tool may take; the time left for the whole run bounds it too.
    pub timeout: Duration,
    /// Most bytes of output a tool may print.
    pub max_output: u64,
    /// Names of variables that a tool keeps although they look like secrets.
    pub keep_env: Vec<String>,
    /// Whether test files that exist may be changed.
    pub allow_test_edits: bool,
}

/// The zero-token provider.
pub struct Suggestions<'a> {
    system: System<'a>,
    tree: &'a dyn Tree,
    config: SuggestionsConfig,
    lookup: Option<&'a dyn Lookup>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    offers: Offers,
    /// What the last PLAN offered, for the requests that follow it.
    last: Option<Offered>,
}

struct Offered {
    findings: Findings,
    landed: Landed,
}

impl<'a> Suggestions<'a> {
    /// Makes the provider for one repository; no tool runs before the first request.
    pub fn new(system: System<'a>, tree: &'a dyn Tree, config: SuggestionsConfig) -> Self {
        Self { system, tree, config, lookup: None, state: Mutex::default() }
    }

    /// Lets the sources that ask where a name is defined ask this.
    #[must_use]
    pub fn with_lookup(self, lookup: &'a dyn Lookup) -> Self {
        Self { lookup: Some(lookup), ..self }
    }

    fn offer(
        &self,
        offers: &mut Offers,
        report: &FailureReport,
        time_left: Duration,
    ) -> Result<Offered, ProviderError> {
        let probe = Probe {
            system: self.system,
            tree: self.tree,
            config: &self.config,
            report,
            lookup: self.lookup,
            time_limit: self.config.timeout.min(time_left),
        };
        let findings = sources::look(&probe).map_err(|Interrupted| ProviderError {
            provider: NAME,
            fault: ProviderFault::Interrupted,
            requests: 0,
        })?;
        let chosen = offers.next(&findings.fixes);
        let landed = land(&findings, &chosen.iter().collect::<Vec<_>>());
        Ok(Offered { findings, landed })
    }
}

impl Provider for Suggestions<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn model(&self) -> &'static str {
        "none"
    }

    fn is_free(&self) -> bool {
        true
    }

    fn ask(&self, request: &Request, call: &Call<'_>) -> Result<Reply, ProviderError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Only a first PLAN begins anew: the tree may have changed since the one before.
        let kept = state.last.take().filter(|_| request.ask != Ask::Plan);
        let offered = match kept {
            Some(offered) => offered,
            None => self.offer(&mut state.offers, &request.report, call.time_left)?,
        };
        let offer = Offer {
            findings: &offered.findings,
            landed: &offered.landed,
            run: self.config.run.as_deref(),
        };
        let reply = match request.mode {
            Mode::Plan => reply::plan(&offer, request),
            Mode::Apply => reply::apply(&offer, request),
        };
        state.last = Some(offered);
        let text = reply.to_string();
        Ok(Reply { text, finish: Finish::Stop, usage: Usage::default(), requests: 0 })
    }
}
