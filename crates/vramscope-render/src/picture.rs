//! Row-major RGBA, and how columns get into it.

/// Columns are painted in strips this wide, which stay in the processor's cache until they are turned into rows.
const STRIP: usize = 16;

/// Pixels as a canvas takes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Row by row from the top: red, green, blue, alpha.
    pub pixels: Vec<[u8; 4]>,
}

impl Picture {
    pub(crate) fn new(width: u32, height: u32) -> Self {
        Self { width, height, pixels: vec![[0; 4]; width as usize * height as usize] }
    }

    /// The pixel in a column, `row` counted from the bottom.
    pub fn pixel(&self, column: u32, row: u32) -> Option<[u8; 4]> {
        self.index(i64::from(column), i64::from(row)).map(|at| self.pixels[at])
    }

    /// The pixels as one run of bytes, `width × height × 4` of them.
    pub fn into_rgba(self) -> Vec<u8> {
        self.pixels.into_flattened()
    }

    fn index(&self, column: i64, row: i64) -> Option<usize> {
        let (width, height) = (i64::from(self.width), i64::from(self.height));
        let inside = (0..width).contains(&column) && (0..height).contains(&row);
        inside.then(|| ((height - 1 - row) * width + column) as usize)
    }

    /// Lays `rgb` over a pixel; outside of the picture nothing happens.
    pub(crate) fn blend(&mut self, column: i64, row: i64, rgb: [u8; 3], share: f64) {
        let Some(at) = self.index(column, row) else { return };
        for (own, theirs) in self.pixels[at].iter_mut().zip(rgb) {
            *own = (f64::from(*own) * (1.0 - share) + f64::from(theirs) * share).round() as u8;
        }
    }

    /// Sets a pixel; outside of the picture nothing happens.
    pub(crate) fn set(&mut self, column: i64, row: i64, pixel: u32) {
        if let Some(at) = self.index(column, row) {
            self.pixels[at] = pixel.to_le_bytes();
        }
    }
}

/// A rectangle in device pixels, `y` from the top; it may reach out of its picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rect {
    pub(crate) x: i64,
    pub(crate) y: i64,
    pub(crate) width: i64,
    pub(crate) height: i64,
}

impl Rect {
    /// The same, larger by some pixels at each side.
    pub(crate) fn grown(self, by: i64) -> Self {
        Self { x: self.x - by, y: self.y - by, width: self.width + 2 * by, height: self.height + 2 * by }
    }
}

impl Picture {
    /// Gives each pixel of a rectangle that lies in the picture what it should be at its place.
    pub(crate) fn each(&mut self, rect: Rect, pixel_at: impl Fn(i64, i64) -> u32) {
        let (x0, x1) = inside(rect.x, rect.width, self.width);
        let (y0, y1) = inside(rect.y, rect.height, self.height);
        let width = self.width as usize;
        for y in y0..y1 {
            if let Some(line) = self.pixels.get_mut(y * width + x0..y * width + x1) {
                for (x, pixel) in (x0 as i64..).zip(line) {
                    *pixel = pixel_at(x, y as i64).to_le_bytes();
                }
            }
        }
    }

    /// Fills a rectangle.
    pub(crate) fn fill(&mut self, rect: Rect, pixel: u32) {
        self.each(rect, |_, _| pixel);
    }

    /// Fills what lies between two rectangles, of which `inner` lies inside `outer`.
    pub(crate) fn fill_between(&mut self, outer: Rect, inner: Rect, pixel: u32) {
        let (right, bottom) = (inner.x + inner.width, inner.y + inner.height);
        let sides = [
            Rect { height: inner.y - outer.y, ..outer },
            Rect { y: bottom, height: outer.y + outer.height - bottom, ..outer },
            Rect { width: inner.x - outer.x, y: inner.y, height: inner.height, x: outer.x },
            Rect { x: right, width: outer.x + outer.width - right, y: inner.y, height: inner.height },
        ];
        sides.into_iter().for_each(|side| self.fill(side, pixel));
    }
}

/// The part of a stretch that lies in `0..side`.
fn inside(from: i64, length: i64, side: u32) -> (usize, usize) {
    let side = i64::from(side);
    let start = from.clamp(0, side);
    (start as usize, from.saturating_add(length).clamp(start, side) as usize)
}

/// A few columns side by side, each from the bottom to the top.
pub(crate) struct Strip {
    pixels: Vec<u32>,
    height: usize,
    /// Distance between columns: not a power of two, or all columns would share the same lines of the cache.
    stride: usize,
}

impl Strip {
    pub(crate) fn new(height: u32) -> Self {
        let height = height as usize;
        let stride = height + STRIP;
        Self { pixels: vec![0; stride * STRIP], height, stride }
    }

    /// The pixels of a column.
    pub(crate) fn column(&mut self, column: u32) -> &mut [u32] {
        let start = column as usize % STRIP * self.stride;
        &mut self.pixels[start..start + self.height]
    }

    /// Makes a column the same as the one to the left of it.
    pub(crate) fn repeat(&mut self, column: u32) {
        let left = (column as usize + STRIP - 1) % STRIP * self.stride;
        self.pixels.copy_within(left..left + self.height, column as usize % STRIP * self.stride);
    }

    /// Writes the strip that ends with `column` into the picture, if it is complete.
    pub(crate) fn finish(&self, column: u32, picture: &mut Picture) {
        let n_columns = column as usize % STRIP + 1;
        if n_columns < STRIP && column + 1 < picture.width {
            return;
        }
        let first = column as usize + 1 - n_columns;
        let width = picture.width as usize;
        for (from_top, line) in picture.pixels.chunks_exact_mut(width).enumerate() {
            let row = self.height - 1 - from_top;
            let across = self.pixels[row..].iter().step_by(self.stride);
            for (pixel, own) in line[first..first + n_columns].iter_mut().zip(across) {
                *pixel = own.to_le_bytes();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_become_rows_for_any_width() {
        for width in [1, 15, 16, 17, 40] {
            let mut picture = Picture::new(width, 3);
            let mut strip = Strip::new(3);
            for column in 0..width {
                if column % 5 == 4 {
                    strip.repeat(column);
                } else {
                    strip.column(column).copy_from_slice(&[column, 1000 + column, 2000 + column]);
                }
                strip.finish(column, &mut picture);
            }
            for column in 0..width {
                let expected = if column % 5 == 4 { column - 1 } else { column };
                for row in 0..3 {
                    let value = u32::from_le_bytes(picture.pixel(column, row).unwrap());
                    assert_eq!(value, row * 1000 + expected, "width {width}, column {column}, row {row}");
                }
            }
        }
    }

    #[test]
    fn outside_is_ignored() {
        let mut picture = Picture::new(2, 2);
        for (column, row) in [(-1, 0), (0, -1), (2, 0), (0, 2), (i64::MAX, i64::MIN)] {
            picture.set(column, row, u32::MAX);
            picture.blend(column, row, [9; 3], 1.0);
        }
        assert_eq!(picture.pixel(2, 0), None);
        assert!(picture.into_rgba().iter().all(|&byte| byte == 0));
    }
}
