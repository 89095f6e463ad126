//! Finds a text or pattern in the repository's files, on all cores, the same hits every time.

use std::io;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use globset::{GlobBuilder, GlobMatcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::sinks::Bytes;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};

use crate::domain::RepoPath;
use crate::system::survey::Survey;
use crate::system::{Tree, cores};
use crate::text::encoding;

/// Characters of a line that are shown.
const MAX_LINE_CHARS: usize = 500;

/// Bytes a compiled pattern may take; one that repeats repetitions takes more.
const MAX_PATTERN_BYTES: usize = 10 * 1024 * 1024;

/// Files a thread takes at once, and fewer than this many in all are searched by one thread.
const HANDFUL: usize = 32;

/// What is looked for, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// A text, or a pattern of the `regex` crate; never over several lines.
    pub text: String,
    /// Whether it is a pattern.
    pub is_regex: bool,
    /// Whether upper and lower case are one.
    pub ignore_case: bool,
    /// Only files whose paths fit; a glob without `/` is held against names.
    pub glob: Option<String>,
    /// Hits at the most.
    pub limit: usize,
    /// Longer files are not searched.
    pub max_file_bytes: u64,
}

/// A line that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The file.
    pub path: String,
    /// 1-based.
    pub line: u64,
    /// The line without its end, at most 500 characters of it.
    pub text: String,
}

/// The first lines that fit, by path and line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// Sorted by the files' order as given, then by line.
    pub hits: Vec<Hit>,
    /// Whether there are more than the limit.
    pub more: bool,
}

/// Why a query cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryFault {
    /// It would fit every line.
    #[error("the query is empty")]
    Empty,
    /// Not a pattern, or one over several lines.
    #[error("the pattern cannot be read: {0}")]
    Pattern(String),
    /// Not a glob.
    #[error("the glob cannot be read: {0}")]
    Glob(String),
}

