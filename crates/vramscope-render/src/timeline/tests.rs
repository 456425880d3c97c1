use proptest::prelude::*;
use vramscope_core::replay::stacking::{Piled, Stacking, run_of};

use super::*;
use crate::Colour;
use crate::geometry::{Axis, Show, tests::any_number};
use crate::pile::{Allocated, Pile};
use crate::script::{Step, replayed};

fn colours() -> Colours {
    Colours {
        slots: std::array::from_fn(|slot| Colour::new(20 * slot as u8, 200, 90)),
        opacity: 1.0,
        background: Colour::new(255, 255, 255),
        reserved: Colour::new(250, 0, 250),
        edge: Colour::new(0, 0, 0),
    }
}

fn whole(replay: &Replay, width: u32, height: u32, stacking: Stacking) -> View {
    let top = replay.requested_at(replay.peak()).max(1) as f64;
    let x1 = f64::from(replay.n_moments());
    View {
        axis: Axis::Event,
        x0: 0.0,
        x1,
        y0: 0.0,
        y1: top,
        width,
        height,
        stacking,
        scale: 1.0,
        show: Show::Allocations,
    }
}

fn n_filled(picture: &Picture, column: u32) -> u32 {
    (0..picture.height).filter(|&row| picture.pixel(column, row) != Some([255; 4])).count() as u32
}

#[test]
fn each_moment_has_its_height() {
    let recording = replayed(&[Step::Alloc(300), Step::Alloc(100), Step::Free(0), Step::Alloc(600)]);
    let replay = &recording.replays[0];
    // A free takes two events: asked for, and done.
    assert_eq!(replay.n_moments(), 6);
    let picture = paint(replay, &whole(replay, 6, 7, Stacking::Age), &colours(), None);
    assert_eq!([0, 1, 2, 3, 4, 5].map(|column| n_filled(&picture, column)), [0, 3, 4, 4, 1, 7]);
}

#[test]
fn a_peak_of_one_event_is_seen_in_one_column() {
    let recording = replayed(&[Step::Alloc(10), Step::Alloc(500), Step::Free(1), Step::Alloc(10)]);
    let replay = &recording.replays[0];
    let picture = paint(replay, &whole(replay, 1, 50, Stacking::Stack), &colours(), None);
    assert_eq!(n_filled(&picture, 0), 50);
}

#[test]
fn an_empty_recording_is_background() {
    let recording = replayed(&[]);
    let replay = &recording.replays[0];
    for axis in [Axis::Event, Axis::Time] {
        let view = View { axis, ..whole(replay, 5, 5, Stacking::Stack) };
        assert!(paint(replay, &view, &colours(), Some(0)).pixels.iter().all(|pixel| *pixel == [255; 4]));
        assert_eq!(hit(replay, &view, 2.0, 2.0), Hit::nothing(0));
    }
}

#[test]
fn only_a_living_selection_is_framed() {
    let recording = replayed(&[Step::Alloc(300), Step::Free(0), Step::Alloc(300)]);
    let replay = &recording.replays[0];
    let view = whole(replay, 50, 40, Stacking::Age);
    let framed = |selected| paint(replay, &view, &colours(), selected);
    let plain = framed(None);
    assert_ne!(framed(Some(0)), plain);
    assert_ne!(framed(Some(1)), framed(Some(0)));
    assert_eq!(framed(Some(9)), plain);
    // Moments are ten pixels wide: allocation 0 lives from the second to the third, and its frame stays near.
    assert!((30..50).all(|column| {
        (0..40).all(|row| framed(Some(0)).pixel(column + 3, row) == plain.pixel(column + 3, row))
    }));
}

fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    steps_of(0..60)
}

/// With hundreds of steps, blocks in the pile are passed and dropped in groups.
fn steps_of(n: Range<usize>) -> impl Strategy<Value = Vec<Step>> {
    let size = prop_oneof![1u64..2_000, 1u64..1 << 34];
    let step = prop_oneof![3 => size.prop_map(Step::Alloc), 2 => any::<usize>().prop_map(Step::Free)];
    prop::collection::vec(step, n)
}

fn any_show() -> impl Strategy<Value = Show> {
    prop_oneof![Just(Show::Allocations), Just(Show::Segments), Just(Show::Pools)]
}

