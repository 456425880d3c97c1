//! The line of reserved bytes: a step line over the blocks.

use crate::picture::Picture;
use crate::theme::Colour;

/// Width of the line in CSS pixels.
const WIDTH_CSS: f64 = 1.5;

/// Draws a line along the edges, one for each column, joined by vertical strokes.
pub(crate) fn paint_step_line(picture: &mut Picture, edges: &[Option<i32>], colour: Colour, scale: f64) {
    let width_px = (WIDTH_CSS * scale).max(1.0);
    let mut left = None;
    for (column, edge) in edges.iter().enumerate() {
        let column = column as i64;
        if let Some(edge) = edge.map(i64::from) {
            thick(width_px, |offset, share| picture.blend(column, edge + offset, colour.rgb, share));
            if let Some(left) = left.filter(|&left| left != edge) {
                let (from, to) = (edge.min(left), edge.max(left));
                thick(width_px, |offset, share| {
                    // To the left of the stroke, the line that it comes from is drawn already.
                    let drawn = if offset == 0 { 0 } else { width_px.ceil() as i64 };
                    (from + drawn..to).for_each(|row| picture.blend(column - offset, row, colour.rgb, share));
                });
            }
        }
        left = edge.map(i64::from);
    }
}

/// Calls with 0, 1, … for each whole pixel of a width and with the share of the last.
fn thick(width_px: f64, mut paint: impl FnMut(i64, f64)) {
    let whole = width_px.floor() as i64;
    (0..whole).for_each(|offset| paint(offset, 1.0));
    if width_px.fract() > 0.0 {
        paint(whole, width_px.fract());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_joined() {
        let mut picture = Picture::new(6, 12);
        let edges = [Some(2), Some(2), Some(9), Some(9), None, Some(-60)];
        paint_step_line(&mut picture, &edges, Colour::new(200, 0, 0), 1.0);
        let red = |column, row| picture.pixel(column, row).unwrap()[0];
        assert_eq!((red(0, 2), red(0, 3), red(0, 4)), (200, 100, 0));
        assert!((2..=9).all(|row| red(2, row) == 200), "the step is one unbroken stroke");
        assert_eq!(red(2, 11), 0);
        assert!((0..12).all(|row| red(4, row) == 0 && red(5, row) == 0));
    }
}
