mod painted;

use proptest::prelude::*;
use vramscope_core::ids::{StackId, StreamId};
use vramscope_core::model::{BlockState, SegmentKind};
use vramscope_core::replay::N_SLOTS;
use vramscope_core::replay::segments::Owner;
use vramscope_core::replay::state::{BlockNow, SegmentNow, State};

use super::*;
use crate::geometry::tests::any_number;

const MIB: u64 = 1 << 20;

/// Bytes of a block, and its use; a tenth of a live block is lost to rounding in every third.
type Piece = (u64, BlockState);

pub(super) fn live(bytes: u64) -> Piece {
    (bytes, BlockState::Allocated)
}

pub(super) fn free(bytes: u64) -> Piece {
    (bytes, BlockState::Inactive)
}

/// A state of some segments, each with its pool's kind. Allocations are numbered through.
pub(super) fn state_of(segments: &[(SegmentKind, Vec<Piece>)]) -> State {
    let (mut state, mut allocation) = (State::default(), 0);
    for (nth, (kind, pieces)) in segments.iter().enumerate() {
        let start = (nth as u64 + 1) << 40;
        let (mut address, first) = (start, state.blocks.len());
        let (mut allocated, mut pending, mut largest) = (0, 0, 0);
        for &(size_bytes, use_) in pieces {
            let held = use_ != BlockState::Inactive;
            state.blocks.push(BlockNow {
                address,
                size_bytes,
                requested_bytes: if held {
                    size_bytes - size_bytes / 10 * u64::from(allocation % 3 == 2)
                } else {
                    0
                },
                state: use_,
                allocation: held.then_some(allocation),
            });
            match use_ {
                BlockState::Allocated => allocated += size_bytes,
                BlockState::PendingFree => pending += size_bytes,
                _ => largest = size_bytes.max(largest),
            }
            allocation += u32::from(held);
            address += size_bytes;
        }
        let owner = Owner { kind: *kind, pool: (0, 0), stream: StreamId(0) };
        state.segments.push(SegmentNow {
            span: nth as u32,
            address: start,
            size_bytes: address - start,
            owner,
            expandable: false,
            since: nth as u32,
            stack: StackId::EMPTY,
            blocks: first..state.blocks.len(),
            allocated_bytes: allocated,
            pending_bytes: pending,
            requested_bytes: allocated + pending,
            largest_free_bytes: largest,
        });
    }
    state
}

pub(super) fn scene_of(segments: &[(SegmentKind, Vec<Piece>)]) -> Scene {
    let mut scene = Scene::new(state_of(segments), |allocation| (allocation as usize % N_SLOTS) as u8);
    scene.arrange(Grouping::PoolStream, Sorting::Size);
    scene
}

pub(super) fn large(pieces: &[Piece]) -> (SegmentKind, Vec<Piece>) {
    (SegmentKind::Large, pieces.to_vec())
}

/// One column whose bars are `bar` pixels wide.
pub(super) fn view(bar: u32, height: u32) -> StateView {
    StateView {
        moment: 0,
        group: Grouping::PoolStream,
        sort: Sorting::Size,
        stacking: Default::default(),
        columns: Some(1),
        zoom: 1.0,
        left: 0.0,
        top: 0.0,
        width: 32 + bar,
        height,
        scale: 1.0,
    }
}

fn any_piece() -> impl Strategy<Value = Piece> {
    let bytes = prop_oneof![512u64..100_000, 512u64..1 << 24, Just(1u64 << 30)];
    let state = prop_oneof![
        4 => Just(BlockState::Allocated), 2 => Just(BlockState::Inactive), 1 => Just(BlockState::PendingFree)
    ];
    (bytes, state)
}

pub(super) fn any_segments() -> impl Strategy<Value = Vec<(SegmentKind, Vec<Piece>)>> {
    let kind = prop_oneof![Just(SegmentKind::Small), Just(SegmentKind::Large)];
    prop::collection::vec((kind, prop::collection::vec(any_piece(), 1..40)), 0..9)
}

fn keys(layout: &StateLayout) -> Vec<&str> {
    layout.groups.iter().map(|group| group.key.as_str()).collect()
}

#[test]
fn rows_go_down_one_column_before_the_next_begins() {
    let sizes = [10, 50, 20, 40, 30].map(|n| large(&[live(n * MIB)]));
    let scene = scene_of(&sizes);
    let view = StateView { columns: None, width: 928, ..view(0, 200) };
    let places = Layout::new(&scene, &view).places(Selection::default(), |_| 0);
    assert_eq!((places.columns, places.height), (2, 34 + 3 * 20));
    let rows: Vec<_> = places.rows.iter().map(|row| (row.bytes / MIB, row.x, row.y, row.width)).collect();
    assert_eq!(
        rows,
        [(50, 32, 34, 420), (40, 32, 54, 336), (30, 32, 74, 252), (20, 508, 34, 168), (10, 508, 54, 84)]
    );
    assert_eq!(places.groups[0].full_width_bytes, 50 * MIB);
}

