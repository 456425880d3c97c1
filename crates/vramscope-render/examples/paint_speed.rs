//! How long pictures of a recording take: `cargo run --release -p vramscope-render --example paint_speed FILE [PPM]`.
//! With a second name, the picture of the whole recording is written there.

use std::error::Error;
use std::io::Write;
use std::time::Instant;

use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::replay::stacking::Stacking;
use vramscope_core::replay::{Recording, Replay};
use vramscope_render::{Axis, Colour, Colours, Picture, Show, View, timeline};

const N_PICTURES: usize = 40;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: paint_speed FILE [PPM]")?;
    let recording = opened(&path)?;
    let replay = recording.replays.first().ok_or("no device")?;
    let whole = view(replay, 1.0, Stacking::Stack);
    println!("{} moments, {} allocations", replay.n_moments(), replay.allocations().len());
    for stacking in [Stacking::Stack, Stacking::Age, Stacking::Category] {
        for share in [1.0, 0.1, 0.01, 0.001, 0.0001] {
            let view = view(replay, share, stacking);
            let mut ms = [0.0; N_PICTURES];
            for ms in &mut ms {
                let start = Instant::now();
                std::hint::black_box(timeline::paint(replay, &view, &colours(), None));
                *ms = start.elapsed().as_secs_f64() * 1e3;
            }
            ms.sort_by(f64::total_cmp);
            let (best, median) = (ms[0], ms[N_PICTURES / 2]);
            println!("{stacking:?}, {share} of the recording: {median:.2} ms, at best {best:.2} ms");
        }
    }
    if let Some(target) = args.next() {
        write_ppm(&target, timeline::paint(replay, &whole, &colours(), None))?;
    }
    Ok(())
}

fn opened(path: &str) -> Result<Recording, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let mut decoder = Decoder::new(path, Limits::default());
    let start = Instant::now();
    for piece in bytes.chunks(1 << 20) {
        decoder.feed(piece)?;
    }
    let recording = Recording::build(decoder.finish()?);
    println!("opened in {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    Ok(recording)
}

/// A share of the recording around its peak.
fn view(replay: &Replay, share: f64, stacking: Stacking) -> View {
    let n_moments = f64::from(replay.n_moments());
    let from = (f64::from(replay.peak()) - n_moments * share / 2.0).clamp(0.0, n_moments * (1.0 - share));
    let top = replay.reserved_max(0, replay.n_moments()) as f64 * 1.05;
    View {
        axis: Axis::Event,
        x0: from,
        x1: from + n_moments * share,
        y0: 0.0,
        y1: top,
        width: 1600,
        height: 800,
        stacking,
        scale: 1.0,
        show: Show::Allocations,
    }
}

fn colours() -> Colours {
    let slots =
        ["#2a47be", "#825de0", "#c94718", "#1a8c63", "#5f94e5", "#ba8c00", "#b34da8", "#8d949e", "#a4abb5"];
    let colour = |text| Colour::parse(text).unwrap_or_default();
    Colours {
        slots: slots.map(colour),
        opacity: 1.0,
        background: colour("#ffffff"),
        reserved: colour("#15181d"),
        edge: colour("#ffffff"),
    }
}

fn write_ppm(path: &str, picture: Picture) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    writeln!(file, "P6 {} {} 255", picture.width, picture.height)?;
    picture.pixels.iter().try_for_each(|[r, g, b, _]| file.write_all(&[*r, *g, *b]))
}
