//! biome.
