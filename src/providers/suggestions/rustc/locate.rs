//! Finds the files that proposals name and makes fixes of them; what does not fit is left out with the reason.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::findings::{Edit, Fix};
use super::super::probe::Probe;
use super::choose::Proposal;
use crate::domain::RepoPath;
use crate::text::encoding::MARK;

/// The files that may be changed: those the repository itself holds, sorted by path.
pub(super) struct Sources<'a> {
    pub(super) probe: &'a Probe<'a>,
    pub(super) files: Vec<String>,
}

/// Proposals found in the repository.
#[derive(Debug, Default)]
pub(super) struct Located {
    /// Every file that is edited, as it is.
    pub(super) texts: BTreeMap<RepoPath, String>,
    /// A fix for each proposal that fits, in their order.
    pub(super) fixes: Vec<Fix>,
    /// A line for each that does not.
    pub(super) left_out: Vec<String>,
}

/// Returns the fixes that fit the files as they are on disk.
pub(super) fn locate(sources: &Sources<'_>, proposals: &[Proposal]) -> Located {
    let mut located = Located::default();
    for proposal in proposals {
        match sources.fix(proposal, &mut located.texts) {
            Ok(fix) => located.fixes.push(fix),
            Err(reason) => {
                let Proposal { file_name, at: (row, column), note, .. } = proposal;
                let line = format!("{file_name}:{row}:{column} {note} (left out: {reason})");
                located.left_out.push(line);
            }
        }
    }
    located
}

impl Sources<'_> {
    fn fix(
        &self,
        proposal: &Proposal,
        texts: &mut BTreeMap<RepoPath, String>,
    ) -> Result<Fix, &'static str> {
        let path = self.find(proposal).ok_or("the file is not one of the repository's")?;
        if !texts.contains_key(&path) {
            texts.insert(path.clone(), self.probe.read(&path)?);
        }
        let text = texts.get(&path).map(String::as_str).unwrap_or_default();
        if !fits(proposal, text) {
            return Err("the file is not as the compiler saw it");
        }
        let is_crlf = text.contains("\r\n");
        let edits = proposal.edits.iter().map(|edit| Edit {
            path: path.clone(),
            range: edit.range.clone(),
            text: if is_crlf {
                edit.replacement.replace("\r\n", "\n").replace('\n', "\r\n")
            } else {
                edit.replacement.clone()
            },
        });
        let (row, column) = proposal.at;
        let note = format!("{path}:{row}:{column} {}", proposal.note);
        Ok(Fix { note, edits: edits.collect() })
    }

    /// rustc names files of a workspace relative to its root, which is the package's folder or
    /// one above it (above the repository too, where that is one member), and others by their
    /// absolute path.
    fn find(&self, proposal: &Proposal) -> Option<RepoPath> {
        let name = Path::new(&proposal.file_name);
        if name.is_absolute() {
            return self.known(name.strip_prefix(self.probe.tree.root()).ok()?);
        }
        let root = self.probe.tree.root();
        let package = proposal.manifest_path.parent().filter(|folder| folder.starts_with(root))?;
        let places = package.ancestors().map(|folder| folder.join(name));
        places.into_iter().find_map(|place| self.known(place.strip_prefix(root).ok()?))
    }

    fn known(&self, path: &Path) -> Option<RepoPath> {
        let mut segments = Vec::new();
        for segment in path.to_str()?.split(['/', std::path::MAIN_SEPARATOR]) {
            match segment {
                "" | "." => {}
                // `#[path = "../x.rs"]` leaves such segments.
                ".." => drop(segments.pop()?),
                name => segments.push(name),
            }
        }
        let path = segments.join("/");
        self.files.binary_search(&path).ok().and_then(|_| RepoPath::parse(&path).ok())
    }
}

