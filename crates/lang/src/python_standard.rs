//! The names of Python's standard library, those of versions still met included.

use papayu_base::text::WordList;

/// As in the Python Module Index of docs.python.org, with modules that newer versions removed.
static MODULES: WordList = WordList::new(
    "__future__ _thread abc aifc annotationlib antigravity argparse array ast asynchat asyncio \
    asyncore atexit audioop base64 bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb \
    chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent \
    configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses \
    datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno \
    faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath \
    getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib \
    imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale \
    logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt \
    multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os \
    ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix \
    posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue \
    quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors \
    shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 \
    sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess \
    sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap \
    this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty \
    turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave \
    weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib \
    zoneinfo",
);

/// Returns `true` if the top name of a module belongs to the standard library.
/// `top` is the part before the first dot: `os` for `os.path`.
pub fn is_python_standard(top: &str) -> bool {
    MODULES.contains(top)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_knows_old_and_new_modules() {
        assert_eq!(
            ["os", "tomllib", "distutils", "requests"].map(is_python_standard),
            [true, true, true, false]
        );
    }
}
