//! The text of an out-of-memory error, explained without a snapshot.
