//! The first line of a pull request's text: invisible to people, and the ledger of its failure.

use serde::{Deserialize, Serialize};

use papayu_base::domain::Fingerprint;

const START: &str = "<!-- papayu-batch: ";
const END: &str = " -->";

/// Runs that a marker names at the most, the last ones.
const MAX_RUNS: usize = 10;

/// The earlier attempts at a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marker {
    /// The failure.
    pub(super) fingerprint: Fingerprint,
    /// Number of attempts so far.
    pub(super) attempts: u32,
    /// The last runs, the newest last.
    #[serde(default)]
    pub(super) runs: Vec<String>,
    /// The commit that the last run pushed; another one is the work of a person.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) commit: String,
    /// The commit that it was made on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) base: String,
    /// The branch that it was made for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) target: String,
    /// True once this program itself closed the pull request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_withdrawn: bool,
}

impl Marker {
    /// Reads the marker on the first line of a text; anybody may have written the other lines. `None` for any
    /// other line.
    pub(super) fn read(body: &str) -> Option<Self> {
        // GitHub returns text with `\r\n`.
        let line = body.lines().next()?.trim();
        serde_json::from_str(line.strip_prefix(START)?.strip_suffix(END)?).ok()
    }

    /// Returns a body with its marker replaced by this one.
    pub(super) fn replace_in(&self, body: &str) -> String {
        let rest = body.split_once('\n').map_or("", |(_, rest)| rest);
        format!("{}\n{rest}", self.to_line())
    }

    /// Returns the marker as it is written, a line without its end.
    pub(super) fn to_line(&self) -> String {
        let first = self.runs.len().saturating_sub(MAX_RUNS);
        let runs = self.runs.get(first..).unwrap_or_default().to_vec();
        let json = serde_json::to_string(&Self { runs, ..self.clone() }).unwrap_or_default();
        format!("{START}{json}{END}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker(runs: usize) -> Marker {
        let fingerprint = Fingerprint::parse("0123456789ab").unwrap();
        let runs = (0..runs).map(|run| run.to_string()).collect();
        Marker {
            fingerprint,
            attempts: 2,
            runs,
            commit: String::new(),
            base: String::new(),
            target: String::new(),
            is_withdrawn: false,
        }
    }

    #[test]
    fn only_the_first_line_is_believed() {
        let written = marker(2).to_line();
        assert_eq!(Marker::read(&format!("{written}\r\n\nwords")), Some(marker(2)));
        for text in [
            "",
            "words",
            &format!("words\n{written}"),
            "<!-- papayu-batch: {} -->",
            "<!-- papayu-batch: {\"fingerprint\":\"../x\",\"attempts\":1} -->",
            "<!-- papayu-batch: {\"fingerprint\":\"0123456789ab\",\"attempts\":-1} -->",
        ] {
            assert_eq!(Marker::read(text), None, "{text}");
        }
    }

    #[test]
    fn it_stays_one_short_line_whatever_the_number_of_runs() {
        let read = Marker::read(&marker(500).to_line()).unwrap();
        assert_eq!(read.runs.len(), 10);
        assert_eq!(read.runs.last().map(String::as_str), Some("499"));
    }
}
