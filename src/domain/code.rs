//! The table of error codes: what each means, whether it is repaired or falls back, and how a run that it ends exits.

use std::fmt;

use serde::{Serialize, Serializer};

use super::outcome::OutcomeKind;

/// Where in the pipeline a reply failed (protocol section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Getting JSON out of the reply and validating it (section 3).
    Schema,
    /// Gates that need no file, or only what is known of it.
    Validate,
    /// In memory, all files.
    Preview,
    /// On disk.
    Apply,
    /// The user's command.
    Verify,
}

impl Stage {
    /// Returns the name used in `protocol_fallback_stage`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Validate => "validate",
            Self::Preview => "preview",
            Self::Apply => "apply",
            Self::Verify => "verify",
        }
    }
}

/// What the engine does about a code before it gives up (section 5).
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
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The contract's spelling.
    pub name: &'static str,
    /// Where it is found.
    pub stage: Stage,
    /// What the engine does first.
    pub remedy: Remedy,
    /// How a run that it ends is called; the exit code follows from that.
    pub outcome: OutcomeKind,
    /// What the user can do.
    pub hint: &'static str,
}

macro_rules! codes {
    ($($variant:ident = $name:literal, $stage:ident, $remedy:ident, $outcome:ident, $hint:literal;)*) => {
        /// A typed error of the protocol (sections 3 to 5).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "the table below is the documentation")]
        pub enum ErrorCode { $($variant,)* }

        impl ErrorCode {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the code's row of the table.
            pub fn row(self) -> Row {
                match self {
                    $(Self::$variant => Row {
                        name: $name,
                        stage: Stage::$stage,
                        remedy: Remedy::$remedy,
                        outcome: OutcomeKind::$outcome,
                        hint: $hint,
                    },)*
                }
            }
        }
    };
}

