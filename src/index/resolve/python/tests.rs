//! Python's imports, on small trees.
