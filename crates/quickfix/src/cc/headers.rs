//! The headers of the standard libraries of C and C++, by the names that they declare.

/// Names of headers that are included with angle brackets.
pub(super) const STANDARD: [&str; 32] = [
    "algorithm", "assert.h", "ctype.h", "errno.h", "fcntl.h", "inttypes.h", "iostream", "limits.h",
    "locale.h", "map", "math.h", "memory", "pthread.h", "signal.h", "sstream", "stdarg.h",
    "stdbool.h", "stddef.h", "stdexcept", "stdint.h", "stdio.h", "stdlib.h", "string", "string.h",
    "strings.h", "sys/stat.h", "sys/types.h", "time.h", "unistd.h", "utility", "vector", "wchar.h",
];

/// Headers of C, each with names that no other header declares.
const C: [(&str, &str); 13] = [
    ("assert.h", "assert static_assert"),
    (
        "ctype.h",
        "isalnum isalpha isdigit islower isprint ispunct isspace isupper isxdigit tolower toupper",
    ),
    ("errno.h", "errno EINVAL ENOENT ENOMEM ERANGE"),
    (
        "inttypes.h",
        "PRId32 PRId64 PRIi32 PRIi64 PRIu16 PRIu32 PRIu64 PRIx32 PRIx64 SCNd64 SCNu64 strtoimax strtoumax",
    ),
    (
        "limits.h",
        "CHAR_BIT INT_MAX INT_MIN LLONG_MAX LLONG_MIN LONG_MAX LONG_MIN PATH_MAX UCHAR_MAX UINT_MAX ULONG_MAX",
    ),
    (
        "math.h",
        "acos asin atan atan2 ceil cos exp fabs floor fmod isnan log10 log2 pow round sin sqrt tan trunc M_PI",
    ),
    ("stdarg.h", "va_arg va_copy va_end va_list va_start"),
    ("stdbool.h", "bool true false"),
    ("stddef.h", "NULL offsetof ptrdiff_t size_t"),
    (
        "stdint.h",
        "int8_t int16_t int32_t int64_t intptr_t uint8_t uint16_t uint32_t uint64_t uintptr_t INT32_MAX INT32_MIN INT64_MAX \
         INT64_MIN SIZE_MAX UINT16_MAX UINT32_MAX UINT64_MAX UINT8_MAX",
    ),
    (
        "stdio.h",
        "FILE EOF fclose feof ferror fflush fgetc fgets fopen fprintf fputc fputs fread fscanf fseek ftell fwrite getchar \
         getline perror printf putchar puts scanf snprintf sprintf sscanf stderr stdin stdout vfprintf vprintf vsnprintf",
    ),
    (
        "stdlib.h",
        "abort abs atexit atof atoi atol bsearch calloc exit free getenv labs malloc qsort rand realloc srand strtod strtol \
         strtoll strtoul strtoull system EXIT_FAILURE EXIT_SUCCESS RAND_MAX",
    ),
    (
        "string.h",
        "memchr memcmp memcpy memmove memset strcat strchr strcmp strcpy strcspn strdup strerror strlen strncat strncmp \
         strncpy strpbrk strrchr strspn strstr strtok",
    ),
];

/// Headers of C++, each with names of the namespace `std`.
const STD: [(&str, &str); 22] = [
    (
        "algorithm",
        "any_of all_of none_of copy count count_if find find_if max_element min_element sort reverse transform unique lower_bound upper_bound",
    ),
    ("array", "array"),
    ("chrono", "chrono"),
    ("cstdint", "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t"),
    ("deque", "deque"),
    ("filesystem", "filesystem"),
    ("fstream", "ifstream ofstream fstream"),
    ("functional", "function bind hash less greater"),
    ("iostream", "cout cin cerr endl clog"),
    ("list", "list"),
    ("map", "map multimap"),
    ("memory", "unique_ptr shared_ptr weak_ptr make_unique make_shared"),
    ("mutex", "mutex lock_guard unique_lock scoped_lock"),
    ("numeric", "accumulate iota gcd lcm"),
    ("optional", "optional nullopt make_optional"),
    ("set", "set multiset"),
    ("sstream", "stringstream ostringstream istringstream"),
    ("stdexcept", "runtime_error logic_error invalid_argument out_of_range"),
    ("string", "string to_string stoi stol stod getline"),
    ("thread", "thread this_thread"),
    ("unordered_map", "unordered_map"),
    ("vector", "vector"),
];

/// Returns the standard header that declares a name outside a namespace; `None` if no header of
/// C declares it.
/// Files of C++ include the same headers.
pub(super) fn of_c(name: &str, path: &str) -> Option<&'static str> {
    let is_c = path.rsplit_once('.').is_some_and(|(_, ending)| matches!(ending, "c" | "h"));
    // In C++ these are words of the language.
    let is_word = matches!(name, "bool" | "true" | "false" | "static_assert");
    find(&C, name).filter(|_| is_c || !is_word)
}

/// Returns the standard header that declares a name of the namespace `std`; `None` for a name
/// of several headers or none.
pub(super) fn of_std(name: &str) -> Option<&'static str> {
    find(&STD, name)
}

/// Returns the header in the row with the name.
fn find(table: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    let row = table.iter().find(|(_, names)| names.split_whitespace().any(|it| it == name));
    row.map(|(header, _)| *header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_header_of_its_language() {
        assert_eq!(of_c("printf", "a.c"), Some("stdio.h"));
        assert_eq!(of_c("bool", "a.c"), Some("stdbool.h"));
        assert_eq!(of_c("bool", "a.cpp"), None);
        assert_eq!(of_c("total", "a.c"), None);
        assert_eq!(of_std("vector"), Some("vector"));
    }

    #[test]
    fn no_name_is_declared_by_two_headers_of_c() {
        let mut names: Vec<&str> =
            C.iter().flat_map(|(_, names)| names.split_whitespace()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
