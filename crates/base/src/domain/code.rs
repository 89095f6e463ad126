//! The table of error codes: name, stage, remedy, outcome (and with it the exit code), meaning and hint.

use std::fmt;

use serde::{Serialize, Serializer};

use super::outcome::OutcomeKind;

/// The stage that reports an error: the first five are those of a reply (protocol section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Getting JSON out of the reply and validating it (protocol section 3).
    Schema,
    /// Gates that need no file, or only what is known of it.
    Validate,
    /// In memory, all files.
    Preview,
    /// On disk.
    Apply,
    /// The user's command.
    Verify,
    /// Git, the forge and bundles.
    Publish,
    /// The queue that workers share.
    Queue,
    /// A tool that a model, a shell or an MCP client calls.
    /// Its errors end one call of a tool, not a run.
    Tool,
}

impl Stage {
    /// Returns the name used in `protocol_fallback_stage`.
    /// The names are part of the trace's format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Validate => "validate",
            Self::Preview => "preview",
            Self::Apply => "apply",
            Self::Verify => "verify",
            Self::Publish => "publish",
            Self::Queue => "queue",
            Self::Tool => "tool",
        }
    }
}

/// The engine's first reaction to a code (protocol section 5).
/// Section numbers are those of the protocol; the engine counts the repairs of a run in
/// addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Nothing: the run ends.
    None,
    /// One request that quotes the validator's message.
    RepairJson,
    /// One repair request in the same protocol; the run ends if it fails again.
    Repair,
    /// One repair request in the same protocol, then one APPLY in an older one.
    RepairThenFallback,
    /// One APPLY in an older protocol at once.
    Fallback,
    /// Back to PLAN, once, with the file read again.
    Replan,
}

/// One row of the table.
/// Every code has all six values, so that documentation, hints and exit codes cannot differ.
#[derive(Clone, Copy, Debug)]
pub struct CodeRow {
    /// The contract's spelling.
    pub name: &'static str,
    /// The stage that reports it.
    pub stage: Stage,
    /// The engine's first reaction.
    pub remedy: Remedy,
    /// The outcome of a run that it ends; [`OutcomeKind::exit_code`] returns the exit code.
    pub outcome: OutcomeKind,
    /// One sentence for the documentation.
    pub meaning: &'static str,
    /// The next step for the user, as a fragment.
    pub hint: &'static str,
}

macro_rules! codes {
    ($($variant:ident = $name:literal, $stage:ident, $remedy:ident, $outcome:ident, $meaning:literal, $hint:literal;)*) => {
        /// A typed error, as `outcome.json`, traces and messages name it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ErrorCode { $(#[doc = $meaning] $variant,)* }

        impl ErrorCode {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the code's row of the table.
            pub fn row(self) -> CodeRow {
                match self {
                    $(Self::$variant => CodeRow {
                        name: $name,
                        stage: Stage::$stage,
                        remedy: Remedy::$remedy,
                        outcome: OutcomeKind::$outcome,
                        meaning: $meaning,
                        hint: $hint,
                    },)*
                }
            }
        }
    };
}

