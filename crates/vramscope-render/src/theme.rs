//! Colours as the page's tokens give them, and the palette of pixels made from them.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use vramscope_core::replay::N_SLOTS;

/// An opaque colour, written `#rrggbb`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Colour {
    /// Red, green and blue.
    pub rgb: [u8; 3],
}

impl Colour {
    /// A colour from its three parts.
    pub const fn new(r: u8, g: u8, b: u8) -> Self {
        Self { rgb: [r, g, b] }
    }

    /// Reads `#rrggbb`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.trim().strip_prefix('#')?;
        if digits.len() != 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let value = u32::from_str_radix(digits, 16).ok()?;
        let [_, r, g, b] = value.to_be_bytes();
        Some(Self::new(r, g, b))
    }

    /// This colour with `share` (0 to 1) of `other` mixed in.
    pub fn mixed(self, other: Self, share: f64) -> Self {
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        let mut rgb = self.rgb;
        for (own, theirs) in rgb.iter_mut().zip(other.rgb) {
            *own = (f64::from(*own) * (1.0 - share) + f64::from(theirs) * share).round() as u8;
        }
        Self { rgb }
    }

    /// As one opaque pixel: the bytes R, G, B, A in this order when written little-endian.
    pub(crate) fn pixel(self) -> u32 {
        let [r, g, b] = self.rgb;
        u32::from_le_bytes([r, g, b, 255])
    }
}

impl TryFrom<String> for Colour {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("expected a colour like #1a8c63, found {text:?}"))
    }
}

impl From<Colour> for String {
    fn from(colour: Colour) -> Self {
        let [r, g, b] = colour.rgb;
        format!("#{r:02x}{g:02x}{b:02x}")
    }
}

impl From<Colour> for plotters::style::RGBColor {
    fn from(colour: Colour) -> Self {
        let [r, g, b] = colour.rgb;
        Self(r, g, b)
    }
}

/// The colours of a timeline picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Colours {
    /// One colour for each slot.
    pub slots: [Colour; N_SLOTS],
    /// How much of the slot's colour is laid over the background in large fields, 0 to 1.
    #[serde(default = "opaque")]
    pub opacity: f64,
    /// Behind everything.
    pub background: Colour,
    /// The line of reserved bytes, and the frame of what is selected.
    pub reserved: Colour,
    /// Mixed into the top row of a block, so that it parts from the block above.
    pub edge: Colour,
}

fn opaque() -> f64 {
    1.0
}

/// A block this many pixels high begins to get a hairline and a shade of its own.
const PARTED_FROM_PX: f64 = 2.0;
/// From this height on the hairline has its full strength.
const PARTED_FULLY_PX: f64 = 6.0;
/// Share of the edge colour in a hairline at full strength.
const HAIRLINE: f64 = 0.42;
/// Share of the edge colour in every second block, so that neighbours in time are told apart too.
const SHADE: f64 = 0.055;
/// Steps of strength between no hairline and the full one.
const LEVELS: usize = 4;
/// Share of the colour in reserved memory that nothing uses, and the distance of the lines across it.
const PALE: f64 = 0.18;
const HATCH_PX: i64 = 6;

/// How much of a colour is left where an expression does not choose it.
const FADED: f64 = 0.2;

/// Ready-made pixels: which colour a block's rows get is one lookup.
pub(crate) struct Palette {
    pub(crate) background: u32,
    body: [[u32; 2]; N_SLOTS],
    hairline: [[u32; LEVELS]; N_SLOTS],
    /// In use, and reserved only.
    pools: [[u32; 2]; N_SLOTS],
}

impl Palette {
    pub(crate) fn new(colours: &Colours) -> Self {
        let field = |slot: usize| colours.background.mixed(colours.slots[slot], colours.opacity);
        Self {
            background: colours.background.pixel(),
            pools: std::array::from_fn(|slot| {
                [field(slot).pixel(), colours.background.mixed(field(slot), PALE).pixel()]
            }),
            body: std::array::from_fn(|slot| {
                [field(slot).pixel(), field(slot).mixed(colours.edge, SHADE).pixel()]
            }),
            hairline: std::array::from_fn(|slot| {
                std::array::from_fn(|level| {
                    let strength = HAIRLINE * (level + 1) as f64 / LEVELS as f64;
                    field(slot).mixed(colours.edge, strength).pixel()
                })
            }),
        }
    }

    /// The same colours for what is not chosen.
    pub(crate) fn faded(colours: &Colours) -> Self {
        Self::new(&Colours { opacity: colours.opacity * FADED, ..colours.clone() })
    }

    /// Paints a pool in a column, `rows` counted from the bottom: what is in use solid, the rest up to `top` as a hatch, closed by a line.
    pub(crate) fn pool(&self, pixels: &mut [u32], (column, used, top): (u32, Range<i32>, i32), slot: u8) {
        let [body, pale] = self.pools[usize::from(slot).min(N_SLOTS - 1)];
        for row in used.start.max(0)..top.min(pixels.len() as i32) {
            let on_line = (i64::from(column) + i64::from(row)) % HATCH_PX == 0;
            let solid = row < used.end || row + 1 == top || on_line;
            pixels[row as usize] = if solid { body } else { pale };
        }
    }

    /// The pixel of a block's body, and of its top row where that differs.
    ///
    /// Depends on the block alone (slot, id, height before rounding), so a block looks the same in every column.
    pub(crate) fn block(&self, slot: u8, alloc: u32, height_px: f64) -> (u32, Option<u32>) {
        let slot = usize::from(slot).min(N_SLOTS - 1);
        if height_px < PARTED_FROM_PX {
            return (self.body[slot][0], None);
        }
        let strength = (height_px - PARTED_FROM_PX) / (PARTED_FULLY_PX - PARTED_FROM_PX);
        let level = ((strength * LEVELS as f64) as usize).min(LEVELS - 1);
        (self.body[slot][(alloc & 1) as usize], Some(self.hairline[slot][level]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_the_notation_of_the_tokens() {
        let colour = Colour::parse("#1a8c63").unwrap();
        assert_eq!(colour.rgb, [0x1a, 0x8c, 0x63]);
        assert_eq!(String::from(colour), "#1a8c63");
        for wrong in ["", "#", "1a8c63", "#1a8c6", "#1a8c6g", "#1a8c631", "#+a8c63", "rgb(1,2,3)", "#é8c63"]
        {
            assert_eq!(Colour::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn pixels_are_rgba_in_memory() {
        assert_eq!(Colour::new(1, 2, 3).pixel().to_le_bytes(), [1, 2, 3, 255]);
    }

    #[test]
    fn mixing_is_clamped() {
        let (black, white) = (Colour::new(0, 0, 0), Colour::new(255, 255, 255));
        assert_eq!(black.mixed(white, 0.5).rgb, [128; 3]);
        assert_eq!(black.mixed(white, 7.0), white);
        assert_eq!(black.mixed(white, f64::NAN), black);
    }
}
