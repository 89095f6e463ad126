//! Recipe files on the disk: read with their faults, written through a temporary file and a rename.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use papayu_recipes::{MAX_FILE_BYTES, Recipe, RecipeError, Record};
use papayu_system::Disk;

/// Most recipe files of a folder.
const MAX_FILES: usize = 5_000;

/// A recipe and its file.
#[derive(Clone, Debug)]
pub struct StoredRecipe {
    /// The recipe.
    pub recipe: Recipe,
    /// Its file.
    pub path: PathBuf,
    /// `true` if its file is in the folder in which runs keep what they learn.
    pub is_own: bool,
}

/// The folders and files of recipes.
#[derive(Clone, Debug, Default)]
pub struct RecipeFolder {
    /// Folders and files that the user named.
    pub named: Vec<PathBuf>,
    /// The folder in which runs keep what they learn; `None` if they learn nothing.
    pub own: Option<PathBuf>,
}

impl RecipeFolder {
    /// Returns `true` if there are no folders.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty() && self.own.is_none()
    }

    /// Returns the recipes, those of the user first, and the files that are refused. Of two with one id, the first counts; a
    /// second one that makes other changes is refused.
    pub fn read(&self, disk: &dyn Disk) -> (Vec<StoredRecipe>, Vec<RecipeError>) {
        let (mut recipes, mut faults) = (Vec::<StoredRecipe>::new(), Vec::new());
        let named = self.named.iter().map(|path| (path, false));
        for (place, is_own) in named.chain(self.own.iter().map(|path| (path, true))) {
            for path in list_files(disk, place) {
                match read_recipe(disk, &path) {
                    Ok(recipe) => match recipes.iter().find(|it| it.recipe.id == recipe.id) {
                        None => recipes.push(StoredRecipe { recipe, path, is_own }),
                        Some(known) if makes_same_changes(&known.recipe, &recipe) => {}
                        Some(known) => faults.push(RecipeError {
                            file: path.display().to_string(),
                            line: None,
                            reason: format!(
                                "`{}` has its id `{}`",
                                known.path.display(),
                                recipe.id
                            ),
                            hint: "give each recipe an id of its own",
                        }),
                    },
                    Err(fault) => faults.push(fault),
                }
            }
        }
        (recipes, faults)
    }

    /// Writes a learned recipe under its id; one that is there already stays. Returns its file; `None` without a folder.
    ///
    /// # Errors
    ///
    /// The error of the disk with the file.
    pub fn keep(&self, disk: &dyn Disk, recipe: &Recipe) -> Result<Option<PathBuf>, RecipeError> {
        let Some(folder) = &self.own else { return Ok(None) };
        let path = folder.join(format!("{}.yml", recipe.id));
        if !disk.is_file(&path) {
            write_recipe(disk, &path, recipe)?;
        }
        Ok(Some(path))
    }
}

impl StoredRecipe {
    /// Counts a repository in which the recipe was tried. Recipes in folders of the user are not changed.
    ///
    /// # Errors
    ///
    /// The error of the disk.
    pub fn count(&self, disk: &dyn Disk, healed: bool) -> Result<(), RecipeError> {
        if !self.is_own {
            return Ok(());
        }
        // Another task may have counted since.
        let mut recipe = read_recipe(disk, &self.path)?;
        recipe.record.tried += 1;
        recipe.record.healed += u32::from(healed);
        recipe.record.failed = if healed { 0 } else { recipe.record.failed + 1 };
        write_recipe(disk, &self.path, &recipe)
    }
}

/// Returns whether two recipes differ in their origin and record at most.
fn makes_same_changes(one: &Recipe, other: &Recipe) -> bool {
    let rules = |recipe: &Recipe| {
        Recipe { from: None, record: Record::default(), ..recipe.clone() }.to_yaml()
    };
    rules(one) == rules(other)
}

/// Returns the recipe files of a folder, sorted; a file is itself.
pub(crate) fn list_files(disk: &dyn Disk, place: &Path) -> Vec<PathBuf> {
    if disk.is_file(place) {
        return vec![place.to_owned()];
    }
    let is_recipe = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        matches!(ending, Some("yml" | "yaml")) && disk.is_file(path)
    };
    disk.list(place).unwrap_or_default().into_iter().filter(is_recipe).take(MAX_FILES).collect()
}

/// Reads one recipe file.
///
/// # Errors
///
/// The reason why it is refused, with file and line.
pub(crate) fn read_recipe(disk: &dyn Disk, path: &Path) -> Result<Recipe, RecipeError> {
    let file = path.display().to_string();
    let fault = |reason: String, hint| RecipeError { file: file.clone(), line: None, reason, hint };
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX) + 1;
    // One byte more than allowed shows that a file is too large without reading all of it.
    let read = disk.open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes));
    read.map_err(|error| fault(error.to_string(), "check that the file can be read"))?;
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| fault("it is no UTF-8 text".to_owned(), "write it as YAML"))?;
    if text.len() > MAX_FILE_BYTES {
        return Err(fault("it is larger than 64 kB".to_owned(), "a recipe has at most 64 kB"));
    }
    Recipe::parse(&file, &text)
}

/// Writes a recipe.
///
/// # Errors
///
/// The error of the disk.
pub(crate) fn write_recipe(
    disk: &dyn Disk,
    path: &Path,
    recipe: &Recipe,
) -> Result<(), RecipeError> {
    disk.write(path, recipe.to_yaml().as_bytes()).map_err(|error| RecipeError {
        file: path.display().to_string(),
        line: None,
        reason: error.to_string(),
        hint: "check that the folder can be written",
    })
}
