//! Pictures of real recordings lose nothing, however far they are zoomed: each pixel shows the block of the pile that lies there, the pile is as high
//! as the exact series, and each block of a pixel or more is found where it is painted.

use vramscope_core::replay::stacking::{Piled, Stacking};
use vramscope_core::replay::{N_SLOTS, Replay};
use vramscope_render::timeline::{Looked, paint};
use vramscope_render::{Axis, Colour, Colours, Picture, Show, View};
use vramscope_tests::recordings;

const WIDTH: u32 = 61;
const HEIGHT: u32 = 173;

/// Slots differ in red, and what is mixed into edges and every second block is green: so each pixel tells its slot.
fn colours(reserved: Colour) -> Colours {
    Colours {
        slots: std::array::from_fn(|slot| Colour::new(255 - 24 * slot as u8, 0, 0)),
        opacity: 1.0,
        background: Colour::new(0, 0, 255),
        reserved,
        edge: Colour::new(0, 255, 0),
    }
}

/// The slot of a pixel, none for the background.
fn slot_of([red, green, blue, _]: [u8; 4]) -> Option<u8> {
    let red = f64::from(red) / (1.0 - f64::from(green) / 255.0);
    (blue == 0).then(|| ((255.0 - red) / 24.0).round().clamp(0.0, N_SLOTS as f64) as u8)
}

/// Views around the peak: shares of the recording and of the height.
fn views(replay: &Replay) -> impl Iterator<Item = View> {
    let n_moments = f64::from(replay.n_moments());
    let (peak, top) = (f64::from(replay.peak()), replay.requested_at(replay.peak()).max(1) as f64 * 1.05);
    let zooms = [(1.0, 0.0, 1.0), (1.0, 0.9, 0.02), (0.1, 0.0, 1.0), (0.01, 0.4, 0.1), (0.0005, 0.0, 1.0)];
    let axes = [Axis::Event, Axis::Time].into_iter().map(|axis| replay.usable(axis));
    axes.flat_map(move |axis| zooms.map(|zoom| (axis, zoom))).flat_map(
        move |(axis, (share, from, height))| {
            let middle = if axis == Axis::Event { peak / n_moments } else { 0.6 };
            let x0 = (middle - share / 2.0).clamp(0.0, 1.0 - share) * replay.extent(axis);
            let x1 = x0 + share * replay.extent(axis);
            let (y0, y1) = (from * top, (from + height) * top);
            [Stacking::Stack, Stacking::Age, Stacking::Category].map(|stacking| View {
                axis,
                x0,
                x1,
                y0,
                y1,
                width: WIDTH,
                height: HEIGHT,
                stacking,
                scale: 1.0,
                show: Show::Allocations,
            })
        },
    )
}

/// Checks a column of a picture; the number of rows that were compared.
fn check_column(replay: &Replay, view: &View, column: u32, drawn: [&Picture; 2], looked: &mut Looked) -> u32 {
    let Some(range) = view.column_moments(replay, column) else { return 0 };
    let moment = replay.fullest(range.start, range.end);
    let pile = Piled::at(replay, moment, view.stacking);
    // The exact series, to the byte.
    assert_eq!(pile.runs().last().map_or(0, |run| run.to_bytes), replay.requested_at(moment));
    let most = range.map(|moment| replay.requested_at(moment)).max();
    assert_eq!(most, Some(replay.requested_at(moment)), "a column shows the fullest of its moments");
    let rows = view.rows();
    let mut expected = [None; HEIGHT as usize];
    for run in pile.runs() {
        for row in rows.edge(run.from_bytes).max(0)..rows.edge(run.to_bytes).min(HEIGHT as i32) {
            expected[row as usize] = Some(run);
        }
        let seen = rows.edge(run.from_bytes) < HEIGHT as i32 && rows.edge(run.to_bytes) > 0;
        let high = rows.height_px(run.to_bytes - run.from_bytes) >= 1.0;
        assert!(
            !(seen && high) || rows.edge(run.to_bytes) > rows.edge(run.from_bytes),
            "a pixel's block has a row"
        );
    }
    let mut n_compared = 0;
    for (row, run) in (0..).zip(expected) {
        let found = looked.hit(replay, view, f64::from(column), f64::from(HEIGHT - 1 - row));
        assert_eq!((found.moment, found.run.as_ref()), (moment, run), "{view:?}, column {column}, row {row}");
        // The line of reserved bytes is painted over blocks: where its colour shows, there is nothing to compare.
        let [one, other] = drawn.map(|picture| picture.pixel(column, row).expect("inside"));
        if one == other {
            assert_eq!(slot_of(one), run.map(|run| run.slot), "{view:?}, column {column}, row {row}");
            n_compared += 1;
        }
    }
    n_compared
}

#[test]
fn each_pixel_is_the_block_that_lies_there() {
    let files = recordings::all();
    assert!(!files.is_empty());
    for file in files {
        let bytes = std::fs::read(&file.path).expect("a recording");
        let mut recording = recordings::open(&bytes, 1 << 20).expect("it opens");
        recordings::label(&mut recording);
        for replay in &recording.replays {
            let mut looked = Looked::default();
            // Narrower than this, a view is widened before it is drawn.
            for view in views(replay).filter(|view| view.x1 - view.x0 >= 0.01) {
                let [one, other] = [Colour::new(7, 0, 255), Colour::new(0, 7, 190)]
                    .map(|reserved| paint(replay, &view, &colours(reserved), None));
                let columns = 0..WIDTH;
                let compared: u32 = columns
                    .map(|column| check_column(replay, &view, column, [&one, &other], &mut looked))
                    .sum();
                assert!(compared > WIDTH * HEIGHT / 2, "{}: {compared} pixels compared", file.name);
            }
        }
    }
}
