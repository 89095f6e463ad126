//! Reads which name the compiler or the linker does not know, and corrects it or includes its header.

use std::collections::BTreeSet;

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot, count_errors};
use super::super::findings::ToolFindings;
use super::super::line_index::Unit;
use super::super::messages::{Form, Missing, form, read_message};
use super::super::misspelling;
use super::super::tool_context::{NoResult, ToolContext};
use super::{headers, include, own};
use papayu_base::domain::Failure;
use papayu_base::text::spelling;

/// The messages of the linker, which knows no line, and of gcc and clang.
static FORMS: [Form<CNameKind>; 14] = [
    form(CNameKind::Unlinked, r"^undefined reference to '(?P<name>\w+)'"),
    form(
        CNameKind::Header,
        r"^(?P<name>[\w./+-]+): No such file or directory|^'(?P<other>[\w./+-]+)' file not found",
    ),
    form(
        CNameKind::Member,
        r"has no member named '(?P<name>\w+)'(?:; did you mean '(?P<proposed>\w+)'\?)?",
    ),
    form(
        CNameKind::Standard,
        r"^no (?:member|type) named '(?P<name>\w+)' in namespace 'std'(?:; did you mean '(?P<proposed>\w+)'\?)?",
    ),
    form(
        CNameKind::Member,
        r"^no member named '(?P<name>\w+)' in '[^']+'(?:; did you mean '(?P<proposed>\w+)'\?)?",
    ),
    form(
        CNameKind::Name,
        r"^no type named '(?P<name>\w+)' in '[^']+'(?:; did you mean '(?P<proposed>\w+)'\?)?",
    ),
    form(CNameKind::Standard, r"^'(?P<name>\w+)' is not a member of 'std'"),
    form(
        CNameKind::Name,
        r"^'(?P<name>\w+)' undeclared(?: \([^)]*\))?(?:; did you mean '(?P<proposed>\w+)'\?)?",
    ),
    form(
        CNameKind::Name,
        r"^'(?P<name>\w+)' was not declared in this scope(?:; did you mean '(?P<proposed>\w+)'\?)?",
    ),
    form(
        CNameKind::Name,
        r"^use of undeclared identifier '(?P<name>\w+)'(?:; did you mean '(?P<proposed>\w+)'\?)?",
    ),
    form(
        CNameKind::Name,
        r"implicit declaration of function '(?P<name>\w+)'(?:; did you mean '(?P<proposed>\w+)'\?)?",
    ),
    form(CNameKind::Name, r"^call to undeclared (?:library )?function '(?P<name>\w+)'"),
    form(
        CNameKind::Name,
        r"^unknown type name '(?P<name>\w+)'(?:; did you mean '(?P<proposed>\w+)'\?)?",
    ),
    form(
        CNameKind::Name,
        r"^'(?P<name>\w+)' does not name a type(?:; did you mean '(?P<proposed>\w+)'\?)?",
    ),
];

/// The kind of what is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CNameKind {
    /// A variable, function, macro or type.
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

/// Returns the fixes for names that the C or C++ compiler does not know.
///
/// Fails with [`NoResult::Unconcerned`] if no failure is about such a name.
pub(crate) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, NoResult> {
    let failures = tools.report.failures.iter().filter(|failure| failure.toolchain == "c");
    let unknown: Vec<(&Failure, Missing<CNameKind>)> =
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
fn read(message: &str) -> Option<Missing<CNameKind>> {
    let first = message.lines().next().unwrap_or_default();
    // gcc quotes by the locale, and old versions with a backtick: one pattern reads all of them.
    read_message(&FORMS, &first.replace(['‘', '’', '`'], "'"))
}

/// Returns the verdict on one name: an include, a corrected spelling, or a hint.
fn fix(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    unknown: &Missing<CNameKind>,
) -> RuleDecision {
    let name = &unknown.name;
    if unknown.sort == CNameKind::Header {
        return own::fix_include(context, spot, name);
    }
    if unknown.sort == CNameKind::Unlinked {
        return fix_unlinked(spot, name);
    }
    let header = if unknown.sort == CNameKind::Standard {
        headers::of_std(name)
    } else {
        headers::of_c(name, spot.path.as_str())
    };
    // The include comes first: a name of the standard library is hardly a misspelling of another.
    if let Some(header) = header
        && !include::has_include(&spot.source.text, header)
    // An include that is there already cannot be what is missing.
    {
        return RuleDecision::Fix(vec![include::add_include(spot, header)]);
    }
    if unknown.sort != CNameKind::Member
        && let Some(edit) = own::include_of(context, spot, name)
    {
        return RuleDecision::Fix(vec![edit]);
    }
    let Some(right) = &unknown.proposed else {
        let known = own::known_names(context, spot);
        let known: BTreeSet<&str> = known.iter().map(String::as_str).collect();
        return misspelling::correct(spot, name, None, &known);
    };
    if !spelling::is_clear(name, right, spot.source.all_words()) {
        return RuleDecision::Hint(format!("`{right}` need not be what `{name}` means"));
    }
    // gcc counts columns of a screen, on which a tab is wide.
    match spot.find_name(name, Unit::Byte) {
        Some(range) => spot.replace(range, right),
        None => RuleDecision::hint("the name is not at the place that the compiler reports"),
    }
}

/// Fixes a function that is called and defined nowhere: corrects it to the only word of the
/// file that differs by one letter.
fn fix_unlinked(spot: &Spot, name: &str) -> RuleDecision {
    // The linker knows no declarations, so only words of the calling file are compared, and the wrong name
    // is one of them.
    let words = spot.source.all_words().filter(|word| *word != name);
    let Some(right) = spelling::find_only(name, words) else {
        return RuleDecision::Hint(format!("no object file defines `{name}`"));
    };
    let places = spot.source.word_places(name);
    if places.is_empty() {
        return RuleDecision::Hint(format!("`{name}` is not in the file"));
    }
    spot.replace_all(places, right)
}

#[cfg(test)]
mod tests {
    use super::super::super::messages::are_valid;
    use super::*;

    #[test]
    fn every_form_of_gcc_and_clang_is_read() {
        assert!(are_valid(&FORMS));
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
            assert_eq!((unknown.name.as_str(), unknown.proposed.as_deref()), (name, instead));
        }
        assert_eq!(read("‘vector’ is not a member of ‘std’").unwrap().sort, CNameKind::Standard);
        let of_clang = read("no member named 'vector' in namespace 'std'").unwrap();
        assert_eq!(of_clang.sort, CNameKind::Standard);
        assert_eq!(read("expected ‘;’ before ‘return’"), None);
    }
}
