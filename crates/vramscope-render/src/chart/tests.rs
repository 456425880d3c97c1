use std::cell::RefCell;
use std::convert::Infallible;

use plotters_backend::{BackendColor, BackendCoord, BackendStyle, DrawingErrorKind};
use proptest::prelude::*;

use super::*;

/// What a backend was told to draw.
#[derive(Debug, PartialEq)]
enum Shape {
    Line(Vec<BackendCoord>, u32),
    Area(Vec<BackendCoord>),
    Other,
}

/// A backend that remembers instead of drawing. Text is an error: nothing here may measure or draw any.
struct Recorder<'a> {
    shapes: &'a RefCell<Vec<Shape>>,
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl Recorder<'_> {
    fn keep(&mut self, shape: Shape) -> Drawn {
        self.shapes.borrow_mut().push(shape);
        Ok(())
    }
}

impl DrawingBackend for Recorder<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (401, 201)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, _: BackendCoord, _: BackendColor) -> Drawn {
        self.keep(Shape::Other)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.keep(Shape::Line(path.into_iter().collect(), style.stroke_width()))
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        _: &S,
    ) -> Drawn {
        self.keep(Shape::Area(path.into_iter().collect()))
    }

    fn draw_text<S: plotters_backend::BackendTextStyle>(&mut self, _: &str, _: &S, _: BackendCoord) -> Drawn {
        panic!("text goes through the page");
    }
}

fn recorded(paint: impl FnOnce(Recorder<'_>) -> ChartResult<Recorder<'_>>) -> Vec<Shape> {
    let shapes = RefCell::new(Vec::new());
    paint(Recorder { shapes: &shapes }).expect("a recorder never fails");
    shapes.into_inner()
}

fn chart_spec() -> ChartSpec {
    let colour = Colour::new(1, 2, 3);
    let colours = ChartColours {
        requested: colour,
        reserved: colour,
        grid: colour,
        axis: colour,
        peak: colour,
        oom: colour,
    };
    ChartSpec {
        x: vec![0.0, 1.0, 2.0, 3.0],
        requested: vec![10.0, 10.0, 40.0, 0.0],
        reserved: vec![50.0, 50.0, 50.0, 50.0],
        parts: vec![],
        marks: vec![Mark { x: 2.0, kind: MarkKind::Peak }, Mark { x: 3.0, kind: MarkKind::Oom }],
        x0: None,
        x1: None,
        y1: Some(100.0),
        scale: 1.0,
        colours,
    }
}

fn grid_spec() -> GridSpec {
    let colour = Colour::new(1, 2, 3);
    GridSpec {
        x0: 0.0,
        x1: 401.0,
        y0: 0.0,
        y1: 54.0 * 1073741824.0,
        kind: TickKind::Events,
        scale: 1.0,
        colours: GridColours { grid: colour, axis: colour },
    }
}

#[test]
fn the_grid_lies_at_the_ticks() {
    let shapes = recorded(|backend| paint_grid(backend, &grid_spec()));
    let levels = shapes.iter().filter(|shape| matches!(shape, Shape::Line(points, 1) if points.len() == 2 && points[0].0 == 0 && points[1].0 == 400));
    // 0, 20 and 40 GiB, and the base line.
    assert_eq!(levels.count(), 4);
    let marks =
        shapes.iter().filter(|shape| matches!(shape, Shape::Line(points, 1) if points[0].0 == points[1].0));
    // Events 0, 100, 200, 300, 400.
    assert_eq!(marks.count(), 5);
}

#[test]
fn a_chart_is_an_area_a_step_line_and_marks() {
    let shapes = recorded(|backend| paint_chart(backend, &chart_spec()));
    let area =
        shapes.iter().find_map(|shape| if let Shape::Area(points) = shape { Some(points) } else { None });
    let area = area.expect("an area");
    assert!(
        area.contains(&(200, 180)) && area.contains(&(200, 120)),
        "a step at x = 2, not a slope: {area:?}"
    );
    assert!(shapes.contains(&Shape::Line(vec![(0, 100), (400, 100)], 2)), "reserved: {shapes:?}");
    assert!(shapes.contains(&Shape::Line(vec![(300, 200), (300, 0)], 2)), "out of memory");
    let dashes = shapes
        .iter()
        .filter(|shape| matches!(shape, Shape::Line(points, 1) if points.iter().all(|p| p.0 == 200)));
    assert!(dashes.count() > 10, "the peak is dashed");
}

#[test]
fn nothing_recorded_is_an_empty_chart() {
    let spec = ChartSpec { x: vec![], requested: vec![], reserved: vec![], marks: vec![], ..chart_spec() };
    recorded(|backend| paint_chart(backend, &spec));
}

#[test]
fn requests_read_like_the_protocol() {
    let json = r##"{"x":[0,1],"requested":[1,2],"reserved":[3,4],"marks":[{"x":1,"kind":"peak"}],"colours":
        {"requested":"#1a8c63","reserved":"#000000","grid":"#dddddd","axis":"#888888","peak":"#000000","oom":"#cc0000"}}"##;
    let spec: ChartSpec = serde_json::from_str(json).unwrap();
    assert_eq!((spec.scale, spec.y1, spec.marks[0].kind), (1.0, None, MarkKind::Peak));
}

proptest! {
    #[test]
    fn hostile_charts_never_panic(
        columns in prop::collection::vec((crate::geometry::tests::any_number(), crate::geometry::tests::any_number(), crate::geometry::tests::any_number()), 0..9),
        (a, b, c) in (crate::geometry::tests::any_number(), crate::geometry::tests::any_number(), crate::geometry::tests::any_number()),
    ) {
        let spec = ChartSpec {
            x: columns.iter().map(|column| column.0).collect(),
            requested: columns.iter().map(|column| column.1).collect(),
            reserved: columns.iter().map(|column| column.2).collect(),
            marks: vec![Mark { x: a, kind: MarkKind::Peak }, Mark { x: b, kind: MarkKind::Oom }],
            x0: Some(a), x1: Some(b), y1: Some(c), scale: c, ..chart_spec()
        };
        recorded(|backend| paint_chart(backend, &spec));
        recorded(|backend| paint_grid(backend, &GridSpec { x0: a, x1: b, y0: b, y1: c, scale: a, ..grid_spec() }));
    }
}
