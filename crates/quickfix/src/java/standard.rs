//! Classes and methods of the JDK that are often used.

use std::str::SplitAsciiWhitespace;

/// Packages of the JDK with their most used classes.
const CLASSES: [(&str, &str); 13] = [
    (
        "java.io",
        "BufferedReader BufferedWriter ByteArrayInputStream ByteArrayOutputStream File FileInputStream FileNotFoundException FileOutputStream FileReader FileWriter IOException InputStream InputStreamReader OutputStream OutputStreamWriter PrintStream PrintWriter Reader Serializable StringReader StringWriter UncheckedIOException Writer",
    ),
    ("java.math", "BigDecimal BigInteger MathContext RoundingMode"),
    ("java.net", "InetAddress ServerSocket Socket URI URISyntaxException URL"),
    ("java.nio.charset", "Charset StandardCharsets"),
    ("java.nio.file", "Files Path Paths StandardCopyOption StandardOpenOption"),
    (
        "java.time",
        "Clock DayOfWeek Duration Instant LocalDate LocalDateTime LocalTime Month OffsetDateTime Period Year ZoneId ZoneOffset ZonedDateTime",
    ),
    ("java.time.format", "DateTimeFormatter DateTimeParseException"),
    (
        "java.util",
        "ArrayDeque ArrayList Arrays BitSet Calendar Collection Collections Comparator Currency Deque EnumMap EnumSet HashMap HashSet Iterator LinkedHashMap LinkedHashSet LinkedList List ListIterator Locale Map NoSuchElementException Objects Optional OptionalDouble OptionalInt OptionalLong PriorityQueue Properties Queue Random Scanner Set SortedMap SortedSet StringJoiner TreeMap TreeSet UUID",
    ),
    (
        "java.util.concurrent",
        "Callable CompletableFuture ConcurrentHashMap ConcurrentMap CopyOnWriteArrayList CountDownLatch ExecutionException Executor ExecutorService Executors Future LinkedBlockingQueue ThreadLocalRandom TimeUnit TimeoutException",
    ),
    (
        "java.util.concurrent.atomic",
        "AtomicBoolean AtomicInteger AtomicLong AtomicReference LongAdder",
    ),
    (
        "java.util.function",
        "BiConsumer BiFunction BiPredicate BinaryOperator BooleanSupplier Consumer Function IntFunction IntPredicate IntUnaryOperator Predicate Supplier ToDoubleFunction ToIntFunction ToLongFunction UnaryOperator",
    ),
    ("java.util.regex", "Matcher Pattern PatternSyntaxException"),
    ("java.util.stream", "Collectors DoubleStream IntStream LongStream Stream StreamSupport"),
];

/// Methods of the most used classes of the JDK.
const METHODS: &str = "accept add addAll addFirst addLast append apply asList charAt collect compareTo computeIfAbsent \
    contains containsKey containsValue copyOf currentTimeMillis endsWith entrySet equals equalsIgnoreCase filter findAny \
    findFirst flatMap forEach format getBytes getClass getKey getMessage getOrDefault getValue hashCode hasNext ifPresent \
    indexOf isBlank isEmpty isPresent iterator join keySet lastIndexOf length limit listIterator mapToInt mapToLong \
    mapToObj matches nanoTime nextInt nextLine noneMatch ofNullable orElse orElseThrow parallelStream parseDouble parseInt \
    parseLong peek pollFirst println printf putAll putIfAbsent reduce remove removeIf repeat replace replaceAll reverse \
    setLength size sorted split startsWith stream strip substring toArray toCharArray toList toLowerCase toString \
    toUpperCase trim valueOf values";

/// Returns the package of a class of the JDK; `None` for a class that is not in the table.
pub(super) fn package_of(class: &str) -> Option<&'static str> {
    let has = |names: &str| names.split_ascii_whitespace().any(|name| name == class);
    CLASSES.iter().find(|(_, names)| has(names)).map(|(package, _)| *package)
}

/// Returns the known classes of a package; none for a package that is not in the table.
pub(super) fn classes_in(package: &str) -> SplitAsciiWhitespace<'static> {
    let row = CLASSES.iter().find(|(name, _)| *name == package);
    row.map_or("", |(_, names)| names).split_ascii_whitespace()
}

/// Returns the known methods.
pub(super) fn methods() -> SplitAsciiWhitespace<'static> {
    METHODS.split_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_one_package() {
        let mut all: Vec<&str> =
            CLASSES.iter().flat_map(|(_, names)| names.split_ascii_whitespace()).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert_eq!(package_of("List"), Some("java.util"));
        assert_eq!(package_of("Cart"), None);
        assert!(classes_in("java.util").any(|name| name == "ArrayList"));
    }
}
