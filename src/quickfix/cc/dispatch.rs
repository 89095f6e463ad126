//! Reads which name the compiler or the linker does not know, and corrects it or includes its header.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::super::diagnostic_context::{DiagnosticContext, Spot, Verdict, count_errors};
use super::super::findings::Findings;
use super::super::line_index::Unit;
use super::super::misspelling;
use super::super::tool_context::{NoResult, ToolContext};
use super::{headers, include, own};
use crate::domain::Failure;
use crate::text::spelling;
use crate::text::{Pattern, group};

/// Messages about a name, of gcc and clang. gcc writes quotation marks of the locale.
const FORMS: [&str; 10] = [
    r"has no member named '(?P<name>\w+)'(?:; did you mean '(?P<instead>\w+)'\?)?",
    r"^no (?:member|type) named '(?P<name>\w+)' in (?:namespace '(?P<of>std)'|'[^']+')(?:; did you mean '(?P<instead>\w+)'\?)?",
    r"^'(?P<name>\w+)' is not a member of '(?P<of>std)'",
    r"^'(?P<name>\w+)' undeclared(?: \([^)]*\))?(?:; did you mean '(?P<instead>\w+)'\?)?",
    r"^'(?P<name>\w+)' was not declared in this scope(?:; did you mean '(?P<instead>\w+)'\?)?",
    r"^use of undeclared identifier '(?P<name>\w+)'(?:; did you mean '(?P<instead>\w+)'\?)?",
    r"implicit declaration of function '(?P<name>\w+)'(?:; did you mean '(?P<instead>\w+)'\?)?",
    r"^call to undeclared (?:library )?function '(?P<name>\w+)'",
    r"^unknown type name '(?P<name>\w+)'(?:; did you mean '(?P<instead>\w+)'\?)?",
    r"^'(?P<name>\w+)' does not name a type(?:; did you mean '(?P<instead>\w+)'\?)?",
];

/// The compiled form of [`FORMS`].
static PATTERNS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| FORMS.iter().map(|form| Pattern::new(form)).collect());

/// A header that does not exist, in the words of gcc and of clang.
static MISSING_HEADER: Pattern = Pattern::new(
    r"^(?P<gcc>[\w./+-]+): No such file or directory|^'(?P<clang>[\w./+-]+)' file not found",
);

/// The message of the linker, which knows no line.
static UNLINKED: Pattern = Pattern::new(r"^undefined reference to '(?P<name>\w+)'");

/// The parts of a message.
#[derive(Debug, Default, PartialEq, Eq)]
struct Unknown {
    name: String,
    /// The name that the compiler proposes.
    instead: Option<String>,
    sort: Sort,
}

/// The kind of what is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sort {
    /// A variable, function, macro or type.
    #[default]
    Name,
    /// A name of the namespace `std`.
    Standard,
    /// A member of a structure.
    Member,
    /// A header that was not found.
    Header,
    /// A function that only the linker misses, which knows no line.
    Unlinked,
}

/// Returns the fixes for names that are not known.
pub(in crate::quickfix) fn find_fixes(tools: &ToolContext<'_>) -> Result<Findings, NoResult> {
    let failures = tools.report.failures.iter().filter(|failure| failure.toolchain == "c");
    let unknown: Vec<(&Failure, Unknown)> =
        failures.filter_map(|failure| Some((failure, read(&failure.message)?))).collect();
    if unknown.is_empty() {
        return Err(NoResult::Unconcerned);
    }
    let mut context = DiagnosticContext::new(tools);
    for (failure, unknown) in &unknown {
        // Later places are those of macros and of earlier declarations.
        let Some(at) = failure.locations.first() else { continue };
        context.judge("cc", failure, at, |context, spot| fix(context, spot, unknown));
    }
    Ok(context.into_findings(count_errors("cc", unknown.len())))
}

/// Returns the parts of a message; `None` for a form that is not known.
fn read(message: &str) -> Option<Unknown> {
    let first = message.lines().next().unwrap_or_default();
    // gcc quotes by the locale, and old versions with a backtick: one pattern reads all of them.
    let first = first.replace(['‘', '’', '`'], "'");
    if let Some(found) = UNLINKED.captures(&first) {
        let name = group(&found, "name")?.to_owned();
        return Some(Unknown { name, instead: None, sort: Sort::Unlinked });
    }
    if let Some(found) = MISSING_HEADER.captures(&first) {
        let name = group(&found, "gcc").or_else(|| group(&found, "clang"))?.to_owned();
        return Some(Unknown { name, instead: None, sort: Sort::Header });
    }
    PATTERNS.iter().find_map(|pattern| {
        let found = pattern.captures(&first)?;
        let sort = match group(&found, "of") {
            Some(_) => Sort::Standard,
            None if first.contains(" member named ") => Sort::Member,
            None => Sort::Name,
        };
        Some(Unknown {
            name: group(&found, "name")?.to_owned(),
            instead: group(&found, "instead").map(str::to_owned),
            sort,
        })
    })
}

