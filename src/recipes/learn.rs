//! Learns a recipe from the proved change of a run.

use std::collections::BTreeMap;

use super::files::ImportIndex;
use super::stage::RecipeStage;
use papayu_base::domain::FailureReport;
use papayu_patch::Change;
use papayu_recipes::{Origin, Recipe, RecipeChange, TaughtFix, adopt_recipe, learn_recipe};

impl RecipeStage<'_> {
    /// Returns the recipe of the proved change of a failure, without its origin. The rules are those of a text if there is one,
    /// else they follow from the change.
    ///
    /// # Errors
    ///
    /// The reason why there is none.
    pub(crate) fn learn(
        &self,
        change: &[Change],
        report: &FailureReport,
        text: Option<&str>,
    ) -> Result<Recipe, String> {
        let changes = change.iter().map(read_change).collect::<Result<Vec<_>, _>>()?;
        let before: BTreeMap<_, _> =
            changes.iter().map(|it| (it.path.clone(), it.before.clone())).collect();
        let fix = TaughtFix {
            changes: &changes,
            report,
            files: &self.files(before),
            reexports: &ImportIndex::new(self.index.index()),
            origin: &Origin::default(),
        };
        text.map_or_else(|| learn_recipe(fix), |text| adopt_recipe(fix, text))
    }
}

fn read_change(change: &Change) -> Result<RecipeChange, String> {
    let path = change.path().to_string();
    let Change::WriteFile { before, after, .. } = change else {
        return Err(format!("`{path}` is added or removed"));
    };
    let text = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec());
        text.map_err(|_| format!("`{path}` is no UTF-8 text"))
    };
    let (before, after) = (text(before)?, text(after)?);
    Ok(RecipeChange { path, before, after })
}
