//! Placeholder page of project.
