//! Replies of other forms than a plan or a change: a self-check, a review, a second opinion, summaries of web pages and of a conversation, a recipe.

use serde::Deserialize;

use papayu_base::domain::{Confidence, FixVerdict, JudgedLine, Remark};

/// The form of a reply that is neither a plan nor a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyForm {
    /// [`Claims`].
    Claims,
    /// [`Remarks`].
    Remarks,
    /// [`Opinion`].
    Opinion,
    /// [`WebSummary`].
    WebSummary,
    /// [`ConversationSummary`].
    ConversationSummary,
    /// [`WrittenRecipe`].
    Recipe,
}

impl ReplyForm {
    /// Every form.
    pub const ALL: [Self; 6] = [
        Self::Claims,
        Self::Remarks,
        Self::Opinion,
        Self::WebSummary,
        Self::ConversationSummary,
        Self::Recipe,
    ];

    /// Returns the name of its schema in requests.
    pub fn schema_name(self) -> &'static str {
        match self {
            Self::Claims => "papayu_self_check",
            Self::Remarks => "papayu_review",
            Self::Opinion => "papayu_judge",
            Self::WebSummary => "papayu_web_summary",
            Self::ConversationSummary => "papayu_conversation_summary",
            Self::Recipe => "papayu_recipe",
        }
    }
}

/// The claims of a summary.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Claims {
    /// The claims, in the order of the summary.
    pub claims: Vec<Claim>,
}

/// A claim and the lines that show it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Claim {
    /// The claim.
    pub claim: String,
    /// The file, as the model writes it.
    pub path: String,
    /// The first line, from 1.
    pub start_line: u64,
    /// The last line.
    pub end_line: u64,
    /// Text of these lines.
    pub quote: Option<String>,
}

/// The remarks of a review.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Remarks {
    /// The result in a few sentences.
    pub summary: String,
    /// The remarks, not checked yet.
    pub remarks: Vec<Remark>,
}

/// A second opinion on a change.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Opinion {
    /// The effect of the change on the failure.
    pub verdict: FixVerdict,
    /// The certainty of the model.
    pub confidence: Confidence,
    /// The reason.
    pub why: String,
    /// The lines that it rests on, not checked yet.
    pub lines: Vec<JudgedLine>,
}

/// A summary of the findings of a search.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct WebSummary {
    /// The facts.
    pub summary: String,
    /// The numbers of its sources, from 1.
    pub sources: Vec<u64>,
}

/// A summary of the conversation so far.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ConversationSummary {
    /// The facts that the model needs to go on.
    pub summary: String,
}

/// A recipe that a model has written for its own fix.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct WrittenRecipe {
    /// The file as YAML, not checked yet.
    pub recipe: String,
}
