//! Two curves on one axis, and what lies between them.

use plotters::prelude::*;
use serde::{Deserialize, Serialize};

use super::{ChartResult, line, paint_base, paint_levels, steps};
use crate::geometry::{clamped_scale, clamped_span, one};
use crate::theme::Colour;

/// Requested bytes of two recordings, in columns of one width.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareSpec {
    /// Bytes of A in each column; none where it has ended.
    pub a: Vec<Option<f64>>,
    /// Bytes of B.
    pub b: Vec<Option<f64>>,
    /// Upper border in bytes.
    pub y1: f64,
    /// Device pixels for one CSS pixel.
    #[serde(default = "one")]
    pub scale: f64,
    /// Its colours.
    pub colours: CompareColours,
}

/// Colours of two curves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct CompareColours {
    pub a: Colour,
    pub b: Colour,
    /// Between the two.
    pub between: Colour,
    pub grid: Colour,
    pub axis: Colour,
}

/// Draws both as step lines and fills what lies between them; A is the thinner one.
pub fn paint_compare<DB: DrawingBackend>(backend: DB, spec: &CompareSpec) -> ChartResult<DB> {
    let root = backend.into_drawing_area();
    let (_, height) = root.dim_in_pixel();
    let scale = clamped_scale(spec.scale);
    let x = clamped_span(0.0, spec.a.len().max(spec.b.len()) as f64);
    let y = clamped_span(0.0, spec.y1);
    let mut chart = ChartBuilder::on(&root).build_cartesian_2d(x.0..x.1, y.0..y.1)?;
    let fill = RGBColor::from(spec.colours.between).filled();
    let both = spec.a.iter().zip(&spec.b).enumerate();
    let between = both.filter_map(|(at, (a, b))| Some((at as f64, (*a)?, (*b)?))).filter(|(_, a, b)| a != b);
    chart.draw_series(between.map(|(at, a, b)| {
        let clamp = |bytes: f64| bytes.clamp(y.0, y.1);
        Rectangle::new([(at, clamp(a.max(b))), (at + 1.0, clamp(a.min(b)))], fill)
    }))?;
    paint_levels(&mut chart, (x, y), f64::from(height) / scale, spec.colours.grid, scale)?;
    for (values, colour, width) in [(&spec.a, spec.colours.a, 1.0), (&spec.b, spec.colours.b, 2.0)] {
        // It ends where its recording ends; stretches without values part it.
        let known = |(at, value): (usize, &Option<f64>)| value.map(|value| (at as f64, value));
        for run in
            values.iter().enumerate().collect::<Vec<_>>().chunk_by(|a, b| a.1.is_some() == b.1.is_some())
        {
            let (from, bytes): (Vec<f64>, Vec<f64>) = run.iter().copied().filter_map(known).unzip();
            let end = from.last().map_or(x.1, |last| last + 1.0);
            let corners = steps(&from, &bytes, ((x.0, end), y));
            chart.draw_series(LineSeries::new(corners, line(colour, width * scale)))?;
        }
    }
    paint_base(&mut chart, (x, y), spec.colours.axis, scale)?;
    root.present()
}
