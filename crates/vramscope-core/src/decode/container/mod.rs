//! What a file is wrapped in, layer by layer, by content and never by name.
//!
//! A [`Layer`] looks at the first bytes that it gets ([`sniff`]) and becomes one of: gzip ([`gunzip`]), zip ([`unzip`]) or an HTML
//! page ([`html`]), each with another layer inside; or the content itself ([`content`]), a pickle or JSON, which builds the rows.
//! Bytes are pushed through; a layer holds a few bytes of an unfinished header, never a piece of the file.

mod base64;
mod content;
#[cfg(any(target_arch = "wasm32", test))]
mod crc;
mod gunzip;
mod html;
mod layers;
mod members;
mod sniff;
mod unzip;

pub(super) use content::Content;
pub(super) use layers::{Layer, Oddities};

// Outside the page, flate2's sums use the processor's own instructions.
#[cfg(target_arch = "wasm32")]
use crc::Crc;
#[cfg(not(target_arch = "wasm32"))]
use flate2::Crc;

/// The end of the first occurrence of a word that ends after `fresh`.
fn find(bytes: &[u8], word: &[u8], fresh: usize) -> Option<usize> {
    let first = *word.first()?;
    let mut from = (fresh + 1).saturating_sub(word.len());
    loop {
        let rest = bytes.get(from..)?;
        let at = rest.iter().position(|&byte| byte == first)?;
        if rest.get(at..)?.starts_with(word) {
            return Some(from + at + word.len());
        }
        from += at + 1;
    }
}