/// Tells whether the text is the one that the compiler saw. It counts a byte order mark among the bytes,
/// and shows lines without it.
fn fits(proposal: &Proposal, text: &str) -> bool {
    let shown = text.strip_prefix(MARK).unwrap_or(text);
    let first = text.len() - shown.len();
    let lines: Vec<&str> = shown.lines().collect();
    was_seen(proposal, &lines)
        && proposal
            .edits
            .iter()
            .all(|edit| edit.range.start >= first && text.get(edit.range.clone()).is_some())
}

/// An insertion shows no line of its own, but the error it belongs to does.
fn was_seen(proposal: &Proposal, lines: &[&str]) -> bool {
    let is_there = |(number, text): &(usize, String)| {
        // A range that ends with the file shows an empty line after the last one.
        lines.get(number.saturating_sub(1)).copied().unwrap_or_default() == text
    };
    !proposal.seen.is_empty() && proposal.seen.iter().all(is_there)
}

#[cfg(test)]
mod tests {
    use super::super::super::findings::Findings;
    use super::super::super::land::land;
    use super::super::choose;
    use super::*;
    use crate::providers::suggestions::tests::{Outside, config};
    use crate::system::memory::{MemoryTree, Node, Nodes};

    const SOURCE: &str = "fn main() {\n    let total = 1;\n    print(totl);\n}\n";

    fn tree(files: &[(&str, &[u8])]) -> MemoryTree {
        let node = |bytes: &[u8]| Node::File(bytes.to_vec(), 0o644);
        MemoryTree::new(
            files.iter().map(|(path, bytes)| ((*path).to_owned(), node(bytes))).collect::<Nodes>(),
        )
    }

    /// The misspelt name of [`SOURCE`], as a file and a package name it.
    fn proposal(file_name: &str, manifest_path: &str) -> Proposal {
        let start = SOURCE.find("totl").unwrap();
        Proposal {
            manifest_path: manifest_path.into(),
            file_name: file_name.to_owned(),
            note: "note".to_owned(),
            at: (3, 11),
            edits: vec![choose::Edit { range: start..start + 4, replacement: "total".to_owned() }],
            seen: vec![(3, "    print(totl);".to_owned())],
        }
    }

    /// Path and text of each fixed file, and the lines left out.
    fn landed(
        files: &[(&str, &[u8])],
        proposals: &[Proposal],
    ) -> (Vec<(String, String)>, Vec<String>) {
        let (tree, outside) = (tree(files), Outside::silent());
        let (config, report) = (config(None), crate::domain::FailureReport::default());
        let probe = Probe {
            system: outside.system(),
            tree: &tree,
            config: &config,
            report: &report,
            time_limit: std::time::Duration::ZERO,
        };
        let files = tree.nodes().into_keys().collect();
        let mut located = locate(&Sources { probe: &probe, files }, proposals);
        let findings = Findings { texts: located.texts, ..Findings::default() };
        let landed = land(&findings, &located.fixes.iter().collect::<Vec<_>>());
        located.left_out.extend(landed.left_out);
        let texts = landed.files.into_iter().map(|fix| (fix.path.to_string(), fix.after));
        (texts.collect(), located.left_out)
    }

    fn fixed(path: &str) -> (Vec<(String, String)>, Vec<String>) {
        (vec![(path.to_owned(), SOURCE.replace("totl", "total"))], Vec::new())
    }

    fn left(name: &str, reason: &str) -> (Vec<(String, String)>, Vec<String>) {
        (Vec::new(), vec![format!("{name}:3:11 note (left out: {reason})")])
    }

    #[test]
    fn files_are_found_as_the_compiler_names_them() {
        for (file, named, manifest) in [
            ("src/main.rs", "src/main.rs", "/memory/Cargo.toml"),
            ("a/src/main.rs", "a/src/main.rs", "/memory/a/Cargo.toml"),
            ("ws/a/src/main.rs", "a/src/main.rs", "/memory/ws/a/Cargo.toml"),
            ("a/src/main.rs", "/memory/a/src/main.rs", "/memory/a/Cargo.toml"),
            ("src/main.rs", "src/deep/../main.rs", "/memory/Cargo.toml"),
        ] {
            let files = [(file, SOURCE.as_bytes())];
            assert_eq!(landed(&files, &[proposal(named, manifest)]), fixed(file), "{named}");
        }
    }

