use proptest::prelude::*;

use super::*;
use crate::geometry::{Axis, Show, View};
use crate::theme::{Colour, Colours};
use vramscope_core::replay::stacking::Stacking;

const HEIGHT: u32 = 97;

fn colours() -> Colours {
    Colours {
        slots: std::array::from_fn(|slot| Colour::new(20 * slot as u8, 200, 90)),
        opacity: 1.0,
        background: Colour::new(255, 255, 255),
        reserved: Colour::new(0, 0, 0),
        edge: Colour::new(255, 0, 255),
    }
}

fn rows(y0: f64, y1: f64) -> Rows {
    let view = View {
        axis: Axis::Event,
        x0: 0.0,
        x1: 1.0,
        y0,
        y1,
        width: 1,
        height: HEIGHT,
        stacking: Stacking::Age,
        scale: 1.0,
        show: Show::Allocations,
    };
    view.clamped().rows()
}

fn painted(rows: Rows, blocks: &[(u64, u8)]) -> Vec<u32> {
    let palette = Palette::new(&colours());
    let mut painter = ColumnPainter::new(rows, &palette, None, None);
    let mut pixels = vec![0; HEIGHT as usize];
    painter.begin(&mut pixels);
    for (id, &(size_bytes, slot)) in blocks.iter().enumerate() {
        painter.block(&mut pixels, id as u32, size_bytes, |_| slot);
    }
    pixels
}

fn n_filled(pixels: &[u32]) -> usize {
    let background = Palette::new(&colours()).background;
    pixels.iter().filter(|&&pixel| pixel != background).count()
}

#[test]
fn a_thousand_blocks_of_a_tenth_of_a_pixel_are_a_hundred_pixels() {
    let sizes = vec![(1, 0); 500];
    assert_eq!(n_filled(&painted(rows(0.0, 970.0), &sizes)), 50);
}

#[test]
fn a_hairline_parts_high_blocks_and_none_parts_low_ones() {
    let mut high = painted(rows(0.0, 97.0), &[(10, 0), (10, 0)]);
    assert_ne!(high[8], high[9]);
    high.truncate(20);
    high.sort_unstable();
    high.dedup();
    assert_eq!(high.len(), 3, "two shades and a hairline");
    let low = painted(rows(0.0, 97.0), &[(1, 0); 20]);
    assert!(low[..20].iter().all(|&pixel| pixel == low[0]));
}

#[test]
fn the_selected_block_is_found_also_below_a_pixel() {
    let palette = Palette::new(&colours());
    let mut painter = ColumnPainter::new(rows(0.0, 9700.0), &palette, Some(1), None);
    let mut pixels = vec![0; HEIGHT as usize];
    painter.begin(&mut pixels);
    painter.block(&mut pixels, 0, 1000, |_| 0);
    painter.block(&mut pixels, 1, 1, |_| 0);
    assert_eq!(painter.selected_edges(), Some(10..10));
}

fn any_blocks() -> impl Strategy<Value = Vec<(u64, u8)>> {
    prop::collection::vec((prop_oneof![0u64..50, 0u64..5_000, 0u64..1 << 40], 0u8..9), 0..60)
}

proptest! {
    #[test]
    fn a_column_is_as_high_as_its_sum(sizes in any_blocks(), top in 1.0..1e13f64) {
        let rows = rows(0.0, top);
        let total: u64 = sizes.iter().map(|&(size, _)| size).sum();
        let expected = rows.edge(total).clamp(0, HEIGHT as i32) as usize;
        prop_assert_eq!(n_filled(&painted(rows, &sizes)), expected);
    }

    #[test]
    fn the_order_of_blocks_does_not_change_the_height(sizes in any_blocks(), top in 1.0..1e13f64, y0 in 0.0..0.9f64) {
        let rows = rows(y0 * top, top);
        let mut sorted = sizes.clone();
        sorted.sort_unstable_by_key(|&(_, slot)| slot);
        prop_assert_eq!(n_filled(&painted(rows, &sorted)), n_filled(&painted(rows, &sizes)));
    }

    #[test]
    fn each_row_belongs_to_the_block_in_its_middle(sizes in any_blocks(), top in 1.0..1e13f64, y0 in 0.0..0.9f64) {
        let rows = rows(y0 * top, top);
        let mut expected = vec![false; HEIGHT as usize];
        let mut sum = 0;
        for &(size, slot) in &sizes {
            let (bottom, top) = (rows.edge(sum), rows.edge(sum + size));
            sum += size;
            if slot == 3 {
                (bottom.max(0)..top.min(HEIGHT as i32)).for_each(|row| expected[row as usize] = true);
            }
        }
        let palette = Palette::new(&colours());
        let of_slot_3: Vec<u32> = (0..200u32)
            .flat_map(|px| (0..2).map(move |id| (px, id)))
            .flat_map(|(px, id)| { let (body, line) = palette.block(3, id, f64::from(px) / 20.0); [Some(body), line] })
            .flatten().collect();
        let found: Vec<bool> = painted(rows, &sizes).iter().map(|pixel| of_slot_3.contains(pixel)).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn every_block_can_be_zoomed_to(sizes in any_blocks()) {
        let mut from = 0;
        for &(size, slot) in &sizes {
            if size >= 512 {
                let rows = rows(from as f64, (from + size) as f64);
                prop_assert_eq!((rows.edge(from), rows.edge(from + size)), (0, HEIGHT as i32));
                let pixels = painted(rows, &sizes);
                let body = pixels[HEIGHT as usize / 2];
                prop_assert!((0..2).any(|id| Palette::new(&colours()).block(slot, id, 97.0).0 == body));
            }
            from += size;
        }
    }

    #[test]
    fn hostile_blocks_and_borders_never_panic(
        blocks in prop::collection::vec((any::<u64>(), any::<u8>()), 0..20),
        y0 in crate::geometry::tests::any_number(), y1 in crate::geometry::tests::any_number(),
    ) {
        painted(rows(y0, y1), &blocks);
    }
}