/// Where files are read from.
#[derive(Clone, Copy)]
pub enum Place<'a> {
    /// A repository's folder.
    Tree(&'a dyn Tree),
    /// The same as the index reads it, which costs less.
    Survey(&'a dyn Survey),
}

/// Returns the lines of these files that fit; files that cannot be read or are binary have none.
pub fn search<S: AsRef<str> + Sync>(
    place: Place<'_>,
    files: &[S],
    query: &Query,
) -> Result<Hits, QueryFault> {
    let search = Search::new(place, query)?;
    let cores = cores();
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let count = AtomicUsize::new(0);
    let part = || {
        let mut worker = Worker::new(&search);
        // A handful that was begun is finished: all files before the last one are searched, and so
        // the first hits are the same whoever is faster.
        while count.load(Ordering::Relaxed) <= query.limit {
            let from = next.fetch_add(HANDFUL, Ordering::Relaxed);
            let Some(handful) = files.get(from..files.len().min(from + HANDFUL)) else { break };
            if handful.is_empty() {
                break;
            }
            for (path, at) in handful.iter().zip(from..) {
                let hits = worker.file(path.as_ref());
                if !hits.is_empty() {
                    count.fetch_add(hits.len(), Ordering::Relaxed);
                    found.lock().unwrap_or_else(PoisonError::into_inner).push((at, hits));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..cores.min(files.len().div_ceil(HANDFUL)) {
            scope.spawn(part);
        }
        part();
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_unstable_by_key(|(at, _)| *at);
    let mut hits: Vec<_> = found.into_iter().flat_map(|(_, hits)| hits).collect();
    let more = hits.len() > query.limit;
    hits.truncate(query.limit);
    Ok(Hits { hits, more })
}

struct Search<'a> {
    place: Place<'a>,
    matcher: RegexMatcher,
    glob: Option<(GlobMatcher, bool)>,
    is_ascii: bool,
    limit: usize,
    max_file_bytes: u64,
}

impl<'a> Search<'a> {
    fn new(place: Place<'a>, query: &Query) -> Result<Self, QueryFault> {
        if query.text.is_empty() {
            return Err(QueryFault::Empty);
        }
        let matcher = RegexMatcherBuilder::new()
            .fixed_strings(!query.is_regex)
            .case_insensitive(query.ignore_case)
            .line_terminator(Some(b'\n'))
            .size_limit(MAX_PATTERN_BYTES)
            .build(&query.text)
            .map_err(|error| QueryFault::Pattern(error.to_string()))?;
        let glob = |glob: &String| {
            let built = GlobBuilder::new(glob).literal_separator(true).build();
            let built = built.map_err(|error| QueryFault::Glob(error.to_string()))?;
            Ok((built.compile_matcher(), !glob.contains('/')))
        };
        Ok(Self {
            place,
            matcher,
            glob: query.glob.as_ref().map(glob).transpose()?,
            is_ascii: query.text.is_ascii() && !query.is_regex,
            limit: query.limit,
            max_file_bytes: query.max_file_bytes,
        })
    }

    fn wants(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.glob
            .as_ref()
            .is_none_or(|(glob, by_name)| glob.is_match(if *by_name { name } else { path }))
    }
}

struct Worker<'s> {
    search: &'s Search<'s>,
    searcher: Searcher,
    buffer: Vec<u8>,
}

impl<'s> Worker<'s> {
    fn new(search: &'s Search<'s>) -> Self {
        let mut rules = SearcherBuilder::new();
        rules.line_number(true).bom_sniffing(false).binary_detection(BinaryDetection::quit(0));
        Self { search, searcher: rules.build(), buffer: Vec::new() }
    }

    /// Returns a file's hits, one more than the limit at the most.
    fn file(&mut self, path: &str) -> Vec<Hit> {
        if !self.search.wants(path) || self.read(path).is_err() {
            return Vec::new();
        }
        let bytes = std::mem::take(&mut self.buffer);
        let hits = match &bytes[..] {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => self.decoded(path, &bytes),
            // In older encodings ASCII letters are what they are; others have to be found as letters.
            _ if self.search.is_ascii || std::str::from_utf8(&bytes).is_ok() => {
                self.lines(path, &bytes)
            }
            _ => self.decoded(path, &bytes),
        };
        self.buffer = bytes;
        hits
    }

    fn read(&mut self, path: &str) -> io::Result<()> {
        let limit = self.search.max_file_bytes;
        match self.search.place {
            Place::Survey(survey) => {
                survey.fetch(path, limit, &may_be_text, &mut self.buffer)?;
            }
            Place::Tree(tree) => {
                let path = RepoPath::parse(path).map_err(io::Error::other)?;
                self.buffer = tree.read(&path, limit)?;
            }
        }
        Ok(())
    }

    fn decoded(&mut self, path: &str, bytes: &[u8]) -> Vec<Hit> {
        let decoded = encoding::decode(bytes);
        decoded.map(|decoded| self.lines(path, decoded.text.as_bytes())).unwrap_or_default()
    }

    fn lines(&mut self, path: &str, bytes: &[u8]) -> Vec<Hit> {
        let mut hits = Vec::new();
        let limit = self.search.limit;
        let sink = Bytes(|line, text| {
            hits.push(Hit { path: path.to_owned(), line, text: shown(text) });
            Ok(hits.len() <= limit)
        });
        if self.searcher.search_slice(&self.search.matcher, bytes, sink).is_err() {
            return Vec::new();
        }
        hits
    }
}

fn shown(line: &[u8]) -> String {
    let line = line.get(..MAX_LINE_CHARS * 4).unwrap_or(line);
    let line = String::from_utf8_lossy(line);
    line.trim_end_matches(['\n', '\r']).chars().take(MAX_LINE_CHARS).collect()
}

fn may_be_text(head: &[u8]) -> bool {
    matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) || memchr::memchr(0, head).is_none()
}

#[cfg(test)]
mod tests;
