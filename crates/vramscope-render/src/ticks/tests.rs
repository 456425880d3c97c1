use proptest::prelude::*;

use super::*;

const GIB: f64 = 1073741824.0;

fn labels(kind: TickKind, from: f64, to: f64, pixels: f64) -> String {
    let ticks = ticks(&TickRequest { kind, from, to, pixels });
    let labels: Vec<String> = ticks.into_iter().map(|tick| tick.label.replace('\u{a0}', " ")).collect();
    labels.join(" | ")
}

#[test]
fn bytes_go_up_in_round_numbers_of_one_unit() {
    let of = |from, to, pixels| labels(TickKind::Bytes, from, to, pixels);
    assert_eq!(of(0.0, 54.0 * GIB, 420.0), "0 | 10 GiB | 20 GiB | 30 GiB | 40 GiB | 50 GiB");
    assert_eq!(of(0.0, 3.1 * GIB, 240.0), "0 | 1 GiB | 2 GiB | 3 GiB");
    assert_eq!(of(0.0, 1.5 * GIB, 240.0), "0.0 GiB | 0.5 GiB | 1.0 GiB | 1.5 GiB".replace("0.0 GiB", "0"));
    assert_eq!(of(0.0, 900.0 * 1024.0 * 1024.0, 250.0), "0 | 200 MiB | 400 MiB | 600 MiB | 800 MiB");
    assert_eq!(of(0.0, 4.0, 4000.0), "0 | 1 B | 2 B | 3 B | 4 B");
}

#[test]
fn deep_in_a_large_recording_the_unit_goes_down_until_two_decimals_do() {
    let from = 43.5 * GIB;
    assert_eq!(labels(TickKind::Bytes, from, from + 0.05 * GIB, 150.0), "43.50 GiB | 43.52 GiB | 43.54 GiB");
    assert_eq!(labels(TickKind::Bytes, from, from + 3e6, 150.0), "44,544 MiB | 44,545 MiB | 44,546 MiB");
}

#[test]
fn events_are_named_where_they_happen() {
    let request = TickRequest { kind: TickKind::Events, from: 0.0, to: 39_047.0, pixels: 400.0 };
    let found = ticks(&request);
    assert_eq!(found[1], Tick { at: 10_001.0, label: "10,000".to_owned() });
    assert_eq!(found.len(), 4);
    assert_eq!(labels(TickKind::Events, 3.5, 6.5, 900.0), "3 | 4 | 5");
}

#[test]
fn time_is_named_in_the_unit_of_its_size() {
    let of = |from, to| labels(TickKind::Time, from, to, 400.0);
    assert_eq!(of(0.0, 700.0), "0 | 200 µs | 400 µs | 600 µs");
    assert_eq!(of(0.0, 12_400.0), "0 | 5 ms | 10 ms");
    assert_eq!(of(0.0, 3.1e6), "0 | 1 s | 2 s | 3 s");
    assert_eq!(of(0.0, 59e6), "0 | 20 s | 40 s");
    assert_eq!(of(0.0, 400e6), "0 | 2 min | 4 min | 6 min");
    assert_eq!(of(0.0, 10.0 * 3600e6), "0 | 3 h | 6 h | 9 h");
}

#[test]
fn a_stretch_of_nothing_has_no_marks() {
    let of = |from, to| ticks(&TickRequest { kind: TickKind::Bytes, from, to, pixels: 400.0 }).len();
    assert_eq!((of(3.7e-309, 2.2e-308), of(5.0, 5.0), of(1e20, 1e20 + 1e5)), (0, 0, 0));
}

proptest! {
    #[test]
    fn never_too_many_always_inside_and_rising(
        kind in prop_oneof![Just(TickKind::Bytes), Just(TickKind::Events), Just(TickKind::Time)],
        from in crate::geometry::tests::any_number(), to in crate::geometry::tests::any_number(),
        pixels in crate::geometry::tests::any_number(),
    ) {
        let found = ticks(&TickRequest { kind, from, to, pixels });
        prop_assert!(found.len() <= MAX_TICKS);
        prop_assert!(found.windows(2).all(|pair| pair[0].at < pair[1].at));
        let slack = 1e-6 * (to - from);
        prop_assert!(found.iter().all(|tick| tick.at >= from - slack && tick.at <= to + slack));
    }

    #[test]
    fn neighbours_have_room(from in 0.0..1e11f64, span in 1e3..1e11f64, pixels in 50.0..4000.0f64) {
        let found = ticks(&TickRequest { kind: TickKind::Bytes, from, to: from + span, pixels });
        prop_assert!(found.len() as f64 <= pixels / ROOM_DOWN_PX + 1.01);
        let mut labels: Vec<_> = found.iter().map(|tick| &tick.label).collect();
        labels.dedup();
        prop_assert_eq!(labels.len(), found.len(), "every mark has a name of its own");
    }
}
