//! How long pictures of the allocator's state take: `cargo run --release -p vramscope-render --example state_speed`.
//! With a recording's name, its state at the peak of reserved memory is timed as well, and with a second one painted there as PPM.

use std::error::Error;
use std::io::Write;
use std::time::Instant;

use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::ids::{StackId, StreamId};
use vramscope_core::model::{BlockState, SegmentKind};
use vramscope_core::replay::Recording;
use vramscope_core::replay::segments::Owner;
use vramscope_core::replay::state::{BlockNow, SegmentNow, State};
use vramscope_render::state::{Grouping, Layout, Scene, Selection, Sorting, StateColours, StateView, paint};
use vramscope_render::{Colour, Colours, Picture};

const N_PICTURES: usize = 40;

fn main() -> Result<(), Box<dyn Error>> {
    for (n_segments, n_blocks) in
        [(45, 50_000), (1, 50_000), (1_000, 50_000), (100_000, 200_000), (1, 1_000_000)]
    {
        let scene =
            timed("arranged", || arranged(Scene::new(state(n_segments, n_blocks), |id| (id % 9) as u8)));
        time(&format!("{n_segments} segments, {n_blocks} blocks"), &scene);
    }
    let mut args = std::env::args().skip(1);
    let Some(path) = args.next() else { return Ok(()) };
    let mut decoder = Decoder::new(&path, Limits::default());
    decoder.feed(&std::fs::read(&path)?)?;
    let recording = Recording::build(decoder.finish()?);
    let replay = recording.replays.first().ok_or("no device")?;
    let scene = timed("scene", || arranged(Scene::at(replay, replay.reserved_peak())));
    time(&path, &scene);
    if let Some(target) = args.next() {
        let layout = Layout::new(&scene, &StateView { height: 700, width: 928, ..view() });
        write_ppm(&target, paint(&layout, &colours(), Selection::default()))?;
    }
    Ok(())
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    println!("{what} in {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    result
}

fn arranged(mut scene: Scene) -> Scene {
    scene.arrange(Grouping::PoolStream, Sorting::Size);
    scene
}

fn time(what: &str, scene: &Scene) {
    let (view, colours) = (view(), colours());
    let best = |work: &dyn Fn()| {
        let ms = (0..N_PICTURES).map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        });
        let mut ms: Vec<f64> = ms.collect();
        ms.sort_by(f64::total_cmp);
        ms[N_PICTURES / 2]
    };
    let painted = best(&|| {
        std::hint::black_box(paint(&Layout::new(scene, &view), &colours, Selection::default()));
    });
    let places = best(&|| {
        std::hint::black_box(Layout::new(scene, &view).places(Selection::default(), |_| 0));
    });
    let hit = best(&|| {
        std::hint::black_box(Layout::new(scene, &view).hit(400.0, 300.0));
    });
    println!("{what}: painted in {painted:.2} ms, laid out in {places:.2} ms, hit in {hit:.3} ms");
}

fn view() -> StateView {
    StateView {
        moment: 0,
        group: Grouping::PoolStream,
        sort: Sorting::Size,
        stacking: Default::default(),
        columns: None,
        zoom: 1.0,
        left: 0.0,
        top: 0.0,
        width: 1600,
        height: 900,
        scale: 1.0,
    }
}

/// Segments of equally many blocks, every third free and every hundredth awaiting another stream.
fn state(n_segments: usize, n_blocks: usize) -> State {
    let mut state = State::default();
    for nth in 0..n_segments {
        let (start, first) = ((nth as u64 + 1) << 40, state.blocks.len());
        let mut address = start;
        while state.blocks.len() < (nth + 1) * n_blocks / n_segments {
            let at = state.blocks.len() as u64;
            let size_bytes = 512 * (1 + at * 7919 % 211);
            let use_ = match at {
                at if at % 3 == 2 => BlockState::Inactive,
                at if at % 100 == 0 => BlockState::PendingFree,
                _ => BlockState::Allocated,
            };
            let allocation = (use_ != BlockState::Inactive).then_some(at as u32);
            let requested_bytes = if allocation.is_some() { size_bytes - 100 } else { 0 };
            state.blocks.push(BlockNow { address, size_bytes, requested_bytes, state: use_, allocation });
            address += size_bytes;
        }
        state.segments.push(SegmentNow {
            span: nth as u32,
            address: start,
            size_bytes: address - start,
            owner: Owner { kind: SegmentKind::Large, pool: (0, 0), stream: StreamId(0) },
            expandable: false,
            since: 0,
            stack: StackId::EMPTY,
            blocks: first..state.blocks.len(),
            allocated_bytes: address - start,
            pending_bytes: 0,
            requested_bytes: 0,
            largest_free_bytes: 0,
        });
    }
    state
}

fn colours() -> StateColours {
    let slots =
        ["#00bb84", "#825de0", "#c94718", "#1a8c63", "#5f94e5", "#ba8c00", "#b34da8", "#8d949e", "#a4abb5"];
    let colour = |text| Colour::parse(text).unwrap_or_default();
    StateColours {
        blocks: Colours {
            slots: slots.map(colour),
            opacity: 1.0,
            background: colour("#14171c"),
            reserved: colour("#ffffff"),
            edge: colour("#14171c"),
        },
        free: colour("#818892"),
        pending: colour("#eec23a"),
        rounding: colour("#ffffff"),
        pinned: colour("#ba8c00"),
        ink: colour("#ffffff"),
    }
}

fn write_ppm(path: &str, picture: Picture) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    writeln!(file, "P6 {} {} 255", picture.width, picture.height)?;
    picture.pixels.iter().try_for_each(|[r, g, b, _]| file.write_all(&[*r, *g, *b]))
}
