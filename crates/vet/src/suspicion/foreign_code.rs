//! Added code that the rules for its language do not read: machine code, code of another language, code in files of other kinds,
//! and replaced operators of equality.

use super::added_text::{AddedTextRule, rule};
use super::flag::Flag;
use papayu_lang::{ChangedText, Family};

/// Assembly and calls into C are outside of what the other rules can read.
const FOREIGN: &str = "uses machine code or code of another language";
/// A file with any ending can contain code that no reviewer expects there.
const LOADS: &str = "loads code by the path of a file";
/// `assert 3 == x` calls the equality of `x`, which the change defines here.
const EQUALITY: &str = "defines an equality with values of another type";

/// Code that may do something other than what it shows, whatever failed.
pub(super) static FOREIGN_CODE: [AddedTextRule; 8] = [
    rule(
        &[Family::Rust],
        FOREIGN,
        r"\b(?:global_|naked_)?asm ! [({\[]|\barch : : (?:\{ [^}]*)?(?:global_|naked_)?asm\b",
    ),
    rule(
        &[Family::Go],
        FOREIGN,
        r#"\bimport (?:\( [^)]*)?"C"|\bsyscall \. (?:Raw)?Syscall(?:N|6|9|12|15|18)?\b"#,
    ),
    rule(&[Family::Python], FOREIGN, r"\b(?:import|from) (?:ctypes|cffi)\b|\bctypes \. \w+"),
    // A path that does not end with `.rs`.
    rule(
        &[Family::Rust],
        LOADS,
        r#"# \[ (?:cfg_attr \( [^\]]{0,80}, )?path = "(?:[^"]*[^"s]|[^"]*[^"r]s|[^"]*[^".]rs)""#,
    ),
    rule(
        &[Family::Python],
        LOADS,
        r"\b(?:Source|Sourceless|Extension)FileLoader\b|\b(?:import|from) runpy\b|\brunpy \.|\b(?:exec_module|spec_from_file_location|spec_from_loader|load_source) \(",
    ),
    rule(
        &[Family::Script],
        LOADS,
        r#"\bcreateRequire\b|\bmodule \. constructor\b|\bModule \. _load\b|\brequire \( "\.{1,2}/[^"]*\.(?:txt|text|dat|data|bin|md|cfg|conf|ini|csv|tsv|log|tmp|bak|old|orig|xml|ya?ml|toml|lock|map|snap|out|inc|rc|db|wasm)""#,
    ),
    rule(
        &[Family::Python],
        EQUALITY,
        r#"\b__(?:eq|ne|lt|gt|le|ge)__ (?:: [^=;]{1,40})?= [^=]|"__(?:eq|ne|lt|gt|le|ge)__"|\bALWAYS_EQ\b|\bclass \w+ \( (?:[\w.]+ )*(?:Fraction|Decimal|Number|Complex|Real|Rational|Integral|complex)\b[^)]*\) : .{0,300}?\bdef __(?:eq|ne|lt|gt|le|ge)__"#,
    ),
    rule(
        &[Family::Rust],
        EQUALITY,
        r"\bPartialEq < (?:& )?(?:' ?\w+ )?(?:[iu](?:8|16|32|64|128|size)|f32|f64|bool|char|str|String) > for\b|\bPartialEq < [^>]{1,60}> for (?:[iu](?:8|16|32|64|128|size)|f32|f64|bool|char|str|String)\b",
    ),
];

/// Endings of files with machine code, assembly or compiled code, in lower case.
const MACHINE_CODE: [&str; 14] = [
    "s", "asm", "syso", "o", "a", "so", "dll", "dylib", "lib", "pyd", "node", "wasm", "class",
    "jar",
];

/// Endings of documents, which may show code of Node without running it.
const DOCUMENTS: [&str; 8] = ["md", "mdx", "markdown", "rst", "adoc", "html", "htm", "ipynb"];

/// Returns flags for new files of machine code, and for files without code that gain a `CommonJS`
/// module, because `require` loads a file with any ending.
pub(super) fn find_foreign_files(changes: &[ChangedText<'_>]) -> Vec<Flag> {
    let mut found = Vec::new();
    for change in changes {
        let name = change.path.rsplit('/').next().unwrap_or(change.path).to_lowercase();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_new = change.before.is_empty() && !change.after.is_empty();
        if is_new && MACHINE_CODE.contains(&ending) {
            found.push(Flag::new(change.path, 1, "adds machine code or assembly"));
        }
        let is_module = |line: &str| line.contains("module.exports") || line.contains("exports.");
        if change.is_data() && !DOCUMENTS.contains(&ending) && !change.before.lines().any(is_module)
        {
            let line = (1..).zip(change.after.lines()).find(|(_, line)| is_module(line));
            let message = "has code in a file of data";
            found.extend(line.map(|(line, _)| Flag::new(change.path, line, message)));
        }
    }
    found
}