    #[test]
    fn files_outside_the_repository_are_left_out() {
        let files = [("src/main.rs", SOURCE.as_bytes())];
        for (named, manifest) in [
            ("/registry/x/src/main.rs", "/registry/x/Cargo.toml"),
            ("src/main.rs", "/registry/x/Cargo.toml"),
            ("../src/main.rs", "/memory/Cargo.toml"),
            ("/memory/../memory/../etc/passwd", "/memory/Cargo.toml"),
            ("target/debug/build/x/out/main.rs", "/memory/Cargo.toml"),
        ] {
            let expected = left(named, "the file is not one of the repository's");
            assert_eq!(landed(&files, &[proposal(named, manifest)]), expected, "{named}");
        }
    }

    #[test]
    fn a_file_that_is_not_as_the_compiler_saw_it_is_left_out() {
        let one = [proposal("a.rs", "/memory/Cargo.toml")];
        let moved = format!("// new first line\n{SOURCE}");
        for (bytes, reason) in [
            (moved.as_bytes(), "the file is not as the compiler saw it"),
            (b"", "the file is not as the compiler saw it"),
            (b"fn main() {\n    let total = 1;\n", "the file is not as the compiler saw it"),
            (b"caf\xe9\n", "the file is not UTF-8"),
        ] {
            assert_eq!(landed(&[("a.rs", bytes)], &one), left("a.rs", reason));
        }
    }

    #[test]
    fn the_first_of_two_overlapping_proposals_is_kept_and_a_repeated_edit_lands_once() {
        let first = proposal("a.rs", "/memory/Cargo.toml");
        let mut second = first.clone();
        second.edits =
            vec![choose::Edit { replacement: "other".to_owned(), ..first.edits[0].clone() }];
        let (files, left_out) =
            landed(&[("a.rs", SOURCE.as_bytes())], &[first.clone(), first, second]);
        assert_eq!(files, fixed("a.rs").0);
        assert_eq!(left_out, left("a.rs", "it overlaps another suggestion").1);
    }

    #[test]
    fn an_import_lands_with_the_file_s_own_line_endings() {
        let crlf = SOURCE.replace('\n', "\r\n");
        let mut import = proposal("a.rs", "/memory/Cargo.toml");
        import.edits = vec![choose::Edit { range: 0..0, replacement: "use a::B;\n\n".to_owned() }];
        let expected = format!("use a::B;\r\n\r\n{crlf}");
        assert_eq!(
            landed(&[("a.rs", crlf.as_bytes())], &[import]),
            (vec![("a.rs".to_owned(), expected)], Vec::new())
        );
    }

    #[test]
    fn a_byte_order_mark_is_counted_and_stays_first() {
        let marked = format!("{MARK}{SOURCE}");
        let mut one = proposal("a.rs", "/memory/Cargo.toml");
        one.edits[0].range = one.edits[0].range.start + 3..one.edits[0].range.end + 3;
        let expected = marked.replace("totl", "total");
        assert_eq!(
            landed(&[("a.rs", marked.as_bytes())], &[one.clone()]),
            (vec![("a.rs".to_owned(), expected)], Vec::new())
        );
        one.edits[0].range = 0..0;
        assert_eq!(
            landed(&[("a.rs", marked.as_bytes())], &[one]),
            left("a.rs", "the file is not as the compiler saw it")
        );
    }

    #[test]
    fn a_range_that_cuts_a_character_is_left_out() {
        let source = "// é\n";
        let mut one = proposal("a.rs", "/memory/Cargo.toml");
        one.edits = vec![choose::Edit { range: 4..6, replacement: String::new() }];
        one.seen = vec![(1, "// é".to_owned())];
        assert_eq!(
            landed(&[("a.rs", source.as_bytes())], &[one]),
            left("a.rs", "the file is not as the compiler saw it")
        );
    }
}