#[test]
fn as_many_columns_as_stay_wide_enough() {
    let scene = |n: u64| scene_of(&(0..n).map(|_| large(&[live(1)])).collect::<Vec<_>>());
    let (many, few) = (scene(5), scene(4));
    let columns =
        |width, scale| Layout::new(&many, &StateView { columns: None, width, scale, ..view(0, 9) }).columns();
    assert_eq!([300, 900, 1400, 1900, 9000].map(|width| columns(width, 1.0)), [1, 2, 3, 4, 4]);
    assert_eq!(columns(1800, 2.0), 2);
    let view = StateView { columns: None, width: 1900, ..view(0, 9) };
    assert_eq!(Layout::new(&few, &view).columns(), 1, "a few long segments get the whole width");
}

#[test]
fn large_pools_come_first_then_small_then_private_ones() {
    let mut state = state_of(&[
        (SegmentKind::Small, vec![live(2 * MIB)]),
        large(&[live(MIB)]),
        large(&[live(9 * MIB)]),
        large(&[live(3 * MIB)]),
    ]);
    state.segments[2].owner.pool = (4, 0);
    state.segments[3].owner.stream = StreamId(1);
    let mut scene = Scene::new(state, |_| 0);
    scene.arrange(Grouping::PoolStream, Sorting::Size);
    let places = Layout::new(&scene, &view(9, 900)).places(Selection::default(), |id| u64::from(id.0) * 255);
    assert_eq!(keys(&places), ["large/0:0/0xff", "large/0:0/0", "small/0:0/0", "large/4:0/0"]);
    scene.arrange(Grouping::None, Sorting::Address);
    let places = Layout::new(&scene, &view(9, 900)).places(Selection::default(), |_| 0);
    assert_eq!(keys(&places), ["all"]);
    assert_eq!(places.rows.iter().map(|row| row.bytes / MIB).collect::<Vec<_>>(), [2, 1, 9, 3]);
    scene.arrange(Grouping::None, Sorting::Size);
    assert_eq!(scene.groups()[0].segments, [2, 3, 0, 1]);
}

#[test]
fn only_what_is_in_sight_is_answered_but_the_height_is_that_of_everything() {
    let segments: Vec<_> = (0..100_000).map(|_| large(&[live(2 * MIB)])).collect();
    let scene = scene_of(&segments);
    let view = StateView { top: 1_000_000.0, ..view(400, 900) };
    let places = Layout::new(&scene, &view).places(Selection::default(), |_| 0);
    assert_eq!(places.height, 34 + 100_000 * 20);
    assert!((45..50).contains(&places.rows.len()), "{}", places.rows.len());
    assert!(places.rows.iter().all(|row| row.y > -60 && row.y < 960));
}

#[test]
fn neighbours_lead_along_the_row_and_across() {
    let scene = scene_of(&[
        large(&[live(3 * MIB), free(2 * MIB), live(5 * MIB)]),
        large(&[free(MIB), live(6 * MIB)]),
    ]);
    let layout = Layout::new(&scene, &view(100, 200));
    assert_eq!(layout.first_block(), Some(0));
    let to = |block, towards| layout.neighbour(block, towards);
    assert_eq!([0, 1, 2].map(|block| to(block, Towards::Right)), [Some(1), Some(2), None]);
    assert_eq!([0, 1, 2].map(|block| to(block, Towards::Left)), [None, Some(0), Some(1)]);
    // The free block in the middle lies above the live one of the second row; nothing is above it or below that.
    assert_eq!([to(1, Towards::Down), to(4, Towards::Up)], [Some(4), Some(1)]);
    assert_eq!([to(1, Towards::Up), to(4, Towards::Down), to(99, Towards::Left)], [None; 3]);
    assert_eq!(layout.block_at((1 << 40) + 4 * MIB), Some(1));
    assert_eq!(layout.block_at(7), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_place_is_where_a_hit_finds_it(segments in any_segments(), zoom in 1.0..9.0f64, left in 0.0..1.0f64) {
        let scene = scene_of(&segments);
        let layout = Layout::new(&scene, &StateView { zoom, left, ..view(300, 4000) });
        for (at, block) in scene.state().blocks.iter().enumerate() {
            let Some(place) = block.allocation.and_then(|id| layout.place_of_allocation(id)) else { continue };
            if place.width() > 2 {
                let hit = layout.hit((place.x() + place.width() / 2) as f64, (place.y() + 3) as f64);
                prop_assert_eq!(hit, Some(StateHit { segment: place.segment, block: Some(at) }));
            }
        }
    }

    #[test]
    fn hostile_views_never_panic(
        segments in any_segments(), (width, height) in (0u32..90, 0u32..90), columns in prop::option::of(0u32..9),
        (zoom, left, top, scale) in (any_number(), any_number(), any_number(), any_number()),
        (x, y, block) in (any_number(), any_number(), 0usize..100), (id, address) in (0u32..100, any::<u64>()),
    ) {
        let scene = scene_of(&segments);
        let view = StateView { columns, zoom, left, top, width, height, scale, ..view(0, 0) };
        let layout = Layout::new(&scene, &view);
        let selection = Selection { allocation: Some(id), segment: Some(address) };
        let picture = paint(&layout, &painted::colours(), selection);
        prop_assert_eq!(picture.pixels.len() as u32, width.max(1) * height.max(1));
        layout.places(selection, |_| 0);
        layout.hit(x, y);
        layout.block_at(address);
        for towards in [Towards::Up, Towards::Down, Towards::Left, Towards::Right] {
            layout.neighbour(block, towards);
        }
    }
}
