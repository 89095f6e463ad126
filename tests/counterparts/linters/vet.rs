//! vet.
