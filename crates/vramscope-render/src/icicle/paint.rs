//! The picture of frames upon frames.

use super::layout::{Cell, Layout};
use crate::picture::{Picture, Rect};
use crate::theme::{Colour, Colours};

/// The colours of the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct IcicleColours {
    /// Those of the other pictures; the slot of a frame says which one it has.
    pub blocks: Colours,
    /// Ground of frames that hold several things.
    pub several: Colour,
    /// Their foot.
    pub several_foot: Colour,
    /// Lines of the hatch over frames that are too narrow.
    pub hatch: Colour,
    /// Frame of what is selected.
    pub ink: Colour,
}

/// Share of a colour in the ground of its frames: text on it stays ink.
const TINT: f64 = 0.24;
/// The same where something is chosen, but nothing of the frame.
const FADED_TINT: f64 = 0.07;
/// Share of a foot's colour that fading leaves.
const FADED_FOOT: f64 = 0.3;
/// Height of the bar that is as long as what of the frame is chosen.
const SHARE_CSS: f64 = 3.0;
const FOOT_CSS: f64 = 2.0;
const HATCH_CSS: f64 = 5.0;
const FRAME_CSS: f64 = 2.0;

/// Paints what is in sight. `slot` gives a frame's colour, by its index: one that there is none of stands for several. `chosen` gives the share of a
/// frame that is chosen, 0 to 1, where something is: a bar of ink over it is as long, and frames without any are faded.
pub fn paint(
    layout: &Layout,
    colours: &IcicleColours,
    slot: impl Fn(u32) -> u8,
    chosen: Option<&dyn Fn(u32) -> f64>,
    selected: Option<u32>,
) -> Picture {
    let view = &layout.view;
    let mut picture = Picture::new(view.width, view.height);
    let background = colours.blocks.background;
    picture.pixels.fill(background.pixel().to_le_bytes());
    let foot_px = layout.px(FOOT_CSS);
    for cell in layout.cells() {
        let rect = layout.rect(cell);
        let body = Rect { height: rect.height - foot_px, ..rect };
        let foot = Rect { y: rect.y + body.height, height: foot_px, ..rect };
        if cell.run.is_some() {
            hatch(&mut picture, layout, colours, body);
            picture.fill(foot, colours.several_foot.pixel());
            continue;
        }
        let share = chosen.map_or(1.0, |share| share(cell.bar));
        let (ground, full) = match (colours.blocks.slots.get(usize::from(slot(cell.bar))), share > 0.0) {
            (Some(colour), true) => (background.mixed(*colour, TINT), *colour),
            (None, true) => (colours.several, colours.several_foot),
            (Some(colour), false) => {
                (background.mixed(*colour, FADED_TINT), background.mixed(*colour, FADED_FOOT))
            }
            (None, false) => (background, background.mixed(colours.several_foot, FADED_FOOT)),
        };
        picture.fill(body, ground.pixel());
        picture.fill(foot, full.pixel());
        if chosen.is_some() && share > 0.0 {
            // The least of something is something.
            let width = ((rect.width as f64 * share).round() as i64).clamp(1, rect.width.max(1));
            picture.fill(Rect { width, height: layout.px(SHARE_CSS), ..rect }, colours.ink.pixel());
        }
    }
    let is_selected = |cell: &&Cell| cell.run.is_none() && Some(cell.bar) == selected;
    if let Some(cell) = layout.cells().iter().find(is_selected) {
        let rect = layout.rect(cell);
        let frame = layout.px(FRAME_CSS).min(rect.width / 2);
        let inner = rect.grown(-frame);
        picture.fill_between(rect, Rect { width: inner.width.max(0), ..inner }, colours.ink.pixel());
    }
    picture
}

fn hatch(picture: &mut Picture, layout: &Layout, colours: &IcicleColours, rect: Rect) {
    let (period, line) = (layout.px(HATCH_CSS).max(3), layout.px(1.0));
    let (on, off) = (colours.hatch.pixel(), colours.several.pixel());
    let top = layout.view.top as i64;
    picture.each(rect, |x, y| if (x + y + top).rem_euclid(period) < line { on } else { off });
}
