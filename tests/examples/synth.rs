//! `cargo xtask synth`: a recording with more or fewer events than a given one. `synth EVENTS FROM OUT`.

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

use vramscope_tests::synth::{Source, write};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [events, from, out] = args.as_slice() else { return Err("usage: synth EVENTS FROM OUT".into()) };
    let (events, out) = (events.parse()?, Path::new(out));
    let mut file = BufReader::new(File::open(from).map_err(|error| format!("{from}: {error}"))?);
    let source = Source::read(&mut file).map_err(|error| format!("{from}: {error}"))?;
    let mut to = BufWriter::with_capacity(1 << 20, File::create(out)?);
    let made = match write(&source, events, &mut to) {
        Ok(made) => made,
        Err(error) => {
            // Half a recording would be taken for a whole one.
            std::fs::remove_file(out)?;
            return Err(format!("{from}: {error}").into());
        }
    };
    let bytes = std::fs::metadata(out)?.len();
    println!(
        "{}: {} events from {}, {bytes} bytes, {:.1} for each event",
        out.display(),
        made.events,
        made.source_events,
        bytes as f64 / made.events.max(1) as f64
    );
    Ok(())
}
