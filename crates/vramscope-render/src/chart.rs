//! Axes and charts through plotters, on any of its backends.
//!
//! No text goes through plotters: labels are the page's own elements, placed by [`crate::ticks`].

mod compare;
mod curves;

pub use compare::{CompareColours, CompareSpec, paint_compare};
pub use curves::{CurveSpec, CurvesSpec, paint_curves};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use serde::{Deserialize, Serialize};

use crate::geometry::{clamped_scale, clamped_span, one};
use crate::theme::Colour;
use crate::ticks::{TickKind, TickRequest, ticks};

/// What goes wrong when a backend refuses to draw.
pub type ChartResult<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

type Chart<'a, DB> = ChartContext<'a, DB, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Grid and axis of a timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GridSpec {
    /// Left border.
    pub x0: f64,
    /// Right border.
    pub x1: f64,
    /// Lower border, in bytes.
    pub y0: f64,
    /// Upper border, in bytes.
    pub y1: f64,
    /// What x measures.
    pub kind: TickKind,
    /// Device pixels for one CSS pixel.
    #[serde(default = "one")]
    pub scale: f64,
    /// Its colours.
    pub colours: GridColours,
}

/// Colours of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GridColours {
    /// Lines at round numbers.
    pub grid: Colour,
    /// The base line and its marks.
    pub axis: Colour,
}

/// Requested and reserved bytes over a whole recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChartSpec {
    /// Where each column begins.
    pub x: Vec<f64>,
    /// Requested bytes of each column: an area.
    pub requested: Vec<f64>,
    /// Parts of the requested bytes, from the bottom: areas upon each other instead of one.
    #[serde(default)]
    pub categories: Option<Vec<Vec<f64>>>,
    /// The most that can be reserved.
    #[serde(default)]
    pub limit: Option<f64>,
    /// Reserved bytes of each column: a line.
    pub reserved: Vec<f64>,
    /// Moments worth a line.
    #[serde(default)]
    pub marks: Vec<Mark>,
    /// Left border; by default the first column.
    #[serde(default)]
    pub x0: Option<f64>,
    /// Right border; by default the end of the last column.
    #[serde(default, alias = "x_end")]
    pub x1: Option<f64>,
    /// Upper border in bytes; by default a little above all data.
    #[serde(default)]
    pub y1: Option<f64>,
    /// Device pixels for one CSS pixel.
    #[serde(default = "one")]
    pub scale: f64,
    /// Its colours.
    pub colours: ChartColours,
}

/// A moment worth a line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// Where it lies.
    pub x: f64,
    /// What happened.
    pub kind: MarkKind,
}

/// What happened at a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkKind {
    /// The most requested bytes.
    Peak,
    /// Out of memory.
    Oom,
}

/// Colours of a chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChartColours {
    /// The area of requested bytes.
    pub requested: Colour,
    /// The areas of its parts.
    #[serde(default)]
    pub categories: Vec<Colour>,
    /// The line of reserved bytes.
    pub reserved: Colour,
    /// Lines at round numbers.
    pub grid: Colour,
    /// The base line.
    pub axis: Colour,
    /// The peak.
    pub peak: Colour,
    /// Out of memory.
    pub oom: Colour,
}

/// Draws grid lines at round numbers of bytes, the base line, and marks at round numbers of x.
pub fn paint_grid<DB: DrawingBackend>(backend: DB, spec: &GridSpec) -> ChartResult<DB> {
    let root = backend.into_drawing_area();
    let (width, height) = root.dim_in_pixel();
    let scale = clamped_scale(spec.scale);
    let (x, y) = (clamped_span(spec.x0, spec.x1), clamped_span(spec.y0, spec.y1));
    let mut chart = ChartBuilder::on(&root).build_cartesian_2d(x.0..x.1, y.0..y.1)?;
    paint_levels(&mut chart, (x, y), f64::from(height) / scale, spec.colours.grid, scale)?;
    paint_base(&mut chart, (x, y), spec.colours.axis, scale)?;
    let request = TickRequest { kind: spec.kind, from: x.0, to: x.1, pixels: f64::from(width) / scale };
    let length = (y.1 - y.0) * 4.0 * scale / f64::from(height.max(1));
    let marks = ticks(&request).into_iter().map(|tick| vec![(tick.at, y.0), (tick.at, y.0 + length)]);
    let style = line(spec.colours.axis, scale);
    chart.draw_series(marks.map(|points| PathElement::new(points, style)))?;
    root.present()
}

/// Draws requested bytes as an area, reserved bytes as a step line, and the marks.
pub fn paint_chart<DB: DrawingBackend>(backend: DB, spec: &ChartSpec) -> ChartResult<DB> {
    let root = backend.into_drawing_area();
    let (_, height) = root.dim_in_pixel();
    let scale = clamped_scale(spec.scale);
    let (x, y) = borders(spec);
    let mut chart = ChartBuilder::on(&root).build_cartesian_2d(x.0..x.1, y.0..y.1)?;
    paint_levels(&mut chart, (x, y), f64::from(height) / scale, spec.colours.grid, scale)?;
    for (values, colour) in areas(spec) {
        let corners = steps(&spec.x, &values, (x, y));
        chart.draw_series(AreaSeries::new(corners, 0.0, RGBColor::from(colour).filled()))?;
    }
    let reserved = steps(&spec.x, &spec.reserved, (x, y));
    chart.draw_series(LineSeries::new(reserved, line(spec.colours.reserved, 1.5 * scale)))?;
    if let Some(limit) = spec.limit.filter(|limit| (y.0..=y.1).contains(limit)) {
        paint_dashed(&mut chart, vec![(x.0, limit), (x.1, limit)], line(spec.colours.oom, scale), scale)?;
    }
    for mark in spec.marks.iter().filter(|mark| mark.x.is_finite() && mark.x >= x.0 && mark.x <= x.1) {
        paint_mark(&mut chart, mark, y, &spec.colours, scale)?;
    }
    paint_base(&mut chart, (x, y), spec.colours.axis, scale)?;
    root.present()
}