codes! {
    JsonExtract = "ERR_JSON_EXTRACT", Schema, RepairJson, Rejected, "The reply contains no JSON object.", "the reply has no JSON; try a stronger model or `llm.strict_json = true`";
    JsonParse = "ERR_JSON_PARSE", Schema, RepairJson, Rejected, "The JSON of the reply is not valid.", "the reply's JSON is broken; try a stronger model or `llm.strict_json = true`";
    SchemaValidation = "ERR_SCHEMA_VALIDATION", Schema, RepairJson, Rejected, "The reply does not match the schema of its mode.", "the reply does not follow the schema; `papayu-batch schema v2` prints it, `v1` and `v3` the others";
    InvalidPath = "ERR_INVALID_PATH", Validate, None, Rejected, "A path is absolute, leaves the repository or is not written with `/`.", "paths are relative to the repository, separated by `/`, and stay inside it";
    PathTooLong = "ERR_PATH_TOO_LONG", Validate, None, Rejected, "A path is longer than 240 bytes.", "a path has at most 240 bytes";
    TooManyActions = "ERR_TOO_MANY_ACTIONS", Validate, None, Rejected, "A change has too many actions, or an action too many edits.", "a change has at most 200 actions, an action at most 200 edits; split the goal";
    ContentTooLarge = "ERR_CONTENT_TOO_LARGE", Validate, None, Rejected, "A file or the whole change has too many bytes.", "a file has at most 1 MiB of content, a change 5 MiB; split the goal";
    ContentRequired = "ERR_CONTENT_REQUIRED", Validate, Repair, Rejected, "An action that writes a file has no `content`.", "CREATE_FILE, UPDATE_FILE and REPLACE_RANGE need `content`";
    PseudoBinary = "ERR_PSEUDO_BINARY", Validate, None, Rejected, "The content to write is not text.", "only text can be written: no NUL, at most 10 % non-printable characters";
    ActionConflict = "ERR_ACTION_CONFLICT", Validate, None, Rejected, "Two actions change one path, or a file and a folder have one path.", "one path takes one kind of action; files and folders cannot replace each other";
    ForbiddenPath = "FORBIDDEN_PATH", Validate, None, Rejected, "The path is protected.", "the path is protected; `--allow ci` and `paths.*` settings permit some paths";
    TestEditNotAllowed = "ERR_TEST_EDIT_NOT_ALLOWED", Preview, Repair, Rejected, "The change touches a test, its data or settings, or a file that the command reads as its check.", "tests, their data and settings, and the files that the command reads as its check stay as they are; fix the code, or pass the `--allow` that the reason names";
    ConflictMarkers = "ERR_CONFLICT_MARKERS", Preview, Repair, Rejected, "The change adds a merge conflict to a file.", "write the merged text without `<<<<<<<`, `=======` and `>>>>>>>`; indent them in a text about conflicts";
    DeleteNotAllowed = "ERR_DELETE_NOT_ALLOWED", Validate, None, Rejected, "A deletion is not allowed.", "deleting needs `--allow-delete`";
    BaseSha256Invalid = "ERR_BASE_SHA256_INVALID", Validate, Repair, Rejected, "`base_sha256` is not the digest of a file.", "`base_sha256` is the 64 hex digits of the file's FILE block";
    BaseSha256NotFromContext = "ERR_BASE_SHA256_NOT_FROM_CONTEXT", Validate, Repair, Rejected, "The model did not read the file that it changes.", "the model changed a file it was not shown; name the file in the goal";
    UpdateWithoutBase = "ERR_UPDATE_WITHOUT_BASE", Validate, None, Rejected, "In v1, a file is rewritten that PLAN did not read.", "v1 may rewrite only files that PLAN read; name the file in the goal";
    V2UpdateExistingForbidden = "ERR_V2_UPDATE_EXISTING_FORBIDDEN", Validate, RepairThenFallback, Rejected, "In v2 or v3, an existing file is rewritten as a whole.", "v2 and v3 do not write existing files whole: PATCH_FILE changes them, in v3 EDIT_FILE too";
    PatchRequired = "ERR_PATCH_REQUIRED", Validate, Repair, Rejected, "`PATCH_FILE` has no `patch`.", "PATCH_FILE needs `patch`";
    PatchNotUnified = "ERR_PATCH_NOT_UNIFIED", Validate, Repair, Rejected, "The patch is not a unified diff of one file.", "`patch` is a unified diff of that one file";
    ApplyEmptyActions = "ERR_APPLY_EMPTY_ACTIONS", Validate, RepairJson, Rejected, "An APPLY has neither actions nor `NO_CHANGES:`.", "the summary of an APPLY without actions must begin with `NO_CHANGES:`";
    PlanWithActions = "ERR_PLAN_WITH_ACTIONS", Validate, RepairJson, Rejected, "A PLAN contains actions.", "a PLAN must not have actions";
    NonUtf8File = "ERR_NON_UTF8_FILE", Preview, Fallback, NotFixed, "The file is binary, or its encoding cannot represent the change.", "the file is binary, does not declare its encoding, or its encoding lacks a character of the change; convert it to UTF-8";
    BaseMismatch = "ERR_BASE_MISMATCH", Preview, Replan, Conflict, "The file changed after it was read.", "the file changed since it was read; run again when nothing else writes to the tree";
    RepositoryLocked = "ERR_REPOSITORY_LOCKED", Preview, None, Conflict, "Another run works on the repository.", "nothing was changed; run again when the other run has ended";
    PatchApplyFailed = "ERR_PATCH_APPLY_FAILED", Preview, RepairThenFallback, NotFixed, "The patch does not match the file.", "the patch does not match the file; make it again from the file as it is now";
    EditBaseMismatch = "ERR_EDIT_BASE_MISMATCH", Preview, Fallback, Conflict, "The file of an edit changed after it was read.", "the file changed since it was read; run again when nothing else writes to the tree";
    EditAnchorNotFound = "ERR_EDIT_ANCHOR_NOT_FOUND", Preview, RepairThenFallback, NotFixed, "The file does not contain the anchor of an edit.", "an edit's anchor is not in the file; the trace shows the edit and the lines most like it";
    EditBeforeNotFound = "ERR_EDIT_BEFORE_NOT_FOUND", Preview, RepairThenFallback, NotFixed, "The text to replace is not near the anchor.", "the text that an edit changes is not near its anchor; the trace shows the edit and the lines near the anchor";
    EditAmbiguous = "ERR_EDIT_AMBIGUOUS", Preview, RepairThenFallback, NotFixed, "An edit matches at more than one position.", "an edit matches in more than one way; the trace shows the edit and the matching lines";
    EditApplyFailed = "ERR_EDIT_APPLY_FAILED", Preview, Fallback, NotFixed, "An edit matches but cannot be applied.", "an edit matches the file but cannot be made; the trace shows why";
    ForgeAuthentication = "ERR_FORGE_AUTHENTICATION", Publish, None, PublishFailed, "The forge needs a token or refuses it.", "set the token of this server: `GITHUB_TOKEN`, `GITLAB_TOKEN`, `GITEA_TOKEN`, `BITBUCKET_TOKEN` or `AZURE_DEVOPS_EXT_PAT`";
    ForgeForbidden = "ERR_FORGE_FORBIDDEN", Publish, None, PublishFailed, "The token lacks a permission.", "the token needs `contents: write` and `pull-requests: write`; in GitHub Actions the repository must also allow Actions to create pull requests";
    ForgeNotFound = "ERR_FORGE_NOT_FOUND", Publish, None, PublishFailed, "The repository does not exist or the token cannot see it.", "check `forge.kind`, `forge.repository` and the repositories that the token can see";
    ForgeInvalid = "ERR_FORGE_INVALID", Publish, None, PublishFailed, "The forge refuses the request.", "the message is the forge's own";
    ForgeUnsupported = "ERR_FORGE_UNSUPPORTED", Publish, None, PublishFailed, "The forge has no such call.", "publish in another form, such as `pr` or `branch`";
    ForgeRateLimit = "ERR_FORGE_RATE_LIMIT", Publish, None, PublishFailed, "A limit on requests was reached.", "run again later; a branch that was pushed is found again";
    ForgeUnavailable = "ERR_FORGE_UNAVAILABLE", Publish, None, PublishFailed, "The forge does not answer, or its answer cannot be read.", "run again when the forge answers; a branch that was pushed is found again";
    ForgeInterrupted = "ERR_FORGE_INTERRUPTED", Publish, None, PublishFailed, "A signal interrupted a request to the forge.", "run again; a branch that was pushed is found again";
    Git = "ERR_GIT", Publish, None, PublishFailed, "Git failed for another reason.", "the message is that of git; `git remote -v` lists the remotes, and `git.remote` names the one to use";
    GitRepository = "ERR_GIT_REPOSITORY", Publish, None, PublishFailed, "There is no usable git or repository.", "install git 2.31 or newer and run in a clone that has at least one commit";
    GitDirty = "ERR_GIT_DIRTY", Publish, None, PublishFailed, "A file to commit has other changes.", "commit or stash your own changes of that file first";
    GitReconfigured = "ERR_GIT_RECONFIGURED", Publish, None, PublishFailed, "Git's configuration or attributes changed while the repository's code ran.", "the command, or the code it ran, changed git's configuration, so no token is used; use `--emit bundle` and `publish` in another job";
    GitFiltered = "ERR_GIT_FILTERED", Publish, None, PublishFailed, "A changed file is stored through a filter program.", "filter programs such as git-lfs and git-crypt do not run in a job with a token; take the patch and commit it yourself";
    GitMismatch = "ERR_GIT_MISMATCH", Publish, None, PublishFailed, "The commit differs from the checked change.", "the repository's own code may have tampered with its git folder; make the fix in a fresh clone, with `--emit bundle` and `publish` in another job";
    GitAuthentication = "ERR_GIT_AUTHENTICATION", Publish, None, PublishFailed, "The remote needs credentials or refuses them.", "set a token of the remote's server that may push: `GITHUB_TOKEN`, `GITLAB_TOKEN`, `GITEA_TOKEN`, `BITBUCKET_TOKEN` or `AZURE_DEVOPS_EXT_PAT`";
    GitRefused = "ERR_GIT_REFUSED", Publish, None, PublishFailed, "The remote refuses the branch.", "allow the token's owner to push `papayu/**`: check its rights, branch rules and the server's hooks";
    GitLeaseLost = "ERR_GIT_LEASE_LOST", Publish, None, PublishFailed, "The branch on the remote changed in the meantime.", "somebody pushed to the branch in the meantime and their work is kept; delete the branch to start over";
    GitNetwork = "ERR_GIT_NETWORK", Publish, None, PublishFailed, "The remote cannot be reached.", "run again when the server can be reached; the patch is kept";
    GitInterrupted = "ERR_GIT_INTERRUPTED", Publish, None, PublishFailed, "A signal interrupted git.", "run again; the patch is kept";
    BundleUnreadable = "ERR_BUNDLE_UNREADABLE", Publish, None, PublishFailed, "The bundle cannot be read.", "name the folder that `fix --emit bundle` wrote";
    BundleTampered = "ERR_BUNDLE_TAMPERED", Publish, None, PublishFailed, "The bundle differs from what `fix` wrote.", "make the bundle again; it must not change between the two jobs";
    BundleUnproved = "ERR_BUNDLE_UNPROVED", Publish, None, PublishFailed, "The bundle has no verified fix.", "only a fix whose command failed before and passes after is published";
    BaseMoved = "ERR_BASE_MOVED", Publish, None, PublishFailed, "The base branch changed after the fix was made.", "run `fix` again on the newest commit of the branch; a workflow that starts when CI fails does so by itself";
    BranchTaken = "ERR_BRANCH_TAKEN", Publish, None, PublishFailed, "The branch of the fix has commits of other people.", "merge or delete that branch; the next run creates a new one";
    PullRequestClosed = "ERR_PULL_REQUEST_CLOSED", Publish, None, PublishFailed, "A person closed the pull request of this failure.", "`--reopen` opens it again";
    TooManyOpen = "ERR_TOO_MANY_OPEN", Publish, None, PublishFailed, "The repository has as many open pull requests of papayu-batch as `pr.max_open` allows.", "merge or close some of them, then publish again; `--max-open` is the limit";
    Paused = "ERR_PAUSED", Publish, None, PublishFailed, "An open issue or pull request has the label of `pr.pause_label`, which pauses the pull requests of papayu-batch.", "close it or take its label away, then publish again";
    AttemptsExhausted = "ERR_ATTEMPTS_EXHAUSTED", Publish, None, PublishFailed, "Earlier runs used all attempts at this failure.", "look at the failure yourself; `--max-attempts-total` allows more, and 0 has no limit";
    BaseNotPushed = "ERR_BASE_NOT_PUSHED", Publish, None, PublishFailed, "The remote branch lacks the commit that was fixed.", "push your own commits first, or check out the branch itself and not its merge; `--base` names another";
    NoBaseBranch = "ERR_NO_BASE_BRANCH", Publish, None, PublishFailed, "The branch to fix is not known.", "name it with `--base`";
    Setup = "ERR_SETUP", Verify, None, NotFixed, "A command of `run.setup` failed, so that the project is not installed.", "run the setup command in a fresh clone; hosts of other registries are named in `run.registries`, and `run.setup_timeout_sec` is its time limit";
    QueueJob = "ERR_QUEUE_JOB", Queue, None, Internal, "A job in the queue cannot be read.", "enqueue the manifest again with the version of papayu-batch that the worker has";
    QueueParked = "ERR_QUEUE_PARKED", Queue, None, Internal, "The workers of a task died too often.", "check what the task does to its machine; `papayu-batch queue retry` retries it";
    QueueNoAddress = "ERR_QUEUE_NO_ADDRESS", Queue, None, UsageError, "No queue is configured.", "pass `--queue nats://HOST`, or set `PAPAYU_QUEUE`, which keeps its password out of the list of processes";
    QueueAddress = "ERR_QUEUE_ADDRESS", Queue, None, UsageError, "The address of the queue cannot be read.", "nats://[USER:PASSWORD@]HOST[:PORT][/NAME], tls:// for TLS, several servers separated by commas; characters such as `@` in a password are written as %40";
    QueueAway = "ERR_QUEUE_AWAY", Queue, None, NotFixed, "The queue cannot be reached.", "check that it is started (`nats-server --jetstream`), that this machine can reach it, and that it uses TLS if the address begins with `tls://`";
    QueueRefused = "ERR_QUEUE_REFUSED", Queue, None, UsageError, "The queue refuses the user, or what it was asked for.", "check user and password in `PAPAYU_QUEUE`, or the file of `PAPAYU_QUEUE_CREDENTIALS`, and the subjects that the user may use (docs/batch.md)";
    QueueUntrusted = "ERR_QUEUE_UNTRUSTED", Queue, None, UsageError, "The certificate of the queue is not trusted.", "the certificate must be for that host and from an authority that this machine trusts (`SSL_CERT_FILE` adds others); without TLS use `nats://`";
    QueueForm = "ERR_QUEUE_FORM", Queue, None, UsageError, "The jobs are of another version of this program.", "finish them with workers of the version that enqueued them, or enqueue them again with `enqueue --restart`";
    QueueManifest = "ERR_QUEUE_MANIFEST", Queue, None, UsageError, "The queue has the tasks of another manifest.", "wait until they have ended, use another queue (nats://HOST/NAME), or delete them with `--restart`";
    QueueGone = "ERR_QUEUE_GONE", Queue, None, NotFixed, "The queue lost its tasks while a worker used it.", "another call deleted it with `--restart`, or the server lost its files; enqueue the manifest again; finished tasks are in the folders of results";
    QueueEmpty = "ERR_QUEUE_EMPTY", Queue, None, UsageError, "The queue never had tasks.", "`papayu-batch enqueue MANIFEST` comes first; a worker without `--until-empty` waits for it";
    QueueDamaged = "ERR_QUEUE_DAMAGED", Queue, None, NotFixed, "The data in the queue is damaged.", "only papayu-batch may write its streams there, and the server needs JetStream; `enqueue --restart` starts over";
    QueueEmit = "ERR_QUEUE_EMIT", Queue, None, UsageError, "A task would leave its result in a clone that is removed.", "for addresses use `pr`, `bundle` or `patch`; the task was returned to the queue";
    QueueUnfit = "ERR_QUEUE_UNFIT", Queue, None, UsageError, "The path of a repository cannot be written into a job.", "rename the repository or its folder";
    ToolUnknown = "ERR_TOOL_UNKNOWN", Tool, None, UsageError, "No tool has this name.", "`papayu-batch tool --help` lists the tools";
    ToolParameter = "ERR_TOOL_PARAMETER", Tool, None, UsageError, "A parameter of a tool is missing, unknown or of another type.", "the input schema of the tool, or `--help` after its name, lists its parameters";
    ToolNotFound = "ERR_TOOL_NOT_FOUND", Tool, None, NotFixed, "The repository has no such file, definition or test command.", "`search_code` finds names by a part of them";
    ToolUnreadable = "ERR_TOOL_UNREADABLE", Tool, None, NotFixed, "A file has secrets, is no text, or cannot be read or written.", "files with secrets, binary files and files over 4 MiB are never shown";
    ToolCommandBlocked = "ERR_TOOL_COMMAND_BLOCKED", Tool, None, Rejected, "No rule allows the command, or one denies it.", "`tools.allow` adds commands, `tools.deny` removes them; the block-list always wins";
    ToolCommandNotStarted = "ERR_TOOL_COMMAND_NOT_STARTED", Tool, None, NotFixed, "The program of a command cannot be started.", "install the program, or check its name";
}

