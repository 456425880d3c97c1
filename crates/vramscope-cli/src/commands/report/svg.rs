//! Plotters' drawing as SVG, in colours that the page's style sheet names: so one drawing serves light and dark.

use std::convert::Infallible;
use std::fmt::Write;

use plotters_backend::{BackendColor, BackendCoord, BackendStyle, DrawingBackend, DrawingErrorKind};
use vramscope_render::theme::Colour;

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// A colour that stands for a name in the style sheet.
pub(super) fn named(at: u8) -> Colour {
    Colour::new(0, 0, at)
}

/// Collects shapes as SVG elements.
pub(super) struct Svg<'a> {
    shapes: &'a mut String,
    size: (u32, u32),
    names: &'a [&'static str],
}

impl<'a> Svg<'a> {
    /// Shapes go to the end of a text; a colour is the name at its place in `names`.
    pub(super) fn new(shapes: &'a mut String, size: (u32, u32), names: &'a [&'static str]) -> Self {
        Svg { shapes, size, names }
    }

    fn colour(&self, colour: BackendColor) -> &'static str {
        self.names.get(usize::from(colour.rgb.2)).copied().unwrap_or("ink-1")
    }

    fn shape(&mut self, points: impl IntoIterator<Item = BackendCoord>, paint: &str) {
        let points: Vec<String> = points.into_iter().map(|(x, y)| format!("{x},{y}")).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(self.shapes, "<path d=\"M{}\" {paint}/>", points.join("L"));
    }

    /// Whether anything is to be seen: an area's border is drawn, but in no colour.
    fn shows(style: &impl BackendStyle) -> bool {
        style.color().alpha > 0.0
    }

    fn stroke(&self, style: &impl BackendStyle) -> String {
        format!(
            "fill=\"none\" style=\"stroke:var(--{})\" stroke-width=\"{}\"",
            self.colour(style.color()),
            style.stroke_width()
        )
    }

    fn fill(&self, style: &impl BackendStyle) -> String {
        format!("style=\"fill:var(--{})\"", self.colour(style.color()))
    }
}

impl DrawingBackend for Svg<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Drawn {
        let paint = format!("style=\"fill:var(--{})\"", self.colour(colour));
        self.shape([(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)], &paint);
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        if Self::shows(style) {
            let paint = self.stroke(style);
            self.shape([from, to], &paint);
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        if Self::shows(style) {
            let paint = self.stroke(style);
            self.shape(path, &paint);
        }
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (x0, y0): BackendCoord,
        (x1, y1): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        if Self::shows(style) {
            let paint = if fill { self.fill(style) } else { self.stroke(style) };
            self.shape([(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)], &paint);
        }
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        if Self::shows(style) {
            let paint = self.fill(style);
            self.shape(corners, &paint);
        }
        Ok(())
    }
}
