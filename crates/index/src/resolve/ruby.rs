//! Ruby: `require_relative`, the load path (`lib`, `spec`, `test`), and what loads itself by name.

use super::paths::{folders_upwards, join, join_name};
use super::target::{ImportTarget, ResolveRequest, ResolvedModule};
use super::tree::FileTable;
use crate::code::FileId;
use crate::facts::ImportKind;
use papayu_base::text::WordList;
use papayu_lang::Language;

/// Libraries that come with Ruby (stdgems.org).
static STANDARD: WordList = WordList::new(
    "English abbrev base64 benchmark bigdecimal bundler cgi coverage csv date delegate \
    did_you_mean digest drb erb etc expect fcntl fiddle fileutils find forwardable getoptlong io \
    ipaddr irb json logger matrix minitest monitor mutex_m net nkf observer open-uri open3 \
    openssl optparse ostruct pathname pp prettyprint prime pstore psych pty racc rake rbconfig \
    readline reline resolv rinda ripper rubygems securerandom set shellwords singleton socket \
    stringio strscan tempfile time timeout tmpdir tsort un unicode_normalize uri weakref webrick \
    win32ole yaml zlib objspace",
);

/// Folders on the load path of a library, its tests and its programs.
const LOAD_PATH: [&str; 4] = ["lib", "spec", "test", "app"];

/// Returns the target of a `require`.
pub(super) fn resolve_require(
    tree: &FileTable<'_>,
    request: &ResolveRequest<'_>,
) -> ResolvedModule {
    let folder = tree.folder_of(request.from);
    let module = request.module;
    let file = |at: &str| {
        let path = join(at, module)?;
        tree.file(&format!("{path}.rb")).or_else(|| tree.file(&path))
    };
    if request.kind == ImportKind::Beside || module.starts_with("./") || module.starts_with("../") {
        return ResolvedModule::files(file(folder).into_iter().collect());
    }
    let mut places = folders_upwards(folder)
        .flat_map(|at| LOAD_PATH.iter().map(move |part| join_name(at, part)));
    if let Some(found) = places.find_map(|at| file(&at)) {
        return ResolvedModule::files(vec![found]);
    }
    let top = module.split('/').next().unwrap_or(module);
    let standard = STANDARD.contains(top);
    // A library elsewhere in the repository, as where several gems share it.
    let elsewhere = tree.files_ending(&format!("lib/{module}.rb"));
    match elsewhere.as_slice() {
        [one] if !standard => ResolvedModule::files(vec![*one]),
        _ if standard => ResolvedModule::from_target(ImportTarget::builtin(top)),
        _ => ResolvedModule::from_target(ImportTarget::external(top)),
    }
}

/// Returns the one file that a constant is loaded from by its name (`Admin::UserMailer` from
/// `admin/user_mailer.rb`). `None` for no file and for several.
pub(super) fn find_by_constant(tree: &FileTable<'_>, constant: &str) -> Option<FileId> {
    if !constant.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    let path: Vec<String> = constant.split("::").map(to_snake_case).collect();
    let files = tree.files_ending(&format!("{}.rb", path.join("/")));
    match files.as_slice() {
        [one] if tree.language(*one) == Some(Language::Ruby) => Some(*one),
        _ => None,
    }
}

/// Returns the file name that Zeitwerk expects for a constant: `HTTPClient` is `http_client`,
/// `UserID` is `user_id`.
fn to_snake_case(name: &str) -> String {
    let mut out = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let after_lower = at > 0 && !letters.get(at - 1).is_some_and(char::is_ascii_uppercase);
        let before_lower = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
        if at > 0 && letter.is_ascii_uppercase() && (after_lower || before_lower) {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_underscored_as_the_autoloader_does() {
        assert_eq!(
            ["HTTPClient", "UserMailer", "V2", "A"].map(to_snake_case),
            ["http_client", "user_mailer", "v2", "a"]
        );
    }
}