impl ErrorCode {
    /// Returns the spelling of the contract, such as `ERR_JSON_PARSE`.
    pub fn as_str(self) -> &'static str {
        self.row().name
    }

    /// Returns the code of that spelling, if it is one of the protocol (sections 3 to 5).
    // Codes of delivery and of queues are later than the protocol's stages.
    pub fn of_protocol(name: &str) -> Option<Self> {
        let is_protocol =
            |code: &Self| !matches!(code.row().stage, Stage::Publish | Stage::Queue | Stage::Tool);
        Self::ALL.iter().copied().find(|code| code.as_str() == name && is_protocol(code))
    }

    /// Returns the next step for the user.
    pub fn hint(self) -> &'static str {
        self.row().hint
    }

    /// Returns `true` for an edit of v3 that does not apply.
    /// The repair request then shows the edit with the file's real lines.
    pub fn is_of_edit(self) -> bool {
        matches!(
            self,
            Self::EditAnchorNotFound
                | Self::EditBeforeNotFound
                | Self::EditAmbiguous
                | Self::EditApplyFailed
        )
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_code_has_its_own_name_a_meaning_and_a_hint() {
        let names: BTreeSet<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(names.len(), ErrorCode::ALL.len());
        for code in ErrorCode::ALL {
            let row = code.row();
            assert!(row.meaning.ends_with('.') && !row.hint.ends_with('.'), "{code}");
        }
    }

    #[test]
    fn the_codes_that_fall_back_are_those_of_section_5() {
        let with = |wanted: &[Remedy]| -> Vec<_> {
            let all = ErrorCode::ALL.iter();
            all.filter(|code| wanted.contains(&code.row().remedy))
                .map(|code| code.as_str())
                .collect()
        };
        assert_eq!(
            with(&[Remedy::RepairThenFallback, Remedy::Fallback]),
            [
                "ERR_V2_UPDATE_EXISTING_FORBIDDEN",
                "ERR_NON_UTF8_FILE",
                "ERR_PATCH_APPLY_FAILED",
                "ERR_EDIT_BASE_MISMATCH",
                "ERR_EDIT_ANCHOR_NOT_FOUND",
                "ERR_EDIT_BEFORE_NOT_FOUND",
                "ERR_EDIT_AMBIGUOUS",
                "ERR_EDIT_APPLY_FAILED",
            ]
        );
        assert_eq!(
            with(&[Remedy::Repair, Remedy::RepairThenFallback]),
            [
                "ERR_CONTENT_REQUIRED",
                "ERR_TEST_EDIT_NOT_ALLOWED",
                "ERR_CONFLICT_MARKERS",
                "ERR_BASE_SHA256_INVALID",
                "ERR_BASE_SHA256_NOT_FROM_CONTEXT",
                "ERR_V2_UPDATE_EXISTING_FORBIDDEN",
                "ERR_PATCH_REQUIRED",
                "ERR_PATCH_NOT_UNIFIED",
                "ERR_PATCH_APPLY_FAILED",
                "ERR_EDIT_ANCHOR_NOT_FOUND",
                "ERR_EDIT_BEFORE_NOT_FOUND",
                "ERR_EDIT_AMBIGUOUS",
            ]
        );
    }
}
