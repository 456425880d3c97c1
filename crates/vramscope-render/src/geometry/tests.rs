use proptest::prelude::*;

use super::*;

fn view(x0: f64, x1: f64, width: u32) -> View {
    View {
        axis: Axis::Event,
        x0,
        x1,
        y0: 0.0,
        y1: 100.0,
        width,
        height: 10,
        stacking: Stacking::Age,
        scale: 1.0,
        show: Show::Allocations,
    }
}

#[test]
fn pixels_have_a_row_and_a_column() {
    let view = view(0.0, 1.0, 7);
    assert_eq!([-3.0, 0.4, 6.9, 7.0, f64::NAN].map(|x| view.column_at(x)), [0, 0, 6, 6, 0]);
    let rows = view.rows();
    assert_eq!([-3.0, 0.0, 9.9, 10.0].map(|y| rows.row_at(y)), [9, 9, 0, 0]);
    assert_eq!((rows.edge(14), rows.edge(15)), (1, 2));
    assert_eq!(rows.edge(u64::MAX), 10 + Rows::MARGIN);
}

pub(crate) fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(f64::MAX),
        Just(f64::MIN_POSITIVE),
        Just(u64::MAX as f64),
        any::<f64>(),
        -10.0..1e12,
        -1.0..50.0,
    ]
}

proptest! {
    #[test]
    fn any_view_can_be_clamped(
        (x0, x1, y0, y1) in (any_number(), any_number(), any_number(), any_number()),
        (width, height) in (any::<u32>(), any::<u32>()), bytes in any::<u64>(),
        scale in any_number(),
    ) {
        let view = View { y0, y1, height, scale, ..view(x0, x1, width) }.clamped();
        prop_assert!(view.x0 < view.x1 && view.y0 < view.y1);
        prop_assert!([view.x0, view.x1, view.y0, view.y1, view.scale].iter().all(|n| n.is_finite()));
        prop_assert!(view.width >= 1 && view.height >= 1 && view.width * view.height <= MAX_AREA_PX);
        let rows = view.rows();
        prop_assert!(rows.height_px(bytes).is_finite());
    }

    #[test]
    fn thresholds_agree_with_edges_to_the_byte(y0 in 0.0..1e12f64, span in 1.0..1e12f64, zero in any::<bool>()) {
        let y0 = if zero { 0.0 } else { y0 };
        let view = View { y0, y1: y0 + span, ..view(0.0, 1.0, 1) };
        let rows = view.clamped().rows();
        for (edge, threshold) in (-Rows::MARGIN..).zip(rows.thresholds()) {
            if threshold != u64::MAX {
                prop_assert!(rows.edge(threshold) > edge);
                prop_assert!(threshold == 0 || rows.edge(threshold - 1) <= edge);
            }
        }
    }
}