fn any_stacking() -> impl Strategy<Value = Stacking> {
    prop_oneof![Just(Stacking::Stack), Just(Stacking::Age), Just(Stacking::Category)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_column_is_as_high_as_the_bytes_of_its_moment(
        steps in any_steps(), stacking in any_stacking(), width in 1u32..90, x0 in 0.0..0.7f64, span in 0.01..0.3f64, zoom in 0.1..2.0f64,
    ) {
        let recording = replayed(&steps);
        let replay = &recording.replays[0];
        let all = whole(replay, width, 61, stacking);
        let view = View { x0: x0 * all.x1, x1: (x0 + span) * all.x1, y1: all.y1 * zoom, ..all };
        let picture = paint(replay, &view, &colours(), None);
        let rows = view.rows();
        for column in 0..width {
            let range = view.column_moments(replay, column).unwrap();
            let bytes = replay.requested_at(replay.fullest(range.start, range.end));
            prop_assert_eq!(n_filled(&picture, column) as i32, rows.edge(bytes).clamp(0, 61));
        }
    }

    #[test]
    fn every_allocation_can_be_zoomed_to(steps in any_steps(), stacking in any_stacking()) {
        let recording = replayed(&steps);
        let replay = &recording.replays[0];
        for id in 0..replay.allocations().len() {
            let moment = replay.allocations().start(id);
            let run = run_of(replay, moment, stacking, id).unwrap();
            let (x0, y0) = (f64::from(moment), run.from_bytes as f64);
            let view = View { x0, x1: x0 + 1.0, y0, y1: run.to_bytes as f64, ..whole(replay, 3, 5, stacking) };
            prop_assert_eq!(hit(replay, &view, 1.0, 2.0), Hit { run: Some(run), ..Hit::nothing(moment) });
        }
    }

    #[test]
    fn a_hit_is_what_was_painted(steps in any_steps(), stacking in any_stacking(), y0 in 0.0..0.9f64) {
        let recording = replayed(&steps);
        let replay = &recording.replays[0];
        let all = whole(replay, 13, 17, stacking);
        let view = View { y0: y0 * all.y1, ..all };
        let plain = paint(replay, &view, &colours(), None);
        for (x, y) in (0..13).flat_map(|x| (0..17).map(move |y| (x, y))) {
            let found = hit(replay, &view, f64::from(x), f64::from(y));
            let pixel = plain.pixel(x, 16 - y).unwrap();
            prop_assert_eq!(found.run.is_some(), pixel != [255; 4]);
            if let Some(run) = found.run {
                let px = view.rows().height_px(run.to_bytes - run.from_bytes);
                let (body, line) = Palette::new(&colours()).block(run.slot, run.allocation, px);
                let pixel = u32::from_le_bytes(pixel);
                prop_assert!(pixel == body || Some(pixel) == line);
            }
        }
    }

    #[test]
    fn the_moving_pile_is_the_pile_of_each_moment(
        steps in steps_of(0..500), stacking in any_stacking(), moments in prop::collection::vec(0u32..800, 1..20),
    ) {
        let recording = replayed(&steps);
        let replay = &recording.replays[0];
        let mut pile = Pile::new(Allocated::new(replay, stacking, None), stacking);
        for moment in moments.into_iter().map(|moment| moment.min(replay.end())) {
            let expected = Piled::at(replay, moment, stacking);
            let expected: Vec<_> = expected.runs().iter().map(|run| (run.from_bytes, run.to_bytes, run.allocation)).collect();
            let (mut found, mut bytes) = (Vec::new(), 0);
            pile.for_each(moment, |block| {
                found.push((bytes, bytes + block.size_bytes, block.allocation));
                bytes += block.size_bytes;
            });
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn blocks_that_pass_together_paint_what_each_would(
        steps in steps_of(100..700), stacking in any_stacking(), height in 1u32..60, y0 in 0.0..0.9f64, selected in prop::option::of(0u32..300),
    ) {
        let recording = replayed(&steps);
        let replay = &recording.replays[0];
        let all = whole(replay, 60, height, stacking);
        let view = View { y0: y0 * all.y1, ..all };
        let palette = Palette::new(&colours());
        let mut painter = ColumnPainter::new(view.rows(), &palette, selected, None);
        let (mut edges, mut expected) = (Vec::new(), Picture::new(60, height));
        for column in 0..60 {
            let range = view.column_moments(replay, column).unwrap();
            let mut pixels = vec![0; height as usize];
            painter.begin(&mut pixels);
            for run in Piled::at(replay, replay.fullest(range.start, range.end), stacking).runs() {
                painter.block(&mut pixels, run.allocation, run.to_bytes - run.from_bytes, |_| run.slot);
            }
            edges.push(painter.selected_edges());
            (0i64..).zip(pixels).for_each(|(row, pixel)| expected.set(i64::from(column), row, pixel));
        }
        paint_outline(&mut expected, &edges, &colours(), 1.0);
        prop_assert!(paint(replay, &view, &colours(), selected) == expected);
    }

    #[test]
    fn what_is_kept_from_the_last_hit_does_not_change_the_next(
        steps in any_steps(), places in prop::collection::vec((0.0..13.0f64, 0.0..17.0f64, any_stacking(), any_show()), 1..30),
    ) {
        let recording = replayed(&steps);
        let replay = &recording.replays[0];
        let mut looked = Looked::default();
        for (x, y, stacking, show) in places {
            let view = View { show, ..whole(replay, 13, 17, stacking) };
            prop_assert_eq!(looked.hit(replay, &view, x, y), hit(replay, &view, x, y));
        }
    }

    #[test]
    fn hostile_views_never_panic(
        steps in any_steps(), stacking in any_stacking(), time in any::<bool>(), (width, height) in (0u32..40, 0u32..40),
        (x0, x1, y0, y1) in (any_number(), any_number(), any_number(), any_number()),
        (x, y, scale) in (any_number(), any_number(), any_number()), selected in prop::option::of(0u32..20), show in any_show(),
    ) {
        let recording = replayed(&steps);
        let replay = &recording.replays[0];
        let axis = if time { Axis::Time } else { Axis::Event };
        let view = View { axis, x0, x1, y0, y1, width, height, stacking, scale, show };
        let picture = paint(replay, &view, &colours(), selected);
        prop_assert_eq!(picture.pixels.len() as u32, width.max(1) * height.max(1));
        hit(replay, &view, x, y);
    }
}
