//! Recipe files on the disk: read with their faults, written through a temporary file and a rename.

use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use papayu_recipes::{MAX_FILE_BYTES, Recipe, RecipeError, Record};
use papayu_system::{Clock, Disk, Lock, wait_until_free};

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

/// Recipes that were read, and the reasons why others are refused.
pub type ReadRecipes = Vec<Result<StoredRecipe, RecipeError>>;

/// The folders and files of recipes.
#[derive(Clone, Debug, Default)]
pub struct RecipeFolder {
    /// Folders and files that the user named.
    pub named: Vec<PathBuf>,
    /// The recipes of git repositories that the user named.
    pub fetched: Arc<ReadRecipes>,
    /// The folder in which runs keep what they learn; `None` if they learn nothing.
    pub own: Option<PathBuf>,
}

impl RecipeFolder {
    /// Returns `true` if there are no folders.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty() && self.fetched.is_empty() && self.own.is_none()
    }

    /// Returns the recipes, those of the user first, and the files that are refused. Of two with one id, the first counts; a
    /// second one that makes other changes is refused.
    pub fn read(&self, disk: &dyn Disk) -> (Vec<StoredRecipe>, Vec<RecipeError>) {
        let (mut recipes, mut faults) = (Vec::<StoredRecipe>::new(), Vec::new());
        let named = self.named.iter().flat_map(|place| read_place(disk, place, false));
        let own = self.own.iter().flat_map(|place| read_place(disk, place, true));
        for read in named.chain(self.fetched.iter().cloned()).chain(own) {
            let stored = match read {
                Ok(stored) => stored,
                Err(fault) => {
                    faults.push(fault);
                    continue;
                }
            };
            match recipes.iter().find(|it| it.recipe.id == stored.recipe.id) {
                None => recipes.push(stored),
                Some(known) if makes_same_changes(&known.recipe, &stored.recipe) => {}
                Some(known) => faults.push(RecipeError {
                    file: stored.path.display().to_string(),
                    line: None,
                    reason: format!("`{}` has its id `{}`", known.path.display(), known.recipe.id),
                    hint: "give each recipe an id of its own",
                }),
            }
        }
        (recipes, faults)
    }
}

/// Reads the recipes of a folder, or of a file.
fn read_place(disk: &dyn Disk, place: &Path, is_own: bool) -> ReadRecipes {
    let files = list_files(disk, place);
    // The folder of what runs learn is made with the first recipe.
    if files.is_empty() && !is_own {
        return vec![Err(find_place_fault(disk, place))];
    }
    let read = |path: PathBuf| {
        let recipe = read_recipe(disk, &path)?;
        Ok(StoredRecipe { recipe, path, is_own })
    };
    files.into_iter().map(read).collect()
}

impl StoredRecipe {
    /// Counts a repository in which the recipe was tried. Recipes in folders of the user are not changed.
    ///
    /// # Errors
    ///
    /// The error of the disk.
    pub fn count(
        &self,
        disk: &dyn Disk,
        clock: &dyn Clock,
        healed: bool,
    ) -> Result<(), RecipeError> {
        if !self.is_own {
            return Ok(());
        }
        // Another task may have counted since, and none may before this one has written.
        let _lock = lock_folder(disk, clock, &self.path)?;
        let mut recipe = read_recipe(disk, &self.path)?;
        recipe.record.tried += 1;
        recipe.record.healed += u32::from(healed);
        recipe.record.failed = if healed { 0 } else { recipe.record.failed + 1 };
        write_recipe(disk, &self.path, &recipe)
    }
}

/// Writes a learned recipe under its id into a folder; one that is there already stays.
///
/// # Errors
///
/// The error of the disk with the file.
pub(crate) fn keep_recipe(
    disk: &dyn Disk,
    clock: &dyn Clock,
    folder: &Path,
    recipe: &Recipe,
) -> Result<(), RecipeError> {
    let path = folder.join(format!("{}.yml", recipe.id));
    let _lock = lock_folder(disk, clock, &path)?;
    if disk.is_file(&path) { Ok(()) } else { write_recipe(disk, &path, recipe) }
}

/// Waits until no other task or process changes the recipes in the folder of a file. A file system that locks no folders has
/// no lock.
fn lock_folder(
    disk: &dyn Disk,
    clock: &dyn Clock,
    path: &Path,
) -> Result<Option<Box<dyn Lock>>, RecipeError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let made = disk.make_folder(folder).and_then(|()| disk.open_tree(folder));
    let locked = made.and_then(|tree| wait_until_free(&|| tree.lock_root(), clock));
    match locked {
        Ok(lock) => Ok(Some(lock)),
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(None),
        Err(error) => Err(unwritten(path, &error)),
    }
}

/// Returns the reason why a place that the user named has no recipes.
fn find_place_fault(disk: &dyn Disk, place: &Path) -> RecipeError {
    let (reason, hint) = if disk.open_tree(place).is_ok() {
        ("the folder has no recipe", "a recipe is a file that ends with `.yml` or `.yaml`")
    } else {
        ("there is no such file or folder", "name one that exists")
    };
    RecipeError { file: place.display().to_string(), line: None, reason: reason.to_owned(), hint }
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
    let is_recipe = |path: &PathBuf| has_recipe_name(path) && disk.is_file(path);
    disk.list(place).unwrap_or_default().into_iter().filter(is_recipe).take(MAX_FILES).collect()
}

/// Returns `true` if a file has the name of a recipe.
pub(crate) fn has_recipe_name(path: &Path) -> bool {
    matches!(path.extension().and_then(|ending| ending.to_str()), Some("yml" | "yaml"))
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
    parse_recipe(&file, bytes)
}

/// Parses the contents of a recipe file.
///
/// # Errors
///
/// The reason why it is refused, with file and line.
pub(crate) fn parse_recipe(file: &str, bytes: Vec<u8>) -> Result<Recipe, RecipeError> {
    let fault = |reason, hint| RecipeError { file: file.to_owned(), line: None, reason, hint };
    if bytes.len() > MAX_FILE_BYTES {
        return Err(fault("it is larger than 64 kB".to_owned(), "a recipe has at most 64 kB"));
    }
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| fault("it is no UTF-8 text".to_owned(), "write it as YAML"))?;
    Recipe::parse(file, &text)
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
    disk.write(path, recipe.to_yaml().as_bytes()).map_err(|error| unwritten(path, &error))
}

fn unwritten(path: &Path, error: &io::Error) -> RecipeError {
    RecipeError {
        file: path.display().to_string(),
        line: None,
        reason: error.to_string(),
        hint: "check that the folder can be written",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Barrier};

    use super::*;
    use papayu_system::os::{OsClock, OsDisk};

    const RECIPE: &str = "id: x\nlanguage: python\nmove: a from b\nto: c from b\n";

    #[test]
    fn no_result_is_lost_when_tasks_write_theirs_at_once() {
        let root = tempfile::tempdir().unwrap();
        let recipe = Recipe::parse("x.yml", RECIPE).unwrap();
        let stored = StoredRecipe { path: root.path().join("new/x.yml"), recipe, is_own: true };
        let start = Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let clock = OsClock::new(Arc::new(AtomicBool::new(false)));
                    start.wait();
                    let folder = root.path().join("new");
                    for _ in 0..5 {
                        keep_recipe(&OsDisk, &clock, &folder, &stored.recipe).unwrap();
                        stored.count(&OsDisk, &clock, true).unwrap();
                    }
                });
            }
        });
        let record = read_recipe(&OsDisk, &stored.path).unwrap().record;
        assert_eq!((record.tried, record.healed, record.failed), (20, 20, 0));
    }
}
