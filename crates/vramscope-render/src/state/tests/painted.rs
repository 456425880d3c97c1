//! Pixels: states can be told apart, nothing vanishes, and a hit names what was painted.

use super::*;
use crate::theme::{Colour, Colours, Palette};
use crate::{Picture, state::layout::Layout};

pub(crate) fn colours() -> StateColours {
    let blocks = Colours {
        slots: std::array::from_fn(|slot| Colour::new(20 * slot as u8 + 10, 200, 90)),
        opacity: 1.0,
        background: Colour::new(255, 255, 255),
        reserved: Colour::new(1, 1, 1),
        edge: Colour::new(255, 0, 255),
    };
    let grey = |n| Colour::new(n, n, n);
    let (free, pending, rounding, pinned, ink) = (grey(100), grey(110), grey(120), grey(130), grey(140));
    StateColours { blocks, free, pending, rounding, pinned, ink }
}

const FREE: u8 = 100;
const PENDING: u8 = 110;
const ROUNDING: u8 = 120;
const PINNED: u8 = 130;
const INK: u8 = 140;

fn painted(segments: &[(SegmentKind, Vec<Piece>)], view: &StateView, selection: Selection) -> Picture {
    paint(&Layout::new(&scene_of(segments), view), &colours(), selection)
}

fn grey_at(picture: &Picture, x: u32, y: u32) -> Option<u8> {
    let [r, g, b, _] = picture.pixel(x, picture.height - 1 - y)?;
    (r == g && g == b).then_some(r)
}

fn greys(picture: &Picture, grey: u8) -> usize {
    picture.pixels.iter().filter(|pixel| pixel[..3] == [grey; 3]).count()
}

#[test]
fn free_is_hatched_once_and_waiting_twice() {
    let wide =
        |state| painted(&[large(&[(MIB, state), live(9 * MIB)])], &view(400, 60), Selection::default());
    let (free, waiting) = (wide(BlockState::Inactive), wide(BlockState::PendingFree));
    let frame = 2 * (40 + 14);
    let (lines, crossed) = (greys(&free, FREE) - frame, greys(&waiting, PENDING) - frame);
    assert!(lines > 60 && lines < 120, "{lines} of 532 pixels");
    assert!(crossed > lines * 3 / 2 && crossed < lines * 2, "{crossed}, {lines}");
    assert_eq!(grey_at(&free, 32, 40), Some(FREE), "the frame");
}

#[test]
fn rounding_is_an_end_cap() {
    // The third allocation loses a tenth.
    let picture =
        painted(&[large(&[live(MIB), live(MIB), live(2 * MIB)])], &view(400, 60), Selection::default());
    let caps: Vec<u32> = (0..432).filter(|&x| grey_at(&picture, x, 40) == Some(ROUNDING)).collect();
    assert_eq!(caps, (412..432).collect::<Vec<_>>());
    let thin = [large(&[live(MIB), live(MIB), live(MIB / 5), live(20 * MIB)])];
    assert_eq!(
        greys(&painted(&thin, &view(666, 60), Selection::default()), ROUNDING),
        16,
        "one pixel of six"
    );
}

#[test]
fn an_end_cap_does_not_move_to_the_border_of_the_view() {
    let segment = [large(&[live(MIB), live(MIB), live(2 * MIB)])];
    let zoomed = StateView { zoom: 2.0, left: 0.4, ..view(400, 60) };
    assert_eq!(greys(&painted(&segment, &zoomed, Selection::default()), ROUNDING), 0);
}

#[test]
fn live_neighbours_are_parted() {
    let picture = painted(&[large(&[live(MIB), live(MIB)])], &view(100, 60), Selection::default());
    let pixel = |x| picture.pixel(x, 20).unwrap();
    assert_ne!(pixel(81), pixel(80));
    assert_eq!(pixel(80), pixel(40));
}

