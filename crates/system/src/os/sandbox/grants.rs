//! The files and folders that the commands of a run may read and change, opened once, before the repository's code runs.

use std::collections::BTreeSet;
use std::fs::symlink_metadata;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::{FileRight, FileRules};
use super::hidden::{Hidden, readable_places, real_path};
use super::job::SandboxProbes;
use super::place::{Areas, OpenedPlace, PathEnd, PlaceSearch};

/// Most files that a confined process tries to read.
const MAX_PROBES: usize = 64;

/// A path outside the working tree that commands may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WantedPlace {
    /// Absolute.
    pub(super) path: PathBuf,
    /// `true` if a missing folder is made.
    pub(super) is_made: bool,
}

/// The needs of one command; commands with the same needs share their rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GrantRequest {
    /// The top of the working tree.
    pub(super) tree: PathBuf,
    /// `true` if the command may not change the working tree.
    pub(super) is_read_only: bool,
    /// Paths outside it that the command may change.
    pub(super) places: Vec<WantedPlace>,
    /// `true` if the command may use terminals of the machine.
    pub(super) with_terminals: bool,
}

/// The rules for files of some commands.
#[derive(Debug)]
pub(super) struct Grants {
    /// `None` where the kernel has no such rules.
    pub(super) rules: Option<OwnedFd>,
    /// The tries that must fail under them.
    pub(super) probes: SandboxProbes,
}

/// The parts of the file system, as a run knows them.
#[derive(Clone, Copy, Debug)]
pub(super) struct GrantSources<'a> {
    /// The files that no command sees.
    pub(super) hidden: &'a Arc<Hidden>,
    /// Folders of this program that commands may change.
    pub(super) own: &'a [PathBuf],
    /// Folders of git outside the working tree that the repository names.
    pub(super) borrowed: &'a [PathBuf],
    /// Folders in which a try to write must fail, too.
    pub(super) beside: &'a [PathBuf],
}

/// Rules that are being made.
struct GrantBuilder<'a> {
    sources: GrantSources<'a>,
    rules: FileRules,
    /// Areas that commands of this run may change, and may have changed.
    untrusted: &'a mut Areas,
    /// Areas that these rules allow to change as a whole.
    covered: Areas,
}

/// Opens what a command needs and makes the rules. `untrusted` has the areas that earlier commands could change; those of
/// this one are added.
///
/// Fails with the error of the system if the working tree cannot be opened without a link that a command could have made,
/// or if the rules cannot be made.
pub(super) fn open_grants(
    request: &GrantRequest,
    sources: GrantSources<'_>,
    untrusted: &mut Areas,
) -> io::Result<Grants> {
    let rules = FileRules::create(request.with_terminals)?;
    let mut builder = GrantBuilder { sources, rules, untrusted, covered: Areas::default() };
    let tree = builder.open_tree(&request.tree, request.is_read_only)?;
    for own in sources.own {
        let Some(place) = builder.open(own, false)? else { continue };
        builder.allow_change(&place)?;
    }
    builder.allow_places(&request.places)?;
    builder.allow_reading(&tree)?;
    let probes = builder.probes(&tree, request.is_read_only);
    Ok(Grants { rules: builder.rules.into_descriptor(), probes })
}