type Span = (f64, f64);

/// Lines at round numbers of bytes.
fn paint_levels<DB: DrawingBackend>(
    chart: &mut Chart<'_, DB>,
    (x, y): (Span, Span),
    pixels: f64,
    colour: Colour,
    scale: f64,
) -> ChartResult<DB> {
    let request = TickRequest { kind: TickKind::Bytes, from: y.0, to: y.1, pixels };
    let levels = ticks(&request).into_iter().map(|tick| vec![(x.0, tick.at), (x.1, tick.at)]);
    chart.draw_series(levels.map(|points| PathElement::new(points, line(colour, scale))))?;
    Ok(())
}

fn paint_base<DB: DrawingBackend>(
    chart: &mut Chart<'_, DB>,
    (x, y): (Span, Span),
    colour: Colour,
    scale: f64,
) -> ChartResult<DB> {
    let base = vec![(x.0, y.0), (x.1, y.0)];
    chart.draw_series([PathElement::new(base, line(colour, scale))])?;
    Ok(())
}

/// The peak is dashed, out of memory is a heavier unbroken line: told apart without colour.
fn paint_mark<DB: DrawingBackend>(
    chart: &mut Chart<'_, DB>,
    mark: &Mark,
    y: Span,
    colours: &ChartColours,
    scale: f64,
) -> ChartResult<DB> {
    let ends = vec![(mark.x, y.0), (mark.x, y.1)];
    match mark.kind {
        MarkKind::Peak => {
            paint_dashed(chart, ends, line(colours.peak, scale), scale)?;
        }
        MarkKind::Oom => {
            chart.draw_series([PathElement::new(ends, line(colours.oom, 2.0 * scale))])?;
        }
    }
    Ok(())
}

fn paint_dashed<DB: DrawingBackend>(
    chart: &mut Chart<'_, DB>,
    ends: Vec<(f64, f64)>,
    style: ShapeStyle,
    scale: f64,
) -> ChartResult<DB> {
    let (dash, gap) = ((3.0 * scale) as u32, (2.0 * scale) as u32);
    chart.draw_series(DashedLineSeries::new(ends, dash.max(1), gap.max(1), style))?;
    Ok(())
}

/// What is filled, the highest first: each lower one covers its part of it, so that no gap shows between two.
fn areas(spec: &ChartSpec) -> Vec<(Vec<f64>, Colour)> {
    let Some(parts) = &spec.categories else { return vec![(spec.requested.clone(), spec.colours.requested)] };
    let mut tops: Vec<(Vec<f64>, Colour)> = Vec::new();
    let mut below = vec![0.0; spec.x.len()];
    for (at, part) in parts.iter().enumerate().filter(|(_, part)| part.iter().any(|bytes| *bytes > 0.0)) {
        below.iter_mut().zip(part).for_each(|(sum, bytes)| *sum += bytes);
        tops.push((
            below.clone(),
            spec.colours.categories.get(at).copied().unwrap_or(spec.colours.requested),
        ));
    }
    tops.reverse();
    tops
}

fn line(colour: Colour, width_px: f64) -> ShapeStyle {
    RGBColor::from(colour).stroke_width(width_px.round().max(1.0) as u32)
}

fn borders(spec: &ChartSpec) -> (Span, Span) {
    let first = spec.x.first().copied().unwrap_or(0.0);
    let end = match spec.x.as_slice() {
        [.., before, last] => last + (last - before),
        _ => first + 1.0,
    };
    let highest =
        spec.requested.iter().chain(&spec.reserved).copied().filter(|n| n.is_finite()).fold(1.0, f64::max);
    let x = clamped_span(spec.x0.unwrap_or(first), spec.x1.unwrap_or(end));
    (x, clamped_span(0.0, spec.y1.unwrap_or(highest * 1.08)))
}

/// The corners of a step line: each value holds until the next begins, the last until the right border.
fn steps(x: &[f64], values: &[f64], borders: (Span, Span)) -> Vec<(f64, f64)> {
    let known = x.iter().zip(values).filter(|(x, value)| x.is_finite() && value.is_finite());
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for (&x, &value) in known {
        let (x, value) = (x.clamp(borders.0.0, borders.0.1), value.clamp(borders.1.0, borders.1.1));
        match corners.last().copied() {
            Some((_, before)) if before == value => {}
            before => {
                corners.extend(before.map(|(_, before)| (x, before)));
                corners.push((x, value));
            }
        }
    }
    let last = corners.last().map(|&(_, value)| (borders.0.1, value));
    corners.extend(last);
    corners
}

#[cfg(test)]
mod tests;
