//! Placeholder page of prompts.
