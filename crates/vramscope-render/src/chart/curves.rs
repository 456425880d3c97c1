//! Curves of one quantity on one axis, over an area.

use plotters::prelude::*;
use serde::{Deserialize, Serialize};

use super::{ChartResult, line, paint_base, paint_dashed, paint_levels, steps};
use crate::geometry::{clamped_scale, clamped_span, one};
use crate::theme::Colour;

/// An area and curves, all in columns of one width.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvesSpec {
    /// Columns of a whole curve.
    pub columns: f64,
    /// Bytes in each column.
    pub area: Vec<f64>,
    /// The lowest first; a later one lies over those before it.
    pub lines: Vec<CurveSpec>,
    /// Upper border in bytes.
    pub y1: f64,
    /// Device pixels for one CSS pixel.
    #[serde(default = "one")]
    pub scale: f64,
    /// Colour of the area.
    pub fill: Colour,
    /// Lines at round numbers.
    pub grid: Colour,
    /// The base line.
    pub axis: Colour,
}

/// One curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurveSpec {
    /// Bytes in each column; it may end before the last.
    pub bytes: Vec<f64>,
    /// Its colour.
    pub colour: Colour,
    /// CSS pixels.
    pub width: f64,
    /// In dashes: another curve lies under it.
    #[serde(default)]
    pub dashed: bool,
}

/// Draws the area, then the curves as step lines.
pub fn paint_curves<DB: DrawingBackend>(backend: DB, spec: &CurvesSpec) -> ChartResult<DB> {
    let root = backend.into_drawing_area();
    let (_, height) = root.dim_in_pixel();
    let scale = clamped_scale(spec.scale);
    let (x, y) = (clamped_span(0.0, spec.columns), clamped_span(0.0, spec.y1));
    let mut chart = ChartBuilder::on(&root).build_cartesian_2d(x.0..x.1, y.0..y.1)?;
    let corners = |bytes: &[f64]| {
        let from: Vec<f64> = (0..bytes.len()).map(|at| at as f64).collect();
        steps(&from, bytes, ((x.0, x.1.min(bytes.len() as f64)), y))
    };
    chart.draw_series(AreaSeries::new(corners(&spec.area), 0.0, RGBColor::from(spec.fill).filled()))?;
    paint_levels(&mut chart, (x, y), f64::from(height) / scale, spec.grid, scale)?;
    for curve in &spec.lines {
        let style = line(curve.colour, curve.width * scale);
        if curve.dashed {
            paint_dashed(&mut chart, corners(&curve.bytes), style, 2.0 * scale)?;
        } else {
            chart.draw_series(LineSeries::new(corners(&curve.bytes), style))?;
        }
    }
    paint_base(&mut chart, (x, y), spec.axis, scale)?;
    root.present()
}
