//! Every event name the program prints on stderr, and where events go.

use serde_json::Value;

// One table gives the type, the names and the documentation, so that none can be forgotten.
macro_rules! events {
    ($(#[doc = $doc:literal] $variant:ident = $name:literal,)*) => {
        /// An event's name (protocol section 8; names are part of the contract).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum EventName { $(#[doc = $doc] $variant,)* }

        impl EventName {
            /// Every event, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns one sentence for the documentation.
            /// `docs/events.md` lists these sentences.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $doc.trim_ascii(),)* }
            }

            /// Returns the contract's spelling.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the event of the contract's spelling. `None` for any other text.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($name => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

events! {
    /// A run began.
    RunStarted = "RUN_STARTED",
    /// The user's command is about to run.
    VerifyStarted = "VERIFY_STARTED",
    /// The user's command ended.
    VerifyFinished = "VERIFY_FINISHED",
    /// The log has been read.
    FailureRead = "FAILURE_READ",
    /// The failure has a class, or the log gives no evidence for one.
    FailureTriaged = "FAILURE_TRIAGED",
    /// A request was sent to a provider.
    LlmRequestSent = "LLM_REQUEST_SENT",
    /// A reply arrived.
    LlmResponseOk = "LLM_RESPONSE_OK",
    /// A reply is not usable and is requested again, once.
    LlmResponseRepair = "LLM_RESPONSE_REPAIR",
    /// The provider refused `response_format`; the request is sent again without it.
    LlmResponseFormatFallback = "LLM_RESPONSE_FORMAT_FALLBACK",
    /// The provider refused a generation parameter; the request is sent again without it.
    LlmParameterDropped = "LLM_PARAMETER_DROPPED",
    /// A transient failure; the request is sent again after a pause.
    LlmRequestRetry = "LLM_REQUEST_RETRY",
    /// No reply within the time limit.
    LlmRequestTimeout = "LLM_REQUEST_TIMEOUT",
    /// The replies of several providers became one.
    LlmRepliesMerged = "LLM_REPLIES_MERGED",
    /// An exchange ended in a usable plan or change.
    LlmPlanOk = "LLM_PLAN_OK",
    /// An exchange ended in an error.
    LlmPlanFailed = "LLM_PLAN_FAILED",
    /// The quickfix stage ended with a proposal that passed the gates, or with nothing to propose.
    QuickfixOk = "QUICKFIX_OK",
    /// The proposal of the quickfix stage was refused.
    QuickfixFailed = "QUICKFIX_FAILED",
    /// A recipe has a change for the failure, or none has.
    RecipeTried = "RECIPE_TRIED",
    /// A proved fix became a recipe, or the reason why it did not.
    RecipeLearned = "RECIPE_LEARNED",
    /// A recipe file cannot be used and is left out, or a rule leaves a place alone.
    RecipeSkipped = "RECIPE_SKIPPED",
    /// A reply broke a rule.
    ValidationFailed = "VALIDATION_FAILED",
    /// A change is requested in an older protocol version.
    ProtocolFallback = "PROTOCOL_FALLBACK",
    /// One repair request in the same protocol is sent.
    ProtocolRepair = "PROTOCOL_REPAIR",
    /// The context was cut to its budget.
    ContextDietApplied = "CONTEXT_DIET_APPLIED",
    /// Online research was done, or failed.
    OnlineResearch = "ONLINE_RESEARCH",
    /// The model cited the lines that show the claims of its summary, and these were checked.
    SelfCheck = "SELF_CHECK",
    /// A model that sees only the change gave its opinion on it.
    Judged = "JUDGED",
    /// The remarks of a review were checked.
    ReviewReady = "REVIEW_READY",
    /// A context request is answered from the cache of the run.
    ContextCacheHit = "CONTEXT_CACHE_HIT",
    /// A context request is answered for the first time.
    ContextCacheMiss = "CONTEXT_CACHE_MISS",
    /// The numbers of the run after a reply: tokens, time, answered requests, applied and refused edits.
    LlmReplyCounted = "LLM_REPLY_COUNTED",
    /// Values that replies asked to remember were saved to the engineering memory.
    MemorySaved = "MEMORY_SAVED",
    /// The conversation came near the limit of the model's window and begins again with a summary.
    ContextCompressed = "CONTEXT_COMPRESSED",
    /// Every action applies in memory.
    PreviewReady = "PREVIEW_READY",
    /// The change is on disk.
    ApplySuccess = "APPLY_SUCCESS",
    /// A fix without a model helped and stays; the next one builds on it.
    LayerKept = "LAYER_KEPT",
    /// The change was reverted.
    ApplyRollback = "APPLY_ROLLBACK",
    /// An interrupted earlier run was undone from its journal.
    JournalRecovered = "JOURNAL_RECOVERED",
    /// A trace could not be written; the run continues.
    TraceFailed = "TRACE_FAILED",
    /// A file of problem matchers cannot be used; the log is read without it.
    MatcherSkipped = "MATCHER_SKIPPED",
    /// The repository has very many files, so indexing takes a while.
    IndexLarge = "INDEX_LARGE",
    /// Files are being read for the index.
    IndexProgress = "INDEX_PROGRESS",
    /// The forge is busy or cannot be reached; the request is sent again after a pause.
    ForgeRetry = "FORGE_RETRY",
    /// A commit was pushed, or a branch set.
    BranchPushed = "BRANCH_PUSHED",
    /// A pull request was opened or updated.
    PullRequestReady = "PULL_REQUEST_READY",
    /// A remark for the user: about the delivery of the change, or about work that takes more than 30 seconds.
    Notice = "NOTICE",
    /// The run ended.
    RunFinished = "RUN_FINISHED",
}

/// One event with its fields, in print order.
/// The order of fields is that of the calls of [`with`](Self::with), which makes logs
/// comparable.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The name of the event.
    pub name: EventName,
    /// Field name and value.
    pub fields: Vec<(&'static str, Value)>,
}

impl Event {
    /// Starts an event without fields.
    pub fn new(name: EventName) -> Self {
        Self { name, fields: Vec::new() }
    }

    /// Adds a field.
    #[must_use]
    pub fn with(mut self, field: &'static str, value: impl Into<Value>) -> Self {
        self.fields.push((field, value.into()));
        self
    }
}

/// A receiver of events: the terminal, a CI log, a list in a test.
/// It is called from several threads.
pub trait EventSink: Send + Sync {
    /// Takes one event; must not fail.
    /// A receiver that cannot write drops the event: a run does not fail because of its log.
    fn emit(&self, event: Event);

    /// Takes output of the user's command as it comes, secrets included. Ignored by default.
    /// The bytes may end inside of a character.
    fn push_output(&self, _bytes: &[u8]) {}
}

/// A sink that keeps nothing.
pub struct NoEvents;

impl EventSink for NoEvents {
    fn emit(&self, _event: Event) {}
}
