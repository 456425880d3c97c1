//! The frame around what is selected.

use std::ops::Range;

use crate::picture::Picture;
use crate::theme::Colours;

/// Width of the frame in CSS pixels, and of the halo around it.
const FRAME_CSS: f64 = 1.5;
const HALO_CSS: f64 = 1.0;

/// Frames a block, given its edges in each column; a block below a pixel gets the frame alone.
pub(crate) fn paint_outline(
    picture: &mut Picture,
    edges: &[Option<Range<i32>>],
    colours: &Colours,
    scale: f64,
) {
    if edges.iter().all(Option::is_none) {
        return;
    }
    let frame = ((FRAME_CSS * scale).round() as i64).max(1);
    let halo = frame + ((HALO_CSS * scale).round() as i64).max(1);
    let inside = read_inside(picture, edges);
    grown(edges, halo, |column, row| picture.set(column, row, colours.background.pixel()));
    grown(edges, frame, |column, row| picture.set(column, row, colours.reserved.pixel()));
    for (column, row, pixel) in inside {
        picture.set(column, row, pixel);
    }
}

/// The pixels of the block, which the frame must not cover.
fn read_inside(picture: &Picture, edges: &[Option<Range<i32>>]) -> Vec<(i64, i64, u32)> {
    let mut inside = Vec::new();
    for (column, edges) in edges.iter().enumerate() {
        for row in edges.clone().into_iter().flatten() {
            let pixel = u32::try_from(row).ok().and_then(|row| picture.pixel(column as u32, row));
            inside.extend(pixel.map(|pixel| (column as i64, i64::from(row), u32::from_le_bytes(pixel))));
        }
    }
    inside
}

/// Visits the block and all that is at most `by` pixels away from it, column by column.
fn grown(edges: &[Option<Range<i32>>], by: i64, mut visit: impl FnMut(i64, i64)) {
    for column in 0..edges.len() {
        let first = column.saturating_sub(by as usize);
        let near = edges.iter().take(column + by as usize + 1).skip(first).flatten();
        // The edges of one block mostly agree from column to column: visit each range once.
        let mut last: Option<&Range<i32>> = None;
        for range in near {
            if last != Some(range) {
                let rows = i64::from(range.start) - by..i64::from(range.end) + by;
                rows.for_each(|row| visit(column as i64, row));
            }
            last = Some(range);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::Colour;

    fn colours() -> Colours {
        Colours {
            slots: Default::default(),
            opacity: 1.0,
            background: Colour::new(255, 255, 255),
            reserved: Colour::new(9, 9, 9),
            edge: Colour::default(),
        }
    }

    #[test]
    fn the_frame_lies_around_the_block() {
        let mut picture = Picture::new(20, 20);
        let edges: Vec<_> = (0..20).map(|column| (8..12).contains(&column).then_some(5..9)).collect();
        paint_outline(&mut picture, &edges, &colours(), 1.0);
        let red = |column, row| picture.pixel(column, row).unwrap()[0];
        assert_eq!((red(8, 5), red(11, 8)), (0, 0), "inside is left alone");
        assert_eq!((red(7, 5), red(12, 8), red(8, 4), red(8, 9), red(6, 10)), (9, 9, 9, 9, 9));
        assert_eq!((red(5, 5), red(8, 2), red(8, 11)), (255, 255, 255), "then a halo");
        assert_eq!((red(4, 5), red(8, 12)), (0, 0));
    }

    #[test]
    fn a_block_of_no_row_is_still_marked() {
        let mut picture = Picture::new(9, 9);
        paint_outline(&mut picture, &vec![Some(4..4); 9], &colours(), 1.0);
        assert_eq!(picture.pixel(4, 4).unwrap()[0], 9);
        assert_eq!(picture.pixel(4, 3).unwrap()[0], 9);
    }
}
