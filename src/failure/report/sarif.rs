//! Reads SARIF 2.1, which many analysers can write.

use serde::Deserialize;

use crate::domain::{Failure, FailureKind, Location};
use crate::failure::draft::Draft;

#[derive(Deserialize)]
struct Sarif {
    runs: Vec<SarifRun>,
}

#[derive(Deserialize)]
struct SarifRun {
    #[serde(default)]
    results: Vec<SarifResult>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: Option<String>,
    level: Option<String>,
    message: SarifMessage,
    #[serde(default)]
    locations: Vec<SarifLocation>,
}

#[derive(Deserialize)]
struct SarifMessage {
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifLocation {
    physical_location: Option<SarifPlace>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifPlace {
    artifact_location: Option<SarifFile>,
    region: Option<SarifRegion>,
}

#[derive(Deserialize)]
struct SarifFile {
    uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifRegion {
    start_line: Option<u32>,
    start_column: Option<u32>,
}

/// Returns the errors of a report; `None` for other JSON.
pub(super) fn read(text: &str) -> Option<Vec<Failure>> {
    let report = serde_json::from_str::<Sarif>(text).ok()?;
    let results = report.runs.into_iter().flat_map(|run| run.results);
    Some(results.filter_map(sarif).collect())
}

fn sarif(result: SarifResult) -> Option<Failure> {
    // Without a level it is a warning.
    if result.level.as_deref() != Some("error") {
        return None;
    }
    let message = result.message.text.unwrap_or_default();
    let mut draft = Draft::new("sarif", FailureKind::Lint, &message);
    if let Some(rule) = &result.rule_id {
        draft = draft.with_code(rule);
    }
    for place in result.locations.into_iter().filter_map(|at| at.physical_location) {
        let Some(path) = place.artifact_location.and_then(|file| file.uri) else { continue };
        let (line, column) =
            place.region.map_or((None, None), |region| (region.start_line, region.start_column));
        draft.place(Location { path, line, column });
    }
    Some(draft.done())
}
