//! The sources of a package in two versions: the notes of the old one about a name, and the declarations of the new one.

use std::cell::OnceCell;
use std::io::{self, Read as _};
use std::path::Path;

use papayu_base::domain::changes::DependencyMove;
use papayu_base::text::{first_chars, is_word_char};
use papayu_index::{Symbol, language};
use papayu_lang::Language;
use papayu_logs::failure::{find_replacement, last_part};
use papayu_system::Disk;

/// Most files of a version.
const MAX_FILES: usize = 2_000;

/// The most bytes of a file.
const MAX_FILE: u64 = 1 << 20;

/// Most bytes of a version.
const MAX_BYTES: usize = 8 << 20;

/// The most characters of a note.
const MAX_NOTE: usize = 300;

/// The text of a file of a package.
#[derive(Debug, PartialEq, Eq)]
struct PackageText {
    path: String,
    text: String,
    /// Its definitions, read on first use.
    symbols: OnceCell<Vec<Symbol>>,
}

impl PackageText {
    fn new(path: String, text: String) -> Self {
        Self { path, text, symbols: OnceCell::new() }
    }

    /// Returns its definitions.
    fn definitions(&self) -> impl Iterator<Item = PackageDefinition<'_>> {
        let read = |known| language::parse(known, &self.text).facts.symbols;
        let parse = || Language::of_path(&self.path).map(read).unwrap_or_default();
        let symbols = self.symbols.get_or_init(parse).iter();
        symbols.map(|symbol| PackageDefinition { symbol, text: &self.text })
    }
}

/// The sources of a package in two versions.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MovedSources {
    old: Vec<PackageText>,
    new: Vec<PackageText>,
}

impl MovedSources {
    /// Reads the files with an ending of the version in `folder` and of the one before, which is in a folder next to it; `None` if
    /// that one is not there.
    pub(super) fn read(
        disk: &dyn Disk,
        folder: &Path,
        moved: &DependencyMove,
        ending: &str,
    ) -> Option<Self> {
        // A folder that takes the place of a Go module has its path for a version.
        let to = moved.to.as_deref()?.rsplit('/').next()?;
        let from = moved.from.as_deref()?;
        let name = folder.file_name()?.to_str()?;
        let before = |from: &str| folder.with_file_name(name.replacen(to, from, 1));
        let old = from.split(", ").find_map(|from| {
            let from = from.rsplit('/').next().unwrap_or(from);
            let texts = read_sources(disk, &before(from), ending);
            (!texts.is_empty()).then_some(texts)
        })?;
        name.contains(to).then(|| Self { old, new: read_sources(disk, folder, ending) })
    }

    /// Reads a diff with all lines of its files, as `npm diff` prints it.
    pub(super) fn parse_diff(diff: &str) -> Self {
        let mut versions = Self::default();
        for file in diff.split("diff --git ").skip(1) {
            let path =
                file.lines().find_map(|line| line.strip_prefix("+++ b/")).unwrap_or_default();
            let lines = || file.lines().skip_while(|line| !line.starts_with("@@")).skip(1);
            let side = |mark: char| {
                let own = lines().filter_map(|line| line.strip_prefix([' ', mark]));
                PackageText::new(path.to_owned(), own.flat_map(|line| [line, "\n"]).collect())
            };
            versions.old.push(side('-'));
            versions.new.push(side('+'));
        }
        versions
    }

    /// Returns the name that takes the place of one of the old version, by the note that declares it deprecated.
    pub(super) fn find_successor(&self, name: &str) -> Option<String> {
        let old = find_definitions(&self.old, name);
        let notes: String = old.iter().filter_map(|it| it.note(name)).collect();
        if let Some(found) = find_replacement(&notes, name) {
            return Some(found.new.to_owned());
        }
        // A plain word may be a name, too.
        let quoted = quote_names(&notes);
        let found = find_replacement(&quoted, name)?;
        let is_defined = !find_definitions(&self.new, last_part(found.new)).is_empty();
        is_defined.then(|| found.new.to_owned())
    }
}

/// A definition with the text of its file.
struct PackageDefinition<'t> {
    symbol: &'t Symbol,
    text: &'t str,
}

