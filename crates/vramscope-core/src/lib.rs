//! Bytes to snapshot to replay to answers.
//!
//! Pure: no files, clock, threads, environment or JavaScript. The same code runs in the tab and on the command line.
//!
//! ```
//! use vramscope_core::{decode::{Decoder, Limits}, query, replay::Recording};
//!
//! // An empty recording, as `pickle.dumps({"segments": [], "device_traces": [[]]})` writes it.
//! let file = b"\x80\x04}(\x8c\x08segments]\x8c\rdevice_traces]]au.";
//! let mut decoder = Decoder::new("empty.pickle", Limits::default());
//! decoder.feed(file).unwrap();
//! let recording = Recording::build(decoder.finish().unwrap());
//! assert_eq!(query::summary::summary(&recording).devices.len(), 1);
//! ```
//!
//! Modules import only what stands to their left: `units, ids, order, bits → warning → model → decode → allocator → replay → query`.

pub mod allocator;
pub mod bits;
pub mod decode;
pub mod ids;
pub mod model;
pub mod order;
pub mod query;
pub mod replay;
pub mod units;
pub mod warning;
