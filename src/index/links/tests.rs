//! Names followed to their definitions, on small trees.