/// Returns the verdict on one name: an include, a corrected spelling, or a hint.
fn fix(context: &mut DiagnosticContext<'_>, spot: &Spot, unknown: &Unknown) -> Verdict {
    let name = &unknown.name;
    if unknown.sort == Sort::Header {
        return own::fix_include(context, spot, name);
    }
    if unknown.sort == Sort::Unlinked {
        return fix_unlinked(spot, name);
    }
    let header = if unknown.sort == Sort::Standard {
        headers::of_std(name)
    } else {
        headers::of_c(name, spot.path.as_str())
    };
    // The include comes first: a name of the standard library is hardly a misspelling of another.
    if let Some(header) = header
        && !include::has_include(&spot.source.text, header)
    // An include that is there already cannot be what is missing.
    {
        return Verdict::Fix(vec![include::add_include(spot, header)]);
    }
    if unknown.sort != Sort::Member
        && let Some(edit) = own::include_of(context, spot, name)
    {
        return Verdict::Fix(vec![edit]);
    }
    let Some(right) = &unknown.instead else {
        let known = own::known_names(context, spot);
        let known: BTreeSet<&str> = known.iter().map(String::as_str).collect();
        return misspelling::correct(spot, name, None, &known);
    };
    if !spelling::is_clear(name, right, spot.source.all_words()) {
        return Verdict::Hint(format!("`{right}` need not be what `{name}` means"));
    }
    // gcc counts columns of a screen, on which a tab is wide.
    let at = spot.source.find_word(spot.line, spot.column, name, Unit::Byte);
    match at.or_else(|| spot.source.only_in_line(spot.line, name)) {
        Some(range) => spot.replace(range, right),
        None => Verdict::hint("the name is not at the place that the compiler reports"),
    }
}

/// Fixes a function that is called and defined nowhere: corrects it to the only word of the
/// file that differs by one letter.
fn fix_unlinked(spot: &Spot, name: &str) -> Verdict {
    // The linker knows no declarations, so only words of the calling file are compared, and the wrong name
    // is one of them.
    let words = spot.source.all_words().filter(|word| *word != name);
    let Some(right) = spelling::find_only(name, words) else {
        return Verdict::Hint(format!("no object file defines `{name}`"));
    };
    let places = spot.source.word_places(name);
    if places.is_empty() {
        return Verdict::Hint(format!("`{name}` is not in the file"));
    }
    spot.replace_all(places, right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_gcc_and_clang_is_read() {
        assert!(PATTERNS.iter().all(Pattern::is_valid));
        for (message, name, instead) in [
            (
                "‘struct item’ has no member named ‘prce’; did you mean ‘price’?",
                "prce",
                Some("price"),
            ),
            (
                "no member named 'prce' in 'struct item'; did you mean 'price'?",
                "prce",
                Some("price"),
            ),
            (
                "‘totl’ undeclared (first use in this function); did you mean ‘total’?",
                "totl",
                Some("total"),
            ),
            ("‘totl’ undeclared (first use in this function)", "totl", None),
            ("use of undeclared identifier 'totl'; did you mean 'total'?", "totl", Some("total")),
            ("‘totl’ was not declared in this scope; did you mean ‘total’?", "totl", Some("total")),
            ("implicit declaration of function ‘printf’", "printf", None),
            (
                "call to undeclared library function 'printf' with type 'int (const char *, ...)'",
                "printf",
                None,
            ),
            ("unknown type name ‘uint32_t’", "uint32_t", None),
            ("undefined reference to `totl'", "totl", None),
        ] {
            let unknown = read(message).unwrap();
            assert_eq!((unknown.name.as_str(), unknown.instead.as_deref()), (name, instead));
        }
        assert_eq!(read("‘vector’ is not a member of ‘std’").unwrap().sort, Sort::Standard);
        let of_clang = read("no member named 'vector' in namespace 'std'").unwrap();
        assert_eq!(of_clang.sort, Sort::Standard);
        assert_eq!(read("expected ‘;’ before ‘return’"), None);
    }
}
