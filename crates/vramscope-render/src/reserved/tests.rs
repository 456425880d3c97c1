use proptest::prelude::*;
use vramscope_core::replay::stacking::Stacking;

use super::*;
use crate::geometry::{Axis, Show, View};
use crate::script::{Step, replayed};
use crate::theme::{Colour, Colours, Palette};
use crate::timeline::{hit, paint};

const MIB: u64 = 1 << 20;

fn colours() -> Colours {
    Colours {
        slots: std::array::from_fn(|slot| Colour::new(20 * slot as u8, 200, 90)),
        opacity: 1.0,
        background: Colour::new(255, 255, 255),
        reserved: Colour::new(255, 255, 255),
        edge: Colour::new(0, 0, 0),
    }
}

fn view(replay: &Replay, show: Show) -> View {
    let top = replay.reserved_max(0, replay.n_moments()).max(1) as f64;
    let x1 = f64::from(replay.n_moments());
    // The line of reserved memory lies above the highest column that way.
    let (width, height, stacking) = (replay.n_moments(), 60, Stacking::Stack);
    View { axis: Axis::Event, x0: 0.0, x1, y0: 0.0, y1: top * 1.2, width, height, stacking, scale: 1.0, show }
}

/// A small and a large segment; one block in each, then the large one goes.
fn steps() -> [Step; 6] {
    [
        Step::Reserve(2 * MIB),
        Step::Alloc(MIB / 2),
        Step::Reserve(20 * MIB),
        Step::Alloc(10 * MIB),
        Step::Free(1),
        Step::Release(1),
    ]
}

#[test]
fn segments_are_hit_where_they_are_painted() {
    let recording = replayed(&steps());
    let replay = &recording.replays[0];
    let view = view(replay, Show::Segments);
    let at = |moment: u32, row: u32| hit(replay, &view, f64::from(moment), f64::from(59 - row)).span;
    assert_eq!(
        [at(0, 0), at(1, 0), at(1, 20), at(4, 20), at(6, 40), at(6, 55)],
        [None, Some(0), None, Some(1), Some(1), None]
    );
    let last = replay.end();
    assert_eq!([at(last, 0), at(last, 20)], [Some(0), None], "the large one went back");
}

#[test]
fn pools_show_what_is_in_use_and_what_is_not() {
    let recording = replayed(&steps());
    let replay = &recording.replays[0];
    let found = hit(replay, &view(replay, Show::Pools), 4.0, 58.0).pool.unwrap();
    assert_eq!(
        (found.kind, found.reserved_bytes, found.used_bytes),
        (SegmentKind::Large, 20 * MIB, 10 * MIB)
    );
    let picture = paint(replay, &view(replay, Show::Pools), &colours(), None);
    let reds = |row| picture.pixel(4, row).map(|pixel| pixel[0]);
    assert_eq!((reds(5), reds(20)), (Some(0), Some(0)), "in use");
    assert!((26..40).filter(|&row| reds(row) != Some(0)).count() > 9, "the rest is pale but for the hatch");
}

#[test]
fn the_fullest_moment_is_the_first_with_most_bytes() {
    let reserved = Reserved { changes: vec![(2, 10), (5, 30), (7, 20), (9, 30)] };
    let of = |from, to| reserved.fullest(from..to);
    assert_eq!([of(0, 2), of(0, 20), of(3, 5), of(6, 9), of(7, 20), of(9, 9)], [0, 5, 3, 6, 9, 9]);
}

fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let size = prop_oneof![512u64..MIB, MIB..64 * MIB];
    let step = prop_oneof![
        3 => size.clone().prop_map(Step::Alloc),
        2 => any::<usize>().prop_map(Step::Free),
        2 => size.prop_map(Step::Reserve),
        1 => any::<usize>().prop_map(Step::Release),
    ];
    prop::collection::vec(step, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_hit_is_what_was_painted(steps in any_steps(), pools in any::<bool>(), zoom in 0.2..1.0f64) {
        let recording = replayed(&steps);
        let replay = &recording.replays[0];
        let show = if pools { Show::Pools } else { Show::Segments };
        let all = view(replay, show);
        // A line of whole pixels covers what it lies on and mixes with nothing.
        let view = View { y1: all.y1 * zoom, scale: 0.25, ..all };
        let picture = paint(replay, &view, &colours(), None);
        let palette = Palette::new(&colours());
        for (x, row) in (0..view.width).flat_map(|x| (0..60).map(move |row| (x, row))) {
            let found = hit(replay, &view, f64::from(x), f64::from(59 - row));
            let pixel = picture.pixel(x, row).unwrap();
            if pixel == [255; 4] {
                continue; // background, or the line of reserved memory over a block
            }
            let value = u32::from_le_bytes(pixel);
            match (found.span, found.pool) {
                (Some(span), None) => {
                    let px = view.rows().height_px(replay.segments().spans()[span as usize].size_bytes);
                    let (body, line) = palette.block(Spans::of(replay).slot(span), span, px);
                    prop_assert!(value == body || Some(value) == line);
                }
                (None, Some(pool)) => {
                    let mut both = [0; 40];
                    palette.pool(&mut both, (0, 0..1, 40), pool.slot);
                    prop_assert!(both.contains(&value));
                }
                _ => prop_assert!(pixel[0] == 255 || pixel[1] > 200, "{pixel:?} at {x}, {row}: nothing was hit"),
            }
        }
    }
}