impl GrantBuilder<'_> {
    /// Opens a path; `None` for one that other rules cover.
    fn open(&self, path: &Path, makes_folders: bool) -> io::Result<Option<OpenedPlace>> {
        let search =
            PlaceSearch { untrusted: self.untrusted, covered: &self.covered, makes_folders };
        match search.open(path)? {
            PathEnd::Place(place) => Ok(Some(place)),
            PathEnd::Covered => Ok(None),
        }
    }

    /// Allows to read the working tree, and to change it; returns its path without links.
    fn open_tree(&mut self, tree: &Path, is_read_only: bool) -> io::Result<PathBuf> {
        let place = self.open(tree, false)?.ok_or(io::ErrorKind::NotFound)?;
        let right = if is_read_only { FileRight::Read } else { FileRight::Change };
        self.rules.allow(&place, right)?;
        // A cache in it gets no rule of its own: there may be a link in its place.
        self.untrusted.add(place.path().to_owned());
        self.covered.add(place.path().to_owned());
        Ok(place.path().to_owned())
    }

    fn allow_change(&mut self, place: &OpenedPlace) -> io::Result<()> {
        self.rules.allow(place, FileRight::Change)?;
        self.untrusted.add(place.path().to_owned());
        self.covered.add(place.path().to_owned());
        Ok(())
    }

    /// Allows to change caches and the paths of the settings. A path that cannot be opened is left out, as a tool can do
    /// without its cache.
    fn allow_places(&mut self, places: &[WantedPlace]) -> io::Result<()> {
        // Most caches do not exist, and the way to each would be opened part by part.
        let exists =
            |wanted: &&WantedPlace| wanted.is_made || symlink_metadata(&wanted.path).is_ok();
        let mut sorted: Vec<&WantedPlace> = places.iter().filter(exists).collect();
        // Those above come first, so that the others count as a part of them.
        sorted.sort_by_key(|wanted| wanted.path.components().count());
        sorted.retain(|wanted| !self.is_hidden_path(&wanted.path));
        // No path may lead through a link in another of the places, which earlier runs could change.
        for wanted in &sorted {
            if let Ok(Some(place)) = self.open(&wanted.path, false) {
                self.untrusted.add(place.path().to_owned());
            }
        }
        for wanted in sorted {
            let Ok(Some(place)) = self.open(&wanted.path, wanted.is_made) else { continue };
            if self.sources.hidden.hides(&place) {
                continue;
            }
            if !self.sources.hidden.has_hidden_below(&place) {
                self.allow_change(&place)?;
                continue;
            }
            let mut parts = Ok(());
            let hidden = self.sources.hidden;
            hidden.visit_visible(&place, &mut |part| {
                // A link would open its target.
                if parts.is_ok() && !part.is_link() {
                    self.untrusted.add(part.path().to_owned());
                    parts = self.rules.allow(&part, FileRight::Change);
                }
            });
            parts?;
        }
        Ok(())
    }

    fn is_hidden_path(&self, path: &Path) -> bool {
        self.sources.hidden.covers_real(&real_path(path))
    }

    /// Allows to read all that is not hidden, and the folder of a run that the tree is in.
    fn allow_reading(&mut self, tree: &Path) -> io::Result<()> {
        let hidden = self.sources.hidden;
        for place in readable_places(hidden)?.iter() {
            self.rules.allow(place, FileRight::Read)?;
        }
        let mut others = Ok(());
        hidden.visit_temporary(tree, &mut |place| {
            if others.is_ok() && !place.is_link() {
                others = self.rules.allow(&place, FileRight::Read);
            }
        });
        others?;
        for path in self.sources.borrowed {
            let Ok(Some(place)) = self.open(path, false) else { continue };
            if is_git_storage(&place) && !hidden.hides_own(&place) {
                self.rules.allow(&place, FileRight::Read)?;
            }
        }
        Ok(())
    }

    /// Returns the tries that must fail: to read hidden files, and to make a file next to the working tree.
    fn probes(&self, tree: &Path, is_read_only: bool) -> SandboxProbes {
        let unreadable = self.sources.hidden.samples_outside(tree).map(Path::to_owned);
        let beside = self.sources.beside.iter().map(PathBuf::as_path).chain(tree.parent());
        let beside: BTreeSet<PathBuf> = beside
            .filter_map(|folder| folder.ancestors().find(|it| !self.untrusted.covers(it)))
            .map(Path::to_owned)
            .chain(is_read_only.then(|| tree.to_owned()))
            .collect();
        SandboxProbes {
            unreadable: unreadable.take(MAX_PROBES).collect(),
            unwritable: beside.into_iter().collect(),
        }
    }
}

/// Returns `true` for a git folder, or the folder of its objects: a repository can name any folder.
fn is_git_storage(place: &OpenedPlace) -> bool {
    let is_git = has_folder(place, "objects") && place.entry("HEAD".as_ref()).is_ok();
    let is_objects = place.path().ends_with("objects")
        && (has_folder(place, "pack") || has_folder(place, "info"));
    is_git || is_objects
}

fn has_folder(place: &OpenedPlace, name: &str) -> bool {
    place.entry(name.as_ref()).is_ok_and(|entry| entry.is_folder())
}
