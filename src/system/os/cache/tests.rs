//! Caches good and bad on the real disk.
use super::*;
