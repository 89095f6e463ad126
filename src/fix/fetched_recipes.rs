//! The recipes of git repositories, which are fetched once for a run or a batch.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::forge_access::ForgeAccess;
use super::runtime::Runtime;
use super::session::Session;
use crate::recipes::{ReadRecipes, StoredRecipe, has_recipe_name, parse_recipe};
use papayu_forge::git::{Git, GitError, Remote, RemoteFile};
use papayu_recipes::RecipeError;

/// The folder of a git repository that has its recipes; without it they are in the root.
const FOLDER: &str = "recipes";

/// Recipes of git repositories that several runs share. The first run that needs them fetches them.
#[derive(Clone, Debug, Default)]
pub struct FetchedRecipes {
    recipes: Arc<OnceLock<Arc<ReadRecipes>>>,
}

impl FetchedRecipes {
    /// Returns the recipes of all addresses in `recipes.use`. An address that cannot be read is among them as an error.
    pub(super) fn get(&self, session: &Session, runtime: &Runtime) -> Arc<ReadRecipes> {
        let fetch = || {
            let named =
                session.settings.recipes_use.value.iter().filter(|it| Remote::is_address(it));
            Arc::new(named.flat_map(|name| fetch_recipes(session, runtime, name)).collect())
        };
        self.recipes.get_or_init(fetch).clone()
    }
}

/// Fetches the recipes of one repository.
fn fetch_recipes(session: &Session, runtime: &Runtime, name: &str) -> ReadRecipes {
    let (address, version) = match name.rsplit_once('#') {
        Some((address, version)) => (address, Some(version)),
        None => (name, None),
    };
    let remote = Remote::at_address(address);
    let token = ForgeAccess::choose(session, &remote.place()).ok();
    let remote = remote.give_token(token.and_then(|access| access.git_token()).as_ref());
    let place = remote.address().to_owned();
    let fault = |reason: String, hint| {
        vec![Err(RecipeError { file: place.clone(), line: None, reason, hint })]
    };
    match read_files(session, runtime, &remote, version) {
        Err(error) => fault(
            error.to_string(),
            "check the address; `ADDRESS#NAME` is a branch or tag other than the default",
        ),
        Ok(files) if files.is_empty() => fault(
            "the repository has no recipe".to_owned(),
            "its folder `recipes`, or else its root, has recipes in files that end with `.yml` or `.yaml`",
        ),
        Ok(files) => files.into_iter().map(|file| read_file(&place, file)).collect(),
    }
}

/// Returns the files of recipes: those of the folder `recipes`, or else of the root.
fn read_files(
    session: &Session,
    runtime: &Runtime,
    remote: &Remote,
    version: Option<&str>,
) -> Result<Vec<RemoteFile>, GitError> {
    let (root, system) = (session.tree.root(), runtime.system());
    let git = Git::in_folder(system, root, &session.environment, &runtime.masker);
    let in_folder = |path: &Path| path.parent() == Some(Path::new(FOLDER));
    let is_visible = |path: &str| !path.starts_with('.');
    let mut files = remote.read_files(&git, version, &|path| {
        let at = Path::new(path);
        let is_near = in_folder(at) || !path.contains('/') && is_visible(path);
        is_near && has_recipe_name(at)
    })?;
    if files.iter().any(|file| in_folder(Path::new(&file.path))) {
        files.retain(|file| in_folder(Path::new(&file.path)));
    }
    Ok(files)
}

fn read_file(place: &str, file: RemoteFile) -> Result<StoredRecipe, RecipeError> {
    let name = format!("{place}/{}", file.path);
    let recipe = parse_recipe(&name, file.bytes)?;
    Ok(StoredRecipe { recipe, path: PathBuf::from(name), is_own: false })
}
