//! Reads SARIF 2.1, which many analysers can write.

use serde::Deserialize;

use super::sarif_fix::{self, ProposedFix};
use crate::domain::{ColumnUnit, Failure, FailureKind, Location};
use crate::failure::draft::Draft;

#[derive(Deserialize)]
struct Sarif {
    runs: Vec<SarifRun>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifRun {
    #[serde(default)]
    results: Vec<SarifResult>,
    column_kind: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: Option<String>,
    level: Option<String>,
    message: SarifMessage,
    #[serde(default)]
    locations: Vec<SarifLocation>,
    #[serde(default)]
    fixes: Vec<ProposedFix>,
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
    let failures = report.runs.into_iter().flat_map(|run| {
        let unit = match run.column_kind.as_deref() {
            Some("utf16CodeUnits") => ColumnUnit::Utf16,
            Some("unicodeCodePoints") => ColumnUnit::CodePoint,
            _ => ColumnUnit::Unsaid,
        };
        run.results.into_iter().filter_map(move |result| failure(result, unit))
    });
    Some(failures.collect())
}

fn failure(result: SarifResult, unit: ColumnUnit) -> Option<Failure> {
    // Without a level it is a warning.
    if result.level.as_deref() != Some("error") {
        return None;
    }
    let message = result.message.text.unwrap_or_default();
    let mut draft = Draft::new("sarif", FailureKind::Lint, &message);
    if let Some(rule) = &result.rule_id {
        draft = draft.with_code(rule);
    }
    let mut first = None;
    for place in result.locations.into_iter().filter_map(|at| at.physical_location) {
        let Some(path) = place.artifact_location.and_then(|file| file.uri) else { continue };
        let (line, column) =
            place.region.map_or((None, None), |region| (region.start_line, region.start_column));
        let place = Location { path, line, column };
        first.get_or_insert_with(|| place.clone());
        draft.place(place);
    }
    let mut failure = draft.done();
    let fix = first.and_then(|at| sarif_fix::fix(result.fixes, &at, unit));
    failure.fixes.extend(fix);
    Some(failure)
}
