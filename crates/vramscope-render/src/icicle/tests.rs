use super::*;
use crate::theme::{Colour, Colours};

fn bar(start: f64, end: f64, row: u32, last: u32) -> Bar {
    Bar { start, end, row, last }
}

/// A root, a half with a quarter below, ten thousandths, and a rest.
fn frames() -> Bars {
    let mut bars = vec![bar(0.0, 1.0, 0, 14), bar(0.0, 0.5, 1, 3), bar(0.0, 0.25, 2, 3)];
    for at in 0..10 {
        let start = 0.5 + f64::from(at) / 1000.0;
        bars.push(bar(start, start + 0.001, 1, 4 + at));
    }
    bars.push(bar(0.6, 1.0, 1, 14));
    Bars { bars, rows: 3 }
}

fn view() -> IcicleView {
    IcicleView { x0: 0.0, x1: 1.0, top: 0.0, width: 400, height: 100, scale: 1.0 }
}

fn colours() -> IcicleColours {
    let of = |n: u8| Colour::new(n, n, n);
    IcicleColours {
        blocks: Colours {
            slots: std::array::from_fn(|slot| of(20 * slot as u8)),
            opacity: 1.0,
            background: of(255),
            reserved: of(1),
            edge: of(2),
        },
        several: of(230),
        several_foot: of(90),
        hatch: of(91),
        ink: of(3),
    }
}

#[test]
fn narrow_ones_are_drawn_together_and_counted() {
    let layout = Layout::new(&frames(), &view());
    assert_eq!(layout.height(), 72);
    let cells: Vec<_> = layout.cells().iter().map(|cell| (cell.bar, cell.x, cell.width)).collect();
    assert_eq!(cells, [(0, 0, 400), (1, 0, 200), (2, 0, 100), (3, 200, 4), (13, 240, 160)]);
    let run = layout.hit(201.0, 30.0).and_then(|cell| cell.run).expect("a run");
    assert_eq!(run.frames, 10);
    assert!((run.share - 0.01).abs() < 1e-9);
    // Nearer, each of them has its own place.
    let near = Layout::new(&frames(), &IcicleView { x0: 0.5, x1: 0.51, ..view() });
    assert_eq!(near.cells().iter().filter(|cell| cell.run.is_none() && cell.row == 1).count(), 10);
}

#[test]
fn a_pixel_is_answered_as_it_is_painted() {
    let layout = Layout::new(&frames(), &IcicleView { top: 10.0, ..view() });
    let picture = paint(&layout, &colours(), |bar| (bar % 9) as u8, None, None);
    for y in (0..100).step_by(3) {
        for x in (0..400).step_by(3) {
            let painted = picture.pixel(x, 99 - y) != Some([255; 4]);
            let hit = layout.hit(f64::from(x), f64::from(y));
            // Between two rows lies a gap that still answers.
            assert!(!painted || hit.is_some(), "{x}, {y}");
        }
    }
    assert_eq!(layout.hit(230.0, 20.0), None);
}

#[test]
fn what_is_selected_has_a_frame_and_several_no_colour() {
    let layout = Layout::new(&frames(), &view());
    let picture = paint(&layout, &colours(), |bar| if bar == 1 { 255 } else { 1 }, None, Some(1));
    let at = |x, y: u32| picture.pixel(x, 99 - y).expect("inside")[0];
    assert_eq!((at(0, 24), at(1, 30), at(100, 25), at(100, 46)), (3, 3, 3, 3), "a frame in ink");
    assert_eq!(at(100, 35), 230);
    assert_eq!(
        (at(50, 55), at(50, 70)),
        (Colour::new(255, 255, 255).mixed(Colour::new(20, 20, 20), 0.24).rgb[0], 20)
    );
}

#[test]
fn a_bar_is_as_long_as_what_is_chosen_and_the_rest_is_faded() {
    let layout = Layout::new(&frames(), &view());
    let share = |bar: u32| if bar == 1 { 0.25 } else { 0.0 };
    let picture = paint(&layout, &colours(), |_| 1, Some(&share), None);
    let at = |x, y: u32| picture.pixel(x, 99 - y).expect("inside")[0];
    let row = |y| (0..200).filter(|x| at(*x, y) == 3).count();
    let wide = layout.cells().iter().find(|cell| cell.bar == 1).expect("in sight").width as f64;
    assert!((row(25) as f64 - wide / 4.0).abs() <= 2.0, "{} of {wide}", row(25));
    assert_eq!((row(0), row(30)), (0, 0), "nothing of the root, and no more than a bar");
    assert!(at(0, 10) > at(0, 40), "what has nothing is paler");
}

#[test]
fn no_view_is_too_odd() {
    for odd in [f64::NAN, f64::INFINITY, -1e300, 1e300, 0.0] {
        let view = IcicleView { x0: odd, x1: odd, top: odd, width: 0, height: u32::MAX, scale: odd };
        let layout = Layout::new(&frames(), &view);
        paint(&layout, &colours(), |_| 0, Some(&|_| odd), Some(0));
        layout.hit(odd, odd);
        Layout::new(&Bars::default(), &view);
    }
    let lying = Bars { bars: vec![bar(0.9, 0.1, 7, 0), bar(f64::NAN, 2.0, 0, 99)], rows: 1 };
    assert!(Layout::new(&lying, &view()).cells().len() <= 2);
}