#[test]
fn pinned_and_selected_segments_are_framed() {
    let pinned = large(&[free(3 * MIB), live(MIB)]);
    let full = large(&[live(3 * MIB)]);
    let picture = painted(&[pinned, full], &view(100, 90), Selection::default());
    let frame = |y| grey_at(&picture, 80, y) == Some(PINNED);
    assert_eq!(
        [32, 33, 34, 35, 48, 49, 50, 51].map(frame),
        [false, true, true, false, false, true, true, false]
    );
    let (segment, allocation) = (Some(2 << 40), Some(0));
    let of =
        |selection| painted(&[large(&[live(3 * MIB)]), large(&[live(3 * MIB)])], &view(100, 90), selection);
    let picture = of(Selection { segment, allocation: None });
    assert_eq!(
        [52, 53, 54, 69, 70, 71, 72].map(|y| grey_at(&picture, 80, y) == Some(INK)),
        [true, true, false, false, true, true, false]
    );
    let picture = of(Selection { segment: None, allocation });
    assert_eq!([31, 32, 33].map(|y| grey_at(&picture, 80, y) == Some(INK)), [false, true, true]);
}

/// Which blocks the pixels of the only row show.
fn shown(pieces: &[Piece], bar: u32) -> Vec<BlockState> {
    let scene = scene_of(&[large(pieces)]);
    let layout = Layout::new(&scene, &view(bar, 60));
    let blocks = &scene.state().blocks;
    let hits = (0..bar).filter_map(|x| layout.hit(f64::from(x + 32), 40.0)?.block);
    hits.map(|block| blocks[block].state).collect()
}

#[test]
fn thin_free_blocks_keep_their_share() {
    let pieces: Vec<Piece> = (0..4_000).map(|n| if n % 2 == 0 { live(700) } else { free(300) }).collect();
    let n_free = shown(&pieces, 100).iter().filter(|state| **state == BlockState::Inactive).count();
    assert!((29..=31).contains(&n_free), "{n_free} of 100 pixels");
}

#[test]
fn a_single_thin_free_block_is_seen_and_a_wide_one_does_not_spread() {
    let single = shown(&[live(500 * MIB), free(512), live(500 * MIB)], 100);
    assert_eq!(single.iter().filter(|state| **state == BlockState::Inactive).count(), 1);
    let wide = shown(&[live(104), free(100), live(96)], 30);
    assert_eq!(wide.iter().filter(|state| **state == BlockState::Inactive).count(), 10);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn free_space_never_vanishes(segments in any_segments(), bar in 1u32..400) {
        let scene = scene_of(&segments);
        let layout = Layout::new(&scene, &view(bar, 4000));
        layout.for_each_visible(|row| {
            let cells = layout.cells(&row);
            assert_eq!(cells.len() as i64, row.width);
            let is_free = |cell: &u32| layout.block(*cell).unwrap().state == BlockState::Inactive;
            assert_eq!(cells.iter().any(is_free), row.segment.free_bytes() > 0);
            assert!(cells.is_sorted(), "blocks keep their order");
        });
    }

    #[test]
    fn a_hit_is_what_was_painted(
        segments in any_segments(), (width, columns) in (40u32..300, 1u32..3), zoom in 1.0..5.0f64, left in 0.0..1.0f64, top in 0.0..200.0f64,
    ) {
        let view = StateView { width, columns: Some(columns), zoom, left, top, ..view(0, 130) };
        let scene = scene_of(&segments);
        let layout = Layout::new(&scene, &view);
        let picture = paint(&layout, &colours(), Selection::default());
        let palette = Palette::new(&colours().blocks);
        for (x, y) in (0..width).flat_map(|x| (0..130).map(move |y| (x, y))) {
            let pixel = picture.pixel(x, 129 - y).unwrap();
            let grey = grey_at(&picture, x, y);
            if grey == Some(PINNED) {
                continue; // the frame lies half on its segment
            }
            let Some(hit) = layout.hit(f64::from(x), f64::from(y)) else {
                prop_assert_eq!(grey, Some(255));
                continue;
            };
            let block = scene.state().blocks[hit.block.unwrap()];
            match block.state {
                BlockState::Allocated => {
                    let id = block.allocation.unwrap();
                    let (body, line) = palette.block((id as usize % N_SLOTS) as u8, id, f64::INFINITY);
                    let value = u32::from_le_bytes(pixel);
                    prop_assert!(value == body || Some(value) == line || grey == Some(ROUNDING));
                }
                BlockState::PendingFree => prop_assert!(matches!(grey, Some(PENDING | 255))),
                _ => prop_assert!(matches!(grey, Some(FREE | 255))),
            }
        }
    }
}
