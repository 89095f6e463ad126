//! Names of the standard library that are often used, with their modules.

use std::str::SplitAsciiWhitespace;

/// Modules with their members that are called as `module.member`, or imported from it.
const MEMBERS: [(&str, &str); 22] = [
    ("asyncio", "Event Lock Queue Semaphore create_task gather get_event_loop run sleep wait_for"),
    ("collections", "Counter OrderedDict defaultdict deque namedtuple"),
    ("csv", "DictReader DictWriter reader writer"),
    ("dataclasses", "asdict astuple dataclass fields replace"),
    ("datetime", "date datetime time timedelta timezone"),
    ("functools", "cached_property lru_cache partial reduce total_ordering wraps"),
    ("hashlib", "md5 new sha1 sha256 sha512"),
    (
        "itertools",
        "accumulate chain combinations count cycle groupby islice permutations product repeat zip_longest",
    ),
    ("json", "JSONDecodeError JSONDecoder JSONEncoder dump dumps load loads"),
    ("logging", "StreamHandler basicConfig critical debug error exception getLogger info warning"),
    ("math", "ceil factorial floor fsum gcd hypot isclose isnan sqrt"),
    ("operator", "attrgetter itemgetter methodcaller"),
    (
        "os",
        "environ getcwd getenv getpid listdir makedirs mkdir path remove rename rmdir scandir unlink walk",
    ),
    (
        "os.path",
        "abspath basename dirname exists expanduser getsize isabs isdir isfile join normpath realpath relpath splitext",
    ),
    (
        "posixpath",
        "abspath basename dirname exists expanduser getsize isabs isdir isfile join normpath realpath relpath splitext",
    ),
    ("random", "choice choices randint random randrange sample seed shuffle uniform"),
    ("re", "compile escape findall finditer fullmatch match search split sub"),
    ("shutil", "copy copyfile copytree move rmtree which"),
    ("string", "ascii_letters ascii_lowercase ascii_uppercase digits punctuation whitespace"),
    ("subprocess", "CalledProcessError Popen check_call check_output run"),
    ("sys", "argv executable exit modules path platform stderr stdin stdout version_info"),
    ("time", "monotonic perf_counter sleep strftime time"),
];

/// Names that nothing but an import of one module is likely to bind.
const NAMES: [(&str, &str); 12] = [
    ("abc", "ABC abstractmethod"),
    ("collections", "Counter OrderedDict defaultdict deque namedtuple"),
    ("contextlib", "contextmanager suppress"),
    ("dataclasses", "asdict astuple dataclass field"),
    ("datetime", "timedelta timezone"),
    ("decimal", "Decimal"),
    ("enum", "Enum IntEnum"),
    ("functools", "cached_property lru_cache partial reduce total_ordering wraps"),
    ("io", "BytesIO StringIO"),
    ("pathlib", "Path PurePath"),
    (
        "typing",
        "Any Callable ClassVar Dict Iterable Iterator List Literal Mapping NamedTuple Optional Protocol Sequence Set Tuple TypeVar TypedDict Union",
    ),
    ("uuid", "uuid4"),
];

/// Returns the members of a module that are known here; none of another module.
pub(super) fn members(module: &str) -> SplitAsciiWhitespace<'static> {
    let row = MEMBERS.iter().find(|(name, _)| *name == module);
    row.map_or("", |(_, members)| members).split_ascii_whitespace()
}

/// Returns the module that a name is usually imported from. `None` for a name that is not in the table.
pub(super) fn module_of(name: &str) -> Option<&'static str> {
    let has = |members: &str| members.split_ascii_whitespace().any(|member| member == name);
    NAMES.iter().find(|(_, members)| has(members)).map(|(module, _)| *module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_module() {
        let mut all: Vec<&str> =
            NAMES.iter().flat_map(|(_, members)| members.split_ascii_whitespace()).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert_eq!(module_of("dataclass"), Some("dataclasses"));
        assert_eq!(module_of("total"), None);
        assert!(members("json").any(|member| member == "dumps"));
        assert_eq!(members("shop").count(), 0);
    }
}
