//! The plan as a file that a person may read between `plan` and `apply --plan`.

use serde::{Deserialize, Serialize};

use papayu_base::domain::{
    ActionSet, ChangeRecord, ErrorCode, FailureReport, RepoPath, Sha256, Version,
};
use papayu_patch::protocol::extract::extract_json;
use papayu_patch::protocol::{self, Refusal};

/// The version of the format. It grows when an older program would misread a new file.
const FORM: u32 = 1;

/// A file that the plan has read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReadFile {
    /// Relative to the repository, separated by `/`.
    pub path: String,
    /// The digest of the bytes that were read, as 64 hexadecimal digits.
    pub sha256: String,
}

/// The format of `plan.json`, which `plan` writes and `apply --plan` reads. Unknown fields are
/// ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PlanFile {
    /// The form's version: 1.
    pub papayu_plan: u32,
    /// The goal, if there was one.
    pub goal: Option<String>,
    /// The command that proves the fix, if there is one.
    pub run: Option<String>,
    /// Diagnosis and steps; may be edited before `apply`.
    pub summary: String,
    /// The files that the plan was made from; `apply` refuses the plan if one of them has
    /// changed.
    pub files: Vec<ReadFile>,
    /// The failure the plan is about.
    pub failure: FailureReport,
    /// The changes since the command last passed, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<ChangeRecord>,
    /// The change as a patch, where the tools themselves propose it; `apply` makes it again.
    #[serde(default)]
    pub diff: Option<String>,
}

/// The content of a plan file.
#[derive(Clone, Debug, PartialEq)]
pub enum Saved {
    /// A plan to carry out.
    Plan(Box<PlanFile>),
    /// A reply of the protocol with its actions; no provider is asked.
    Actions(Box<ActionSet>),
}

impl PlanFile {
    /// Returns a plan file of the current format, without a diff.
    pub fn new(
        goal: Option<String>,
        run: Option<String>,
        summary: String,
        shown: impl IntoIterator<Item = (RepoPath, Sha256)>,
        failure: FailureReport,
    ) -> Self {
        let file = |(path, sha256): (RepoPath, Sha256)| ReadFile {
            path: path.to_string(),
            sha256: sha256.to_string(),
        };
        let files = shown.into_iter().map(file).collect();
        Self { papayu_plan: FORM, goal, run, summary, files, failure, changes: None, diff: None }
    }
}

impl PlanFile {
    /// Returns the files that the plan was made from. A row with an invalid path or digest,
    /// after an edit by a person, is left out, so the model has to read that file again.
    pub fn reads(&self) -> Vec<(RepoPath, Sha256)> {
        let read =
            |file: &ReadFile| RepoPath::parse(&file.path).ok().zip(Sha256::parse(&file.sha256));
        self.files.iter().filter_map(read).collect()
    }
}

/// Reads a plan file: the output of `plan`, or a bare reply of the protocol. A JSON array is
/// protocol v1; any other reply is of `version`.
///
/// # Errors
///
/// Returns a [`Refusal`] with [`ErrorCode::SchemaValidation`] for another version of the format
/// or wrong fields, and the codes of the protocol for text that is not JSON or has no valid
/// actions.
pub fn read(text: &str, version: Version) -> Result<Saved, Refusal> {
    // The extractor's limits apply to a plan file from a user, too.
    let plan = extract_json(text)?.value;
    if let Some(form) = plan.get("papayu_plan").cloned() {
        if form != FORM {
            let reason = format!("the plan's form is {form}; this program reads form {FORM}");
            return Err(refused(reason));
        }
        let plan = serde_json::from_value(plan).map_err(|error| refused(error.to_string()))?;
        return Ok(Saved::Plan(Box::new(plan)));
    }
    let version = if text.trim_start().starts_with('[') { Version::V1 } else { version };
    let (set, _) = protocol::decode_actions(version, text)?;
    Ok(Saved::Actions(Box::new(set)))
}

fn refused(reason: String) -> Refusal {
    Refusal::of_reply(ErrorCode::SchemaValidation, reason)
}