impl PackageDefinition<'_> {
    /// Returns what the comments and attributes above it say after the word "deprecated", as a line about its name.
    fn note(&self, name: &str) -> Option<String> {
        let above = self.text.lines().skip(self.symbol.start.saturating_sub(1) as usize);
        let above = above.take(self.symbol.line.saturating_sub(self.symbol.start) as usize);
        let words: Vec<&str> = above
            .flat_map(|line| line.trim_matches(['/', '*', ' ', '\t', '#', '[', ']']).split(' '))
            .skip_while(|word| !word.to_lowercase().contains("deprecated"))
            // The tags of JSDoc.
            .map(|word| if word == "@see" || word == "{@link" { "use" } else { word })
            .collect();
        let note = words.join(" ");
        let (_, rest) = note.split_once("eprecated")?;
        let rest = rest.split_once("note = \"").map_or(rest, |(_, note)| note);
        let rest = rest.trim_start_matches([':', ' ', '(']);
        let rest =
            rest.strip_prefix("since ").and_then(|it| it.split_once(' ')).map_or(rest, |it| it.1);
        Some(format!("`{name}` is deprecated: {}\n", first_chars(rest, MAX_NOTE)))
    }
}

/// Puts in quotes the words that may be names, because of the word before them.
fn quote_names(notes: &str) -> String {
    let mut quoted = String::new();
    let mut before = "";
    for word in notes.split_inclusive([' ', '\n']) {
        let name = word.trim_end_matches(|c: char| !is_word_char(c));
        if ["use", "using", "call", "by", "with", "to"].contains(&before.to_lowercase().trim()) {
            quoted.extend(["`", name, "`", word.get(name.len()..).unwrap_or_default()]);
        } else {
            quoted.push_str(word);
        }
        before = word;
    }
    quoted
}

/// Returns the definitions of a name.
fn find_definitions<'t>(files: &'t [PackageText], name: &str) -> Vec<PackageDefinition<'t>> {
    let with_name = files.iter().filter(|file| file.text.contains(name));
    let all = with_name.flat_map(PackageText::definitions);
    all.filter(|it| *it.symbol.name == *name).collect()
}

/// Returns the sources below a folder, without tests; none if they are too many to read.
fn read_sources(disk: &dyn Disk, folder: &Path, ending: &str) -> Vec<PackageText> {
    let paths = disk.walk(folder, MAX_FILES).unwrap_or_default().into_iter();
    let (mut texts, mut bytes) = (Vec::new(), 0);
    for path in paths.filter(|it| it.ends_with(ending) && !papayu_lang::is_test(it)) {
        let Ok(text) = read_beginning(disk, &folder.join(&path)) else { continue };
        bytes += text.len();
        if bytes > MAX_BYTES {
            return Vec::new();
        }
        texts.push(PackageText::new(path, text));
    }
    texts
}

/// Returns the text of a file up to [`MAX_FILE`].
pub(in super::super) fn read_beginning(disk: &dyn Disk, path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    disk.open(path)?.take(MAX_FILE).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(path: &str, old: &str, new: &str) -> MovedSources {
        let file = |text: &str| vec![PackageText::new(path.to_owned(), text.to_owned())];
        MovedSources { old: file(old), new: file(new) }
    }

    #[test]
    fn the_note_of_the_old_version_names_the_successor() {
        let go = "package money\n\n// Round rounds.\n//\n// Deprecated: please consider using money.RoundTo instead.\nfunc Round(cents int) int { return 1 }\n";
        let rust = "/// Makes it.\n#[deprecated(since = \"1.0\", note = \"Replaced with `Command`\")]\npub struct App;\n";
        let types = "declare class Store {\n  /**\n   * @deprecated since 7.0 use delete() instead\n   */\n  public del(key: string): boolean\n}\n";
        let head = "export type Mutable<Base, Keys extends keyof Base = keyof Base> = Base;\n";
        let two = "package money\n\nfunc RoundUp(cents int) int { return 1 }\nfunc RoundTo(cents int) int { return 1 }\n";
        for (path, old, new, name, expected) in [
            ("a.go", go, "package money\n", "Round", Some("money.RoundTo")),
            ("a.rs", rust, "", "App", Some("Command")),
            ("a.d.ts", types, "", "del", Some("delete")),
            (
                "a.go",
                &go.replace("please consider using money.RoundTo instead", "Use RoundTo"),
                two,
                "Round",
                Some("RoundTo"),
            ),
            (
                "a.d.ts",
                &format!("/** @deprecated @see Writable */\n{head}"),
                "export type Writable<A> = A;\n",
                "Mutable",
                Some("Writable"),
            ),
            ("a.d.ts", head, "export type Writable<A> = A;\n", "Mutable", None),
        ] {
            let found = versions(path, old, new).find_successor(name);
            assert_eq!(found.as_deref(), expected, "{old}");
        }
    }

    #[test]
    fn a_diff_with_all_lines_has_both_versions_of_each_file() {
        let diff = "diff --git a/x.d.ts b/x.d.ts\nindex v1..v2 100644\n--- a/x.d.ts\n+++ b/x.d.ts\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
        assert_eq!(MovedSources::parse_diff(diff), versions("x.d.ts", "a\nb\n", "a\nc\n"));
        assert_eq!(MovedSources::parse_diff(""), MovedSources::default());
    }
}