codes! {
    JsonExtract = "ERR_JSON_EXTRACT", Schema, RepairJson, Rejected, "the reply held no JSON; try a stronger model or `llm.strict_json = true`";
    JsonParse = "ERR_JSON_PARSE", Schema, RepairJson, Rejected, "the reply's JSON is broken; try a stronger model or `llm.strict_json = true`";
    SchemaValidation = "ERR_SCHEMA_VALIDATION", Schema, RepairJson, Rejected, "the reply does not follow the schema; `papayu-batch schema` prints it";
    InvalidPath = "ERR_INVALID_PATH", Validate, None, Rejected, "paths are relative to the repository, separated by `/`, and stay inside it";
    PathTooLong = "ERR_PATH_TOO_LONG", Validate, None, Rejected, "a path has at most 240 bytes";
    TooManyActions = "ERR_TOO_MANY_ACTIONS", Validate, None, Rejected, "a change has at most 200 actions, an action at most 200 edits; split the goal";
    ContentTooLarge = "ERR_CONTENT_TOO_LARGE", Validate, None, Rejected, "a file has at most 1 MiB of content, a change 5 MiB; split the goal";
    ContentRequired = "ERR_CONTENT_REQUIRED", Validate, None, Rejected, "CREATE_FILE, UPDATE_FILE and REPLACE_RANGE carry `content`";
    PseudoBinary = "ERR_PSEUDO_BINARY", Validate, None, Rejected, "only text can be written: no NUL, at most 10 % non-printable characters";
    ActionConflict = "ERR_ACTION_CONFLICT", Validate, None, Rejected, "one path takes one kind of action; files and folders cannot trade places";
    ForbiddenPath = "FORBIDDEN_PATH", Validate, None, Rejected, "the path is protected; `--allow-ci-files`, `--allow-test-edits` and `paths.*` settings open what may be opened";
    TestEditNotAllowed = "ERR_TEST_EDIT_NOT_ALLOWED", Preview, Repair, Rejected, "the change weakens a test or a check, or silences one; mend the code, or let it with `--allow-test-edits`";
    DeleteNotAllowed = "ERR_DELETE_NOT_ALLOWED", Validate, None, Rejected, "deleting needs `--allow-delete`";
    BaseSha256Invalid = "ERR_BASE_SHA256_INVALID", Validate, Repair, Rejected, "`base_sha256` is the 64 hex digits of the file's FILE block";
    BaseSha256NotFromContext = "ERR_BASE_SHA256_NOT_FROM_CONTEXT", Validate, Repair, Rejected, "the model changed a file it was not shown; name the file in the goal";
    UpdateWithoutBase = "ERR_UPDATE_WITHOUT_BASE", Validate, None, Rejected, "v1 may rewrite only files that PLAN read; name the file in the goal";
    V2UpdateExistingForbidden = "ERR_V2_UPDATE_EXISTING_FORBIDDEN", Validate, RepairThenFallback, Rejected, "v2 and v3 do not write existing files whole: PATCH_FILE changes them, in v3 EDIT_FILE too";
    PatchRequired = "ERR_PATCH_REQUIRED", Validate, None, Rejected, "PATCH_FILE carries `patch`";
    PatchNotUnified = "ERR_PATCH_NOT_UNIFIED", Validate, Repair, Rejected, "`patch` is a unified diff of that one file";
    ApplyEmptyActions = "ERR_APPLY_EMPTY_ACTIONS", Validate, RepairJson, Rejected, "an APPLY without actions must say `NO_CHANGES:`";
    PlanWithActions = "ERR_PLAN_WITH_ACTIONS", Validate, RepairJson, Rejected, "a PLAN must not act";
    NonUtf8File = "ERR_NON_UTF8_FILE", Preview, Fallback, NotFixed, "the file's encoding is not certain or lacks a character of the change; converting the file to UTF-8 helps";
    BaseMismatch = "ERR_BASE_MISMATCH", Preview, Replan, Conflict, "the file changed since it was read; run again when nothing else writes to the tree";
    PatchApplyFailed = "ERR_PATCH_APPLY_FAILED", Preview, RepairThenFallback, NotFixed, "the patch does not fit the file; make it again from the file as it is now";
    EditBaseMismatch = "ERR_EDIT_BASE_MISMATCH", Preview, Fallback, Conflict, "the file changed since it was read; run again when nothing else writes to the tree";
    EditAnchorNotFound = "ERR_EDIT_ANCHOR_NOT_FOUND", Preview, RepairThenFallback, NotFixed, "an edit's anchor is not in the file; the trace shows the edit and the lines most like it";
    EditBeforeNotFound = "ERR_EDIT_BEFORE_NOT_FOUND", Preview, RepairThenFallback, NotFixed, "the text an edit changes is not near its anchor; the trace shows the edit and the lines it met";
    EditAmbiguous = "ERR_EDIT_AMBIGUOUS", Preview, RepairThenFallback, NotFixed, "an edit can be read in more than one way; the trace shows the edit and the lines it met";
    EditApplyFailed = "ERR_EDIT_APPLY_FAILED", Preview, Fallback, NotFixed, "an edit found its place and cannot be made; the trace shows why";
}

impl ErrorCode {
    /// Returns the contract's spelling.
    pub fn as_str(self) -> &'static str {
        self.row().name
    }

    /// Tells whether the code is about an edit that does not land (v3).
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
    use super::*;

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
                "ERR_TEST_EDIT_NOT_ALLOWED",
                "ERR_BASE_SHA256_INVALID",
                "ERR_BASE_SHA256_NOT_FROM_CONTEXT",
                "ERR_V2_UPDATE_EXISTING_FORBIDDEN",
                "ERR_PATCH_NOT_UNIFIED",
                "ERR_PATCH_APPLY_FAILED",
                "ERR_EDIT_ANCHOR_NOT_FOUND",
                "ERR_EDIT_BEFORE_NOT_FOUND",
                "ERR_EDIT_AMBIGUOUS",
            ]
        );
    }
}
