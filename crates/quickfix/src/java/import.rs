//! Adds and corrects the imports of a Java file.

use super::super::diagnostic_context::{DiagnosticContext, RuleDecision, Spot, has_ending};
use super::super::findings::TextEdit;
use super::super::misspelling;
use super::standard;
use papayu_base::text::spelling;
use papayu_base::text::{Pattern, group};

/// `import a.b.C;`, without `static` and without `*`.
static IMPORT: Pattern = Pattern::new(r"^import\s+(?P<package>[\w.]+)\.(?P<class>\w+)\s*;");

/// `package a.b;`
static PACKAGE: Pattern = Pattern::new(r"^package\s+(?P<name>[\w.]+)\s*;");

/// An import of one class.
pub(super) struct JavaImport {
    /// From 1.
    line: u32,
    pub(super) package: String,
    pub(super) class: String,
}

/// Returns the imports of single classes in a file, in order.
pub(super) fn read_imports(spot: &Spot) -> Vec<JavaImport> {
    let lines = 1..=spot.source.line_count();
    let read = |line| {
        let found = IMPORT.captures(spot.source.line_text(line))?;
        let part = |name| group(&found, name).map(str::to_owned);
        Some(JavaImport { line, package: part("package")?, class: part("class")? })
    };
    lines.filter_map(read).collect()
}

/// Returns the package that a text declares; empty without a declaration.
pub(super) fn package_of_text(text: &str) -> String {
    let found = text.lines().find_map(|line| {
        let found = PACKAGE.captures(line)?;
        group(&found, "name").map(str::to_owned)
    });
    found.unwrap_or_default()
}

/// Returns the packages of the repository that define a class, without tests.
pub(super) fn own_packages(context: &mut DiagnosticContext<'_>, class: &str) -> Vec<String> {
    let Some(lookup) = context.tools.names else { return Vec::new() };
    let defined = lookup.definitions(class).into_iter();
    let files = defined.filter(|it| it.parent.is_none() && !papayu_lang::is_test(&it.path));
    let paths: Vec<_> =
        files.filter_map(|it| papayu_base::domain::RepoPath::parse(&it.path).ok()).collect();
    let java = paths.into_iter().filter(|path| has_ending(path.as_str(), "java"));
    let mut packages: Vec<String> =
        java.filter_map(|path| Some(package_of_text(&context.read(&path).ok()?.text))).collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

/// Adds an import of a class: in sorted order in the group of its first package part, or below
/// the package declaration.
pub(super) fn add_import(spot: &Spot, package: &str, class: &str) -> TextEdit {
    let imports = read_imports(spot);
    let path = format!("{package}.{class}");
    let first_part = |package: &str| package.split('.').next().unwrap_or_default().to_owned();
    let group: Vec<&JavaImport> =
        imports.iter().filter(|it| first_part(&it.package) == first_part(package)).collect();
    let after = |import: &JavaImport| format!("{}.{}", import.package, import.class) > path;
    let line = format!("import {path};");
    let last = group.last().copied().or(imports.last());
    match (group.iter().find(|it| after(it)), last) {
        (Some(next), _) => spot.insert_line(next.line, &line),
        (None, Some(last)) => spot.insert_line(last.line + 1, &line),
        (None, None) => {
            let lines = 1..=spot.source.line_count();
            let is_package = |line: &u32| PACKAGE.captures(spot.source.line_text(*line)).is_some();
            let end = spot.source.line_ending();
            match lines.clone().find(is_package) {
                Some(package) => spot.insert_line(package + 1, &format!("{end}{line}")),
                None => spot.insert_line(1, &format!("{line}{end}")),
            }
        }
    }
}

/// Corrects the class in an import of an existing package.
pub(super) fn fix_imported_class(
    context: &DiagnosticContext<'_>,
    spot: &Spot,
    import: &JavaImport,
) -> RuleDecision {
    let folder = format!("/{}/", import.package.replace('.', "/"));
    let own = misspelling::definitions(context, "java");
    let own = own.iter().filter(|it| it.parent.is_none());
    let inside = own.filter(|it| format!("/{}", it.path).contains(&folder));
    let known: Vec<&str> =
        inside.map(|it| it.name.as_str()).chain(standard::classes_in(&import.package)).collect();
    match spelling::find_only(&import.class, known.into_iter()) {
        Some(right) => misspelling::replace(spot, &import.class, right),
        None => RuleDecision::Hint(format!("`{}` has no such class", import.package)),
    }
}

/// Corrects the package in an import to the one that has the class.
pub(super) fn fix_package(
    context: &mut DiagnosticContext<'_>,
    spot: &Spot,
    package: &str,
) -> RuleDecision {
    let imports = read_imports(spot);
    let Some(import) = imports.iter().find(|it| it.line == spot.line && it.package == package)
    else {
        return RuleDecision::hint("the line is no import of a class");
    };
    let mut packages = own_packages(context, &import.class);
    packages.extend(standard::package_of(&import.class).map(str::to_owned));
    packages.retain(|known| misspelling::count_letters_in_part(package, known, '.').is_some());
    let [right] = packages.as_slice() else {
        return RuleDecision::Hint(format!(
            "no package of the repository or the JDK is clearly meant; if `{package}` is one of a dependency, declare it"
        ));
    };
    let Some(at) = spot.source.line_text(spot.line).find(package) else {
        return RuleDecision::hint("the line does not have the package");
    };
    let start = spot.source.line_start(spot.line) + at;
    spot.replace(start..start + package.len(), right)
}
