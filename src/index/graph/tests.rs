//! Graphs of small trees, and one of many files.
