//! Where frames lie in a view.

use serde::{Deserialize, Serialize};

use crate::geometry::{MAX_AREA_PX, MAX_SIDE_PX, clamped_scale, one};
use crate::picture::Rect;

/// A frame in its row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bar {
    /// Where it begins and ends: shares of the whole.
    pub start: f64,
    /// Its right end.
    pub end: f64,
    /// Its row, from the top.
    pub row: u32,
    /// Index behind the last bar that belongs to it.
    pub last: u32,
}

/// All frames, in the order of a walk: one, then all that belongs to it, from the left to the right.
#[derive(Clone, Debug, Default)]
pub struct Bars {
    /// The frames.
    pub bars: Vec<Bar>,
    /// Rows.
    pub rows: u32,
}

/// A part of the picture, and its size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct IcicleView {
    /// Share of the whole at the left border.
    #[serde(default)]
    pub x0: f64,
    /// Share of the whole at the right border.
    #[serde(default = "one")]
    pub x1: f64,
    /// How far it is scrolled down, in device pixels.
    #[serde(default)]
    pub top: f64,
    /// Columns of pixels, in device pixels.
    pub width: u32,
    /// Rows of pixels, in device pixels.
    pub height: u32,
    /// Device pixels for one CSS pixel.
    #[serde(default = "one")]
    pub scale: f64,
}

const PITCH_CSS: f64 = 24.0;
const GAP_CSS: f64 = 1.0;
/// Narrower frames cannot be told apart: they are drawn together.
const THIN_CSS: f64 = 3.0;
/// The narrowest part that can be shown.
const LEAST_SHARE: f64 = 1e-12;
const LOWEST: f64 = 1e9;

impl IcicleView {
    /// The same view with every number finite and in order, and a size that can be painted.
    pub fn clamped(self) -> Self {
        let share = |value: f64, other: f64| if value.is_finite() { value.clamp(0.0, 1.0) } else { other };
        let width = self.width.clamp(1, MAX_SIDE_PX);
        let height = self.height.clamp(1, (MAX_AREA_PX / width).clamp(1, MAX_SIDE_PX));
        let x0 = share(self.x0, 0.0).min(1.0 - LEAST_SHARE);
        let x1 = share(self.x1, 1.0).max(x0 + LEAST_SHARE);
        let top = if self.top.is_finite() { self.top.clamp(0.0, LOWEST).round() } else { 0.0 };
        Self { x0, x1, top, width, height, scale: clamped_scale(self.scale) }
    }
}

/// Frames too narrow to be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Run {
    /// How many, those below them included.
    pub frames: u32,
    /// Their share of the whole.
    pub share: f64,
}

/// What is drawn as one: a frame, or a run of narrow ones, of which `bar` is the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Index of the frame.
    pub bar: u32,
    /// Its row.
    pub row: u32,
    /// Left border, in device pixels.
    pub x: i64,
    /// Width in device pixels, the gap to the next one included.
    pub width: i64,
    /// Narrow ones.
    pub run: Option<Run>,
}

/// What of the frames is in sight.
pub struct Layout {
    /// The view, clamped.
    pub view: IcicleView,
    cells: Vec<Cell>,
    rows: u32,
}

impl Layout {
    /// Lays out a view.
    pub fn new(frames: &Bars, view: &IcicleView) -> Self {
        let mut layout = Layout { view: view.clamped(), cells: Vec::new(), rows: frames.rows };
        layout.fill(frames);
        layout
    }

    fn fill(&mut self, frames: &Bars) {
        let (width, thin) = (i64::from(self.view.width), self.px(THIN_CSS));
        // The run that is open in each row.
        let mut runs: Vec<Option<usize>> = vec![None; frames.rows as usize];
        let mut at = 0;
        while let Some(bar) = frames.bars.get(at) {
            let index = at as u32;
            let (left, right) = (self.x(bar.start), self.x(bar.end));
            let below = bar.last.max(index + 1) as usize;
            let narrow = right - left < thin;
            at = if narrow || right <= 0 || left >= width { below } else { at + 1 };
            if right < 0 || left >= width || (right <= 0 && !narrow) || !self.is_in_sight(bar.row) {
                continue;
            }
            let (x, end) = (left.max(0), right.min(width));
            let Some(open) = runs.get_mut(bar.row as usize) else { continue };
            if !narrow {
                *open = None;
                self.cells.push(Cell { bar: index, row: bar.row, x, width: end - x, run: None });
                continue;
            }
            let (frames, share) = (below as u32 - index, bar.end - bar.start);
            let known =
                open.and_then(|open| self.cells.get_mut(open)).filter(|cell| cell.x + cell.width >= x);
            match known {
                Some(Cell { x: from, width, run: Some(run), .. }) => {
                    *width = (end - *from).max(*width);
                    run.frames += frames;
                    run.share += share;
                }
                _ => {
                    *open = Some(self.cells.len());
                    let run = Some(Run { frames, share });
                    self.cells.push(Cell { bar: index, row: bar.row, x, width: (end - x).max(1), run });
                }
            }
        }
    }

    /// What is drawn.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Height of everything, in device pixels.
    pub fn height(&self) -> i64 {
        i64::from(self.rows) * self.pitch()
    }

    /// What is drawn at a pixel of the picture.
    pub fn hit(&self, x: f64, y: f64) -> Option<&Cell> {
        self.cells.iter().find(|cell| {
            let rect = self.rect(cell);
            let across = (rect.x as f64..(rect.x + rect.width) as f64).contains(&x);
            across && (rect.y as f64..(rect.y + self.pitch()) as f64).contains(&y)
        })
    }

    /// Where a cell lies in the picture, without the gaps to its neighbours.
    pub fn place(&self, cell: &Cell) -> [i64; 4] {
        let rect = self.rect(cell);
        [rect.x, rect.y, rect.width, rect.height]
    }

    pub(super) fn rect(&self, cell: &Cell) -> Rect {
        let gap = self.px(GAP_CSS);
        Rect {
            x: cell.x,
            y: i64::from(cell.row) * self.pitch() - self.view.top as i64,
            width: (cell.width - gap).max(1),
            height: self.pitch() - gap,
        }
    }

    pub(super) fn px(&self, css: f64) -> i64 {
        ((css * self.view.scale).round() as i64).max(1)
    }

    fn pitch(&self) -> i64 {
        self.px(PITCH_CSS).max(2)
    }

    fn is_in_sight(&self, row: u32) -> bool {
        let y = i64::from(row) * self.pitch() - self.view.top as i64;
        y + self.pitch() > 0 && y < i64::from(self.view.height)
    }

    fn x(&self, share: f64) -> i64 {
        let view = &self.view;
        let px = (share - view.x0) / (view.x1 - view.x0) * f64::from(view.width);
        px.clamp(-1e12, 1e12).round() as i64
    }
}
