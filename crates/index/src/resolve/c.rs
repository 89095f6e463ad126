//! C and C++: headers in the file's folder first, then on the usual include paths, then anywhere in
//! the repository.

use super::paths::{folders_upwards, join, join_name, name};
use super::target::{ImportTarget, ResolveRequest, ResolvedModule};
use super::tree::FileTable;
use crate::code::FileId;
use crate::facts::ImportKind;
use papayu_base::text::WordList;

/// Headers of the C library and of POSIX. C++'s have no ending.
static HEADERS: WordList = WordList::new(
    "aio.h arpa/inet.h assert.h complex.h ctype.h dirent.h dlfcn.h errno.h fcntl.h fenv.h float.h \
    fnmatch.h getopt.h glob.h grp.h iconv.h inttypes.h iso646.h langinfo.h libgen.h limits.h \
    locale.h malloc.h math.h memory.h net/if.h netdb.h netinet/in.h netinet/tcp.h poll.h \
    pthread.h pwd.h regex.h sched.h semaphore.h setjmp.h signal.h spawn.h stdalign.h stdarg.h \
    stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h strings.h \
    syslog.h termios.h tgmath.h threads.h time.h uchar.h unistd.h utime.h wchar.h wctype.h \
    windows.h winsock2.h wordexp.h",
);

/// Folders that headers are looked for in, below every folder above the file.
const INCLUDE_PATH: [&str; 4] = ["include", "src", "inc", ""];

/// Returns the file of an `#include`.
pub(super) fn resolve_include(
    tree: &FileTable<'_>,
    request: &ResolveRequest<'_>,
) -> ResolvedModule {
    let (folder, header) = (tree.folder_of(request.from), request.module);
    let sibling = join(folder, header).and_then(|path| tree.file(&path));
    let quoted = request.kind == ImportKind::Beside;
    if let Some(file) = sibling.filter(|_| quoted) {
        return ResolvedModule::files(vec![file]);
    }
    if !quoted && is_standard(header) {
        return ResolvedModule::from_target(ImportTarget::builtin(header));
    }
    let mut paths = INCLUDE_PATH
        .iter()
        .flat_map(|part| folders_upwards(folder).map(move |at| join_name(at, part)));
    if let Some(file) = paths.find_map(|at| tree.file(&join(&at, header)?)) {
        return ResolvedModule::files(vec![file]);
    }
    // `..` counts from a folder that the build knows and we do not.
    let suffix = header.rsplit_once("../").map_or(header, |(_, rest)| rest);
    match tree.files_ending(suffix.trim_start_matches("./")).as_slice() {
        [one] => ResolvedModule::files(vec![*one]),
        [] if quoted && !is_standard(header) => {
            ResolvedModule::from_target(ImportTarget::Unresolved)
        }
        [] if is_standard(header) => ResolvedModule::from_target(ImportTarget::builtin(header)),
        [] => ResolvedModule::from_target(ImportTarget::external(
            header.split('/').next().unwrap_or(header),
        )),
        _ => ResolvedModule::from_target(ImportTarget::Unresolved),
    }
}

/// Returns `true` for a header of the C or C++ standard library, or of the operating system, so
/// that it counts as built in and not as missing.
fn is_standard(header: &str) -> bool {
    // C++'s own are plain words: `vector`, `unordered_map`.
    let plain = header.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let of_system = ["sys/", "linux/", "asm/", "bits/"].iter().any(|top| header.starts_with(top));
    plain || of_system || HEADERS.contains(header)
}

/// Returns the sources that a header's names are most likely defined in: those of its stem.
pub(super) fn sources_of(tree: &FileTable<'_>, header: FileId) -> Vec<FileId> {
    let own = name(tree.path(header));
    let Some((stem, "h" | "hh" | "hpp" | "hxx")) = own.rsplit_once('.') else { return Vec::new() };
    let endings = ["c", "cc", "cpp", "cxx"];
    let files: Vec<FileId> = endings
        .iter()
        .flat_map(|ending| tree.files_named(&format!("{stem}.{ending}")))
        .copied()
        .collect();
    tree.nearest_files(header, &files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_ending_are_the_language_s() {
        assert_eq!(
            ["vector", "sys/stat.h", "zlib.h", "stdio.h"].map(is_standard),
            [true, true, false, true]
        );
    }
}
