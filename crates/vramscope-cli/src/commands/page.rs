//! `vramscope page`: the viewer and snapshots as one file that opens by double click.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use base64::{Engine, prelude::BASE64_STANDARD};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::{out, read, viewer};

/// One self-contained HTML page with the viewer and the data in it
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Snapshots, each opened when the page is
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "OUT.html")]
    out: PathBuf,
    /// The viewer: the vramscope.html of a build. By default the one beside this program, or in `dist`
    #[arg(long, value_name = "FILE")]
    viewer: Option<PathBuf>,
}

/// Bytes of one element, a multiple of three. Browsers hold the text of an element in one piece.
const ELEMENT_BYTES: usize = 24 << 20;

/// Writes the page.
pub(crate) fn run(args: &Args) -> ExitCode {
    out::ended(written(args))
}

fn written(args: &Args) -> Result<String, String> {
    let inputs = args.files.iter().chain(&args.viewer);
    out::refuse_inputs(&args.out, inputs.map(PathBuf::as_path))?;
    let viewer = viewer::text(args.viewer.as_deref())?;
    for file in &args.files {
        // Whoever opens the page cannot choose another file: what is in it must be one that opens.
        read::open(&file.to_string_lossy())?;
    }
    let failed = |error: io::Error| format!("{} cannot be written: {error}", args.out.display());
    let (before, after) = viewer.split_at(viewer::place_for_data(&viewer));
    let size = out::write_out(&args.out, |out| {
        out.write_all(before.as_bytes())?;
        args.files.iter().try_for_each(|file| element(file, out))?;
        out.write_all(after.as_bytes())
    })
    .map_err(failed)?;
    Ok(out::wrote(&args.out, size))
}

/// A file in gzip, in one or more elements.
fn element(path: &Path, out: &mut dyn Write) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut magic = [0; 2];
    let packed = file.read_exact(&mut magic).is_ok() && magic == [0x1f, 0x8b];
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut elements = Elements { out, name: attribute(&name), bytes: Vec::new(), any: false };
    let mut file = fs::File::open(path)?;
    match packed {
        true => drop(io::copy(&mut file, &mut elements)?),
        false => {
            let mut packing = GzEncoder::new(&mut elements, Compression::default());
            io::copy(&mut file, &mut packing)?;
            packing.finish()?;
        }
    }
    elements.element()
}

/// Turns bytes into elements of a bounded size.
struct Elements<'a> {
    out: &'a mut dyn Write,
    name: String,
    bytes: Vec<u8>,
    any: bool,
}

impl Elements<'_> {
    fn element(&mut self) -> io::Result<()> {
        let what = if self.any { "data-more".to_owned() } else { format!("data-name=\"{}\"", self.name) };
        self.any = true;
        let text = BASE64_STANDARD.encode(&self.bytes);
        self.bytes.clear();
        writeln!(self.out, "<script type=\"application/octet-stream\" {what}>{text}</script>")
    }
}

impl Write for Elements<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(ELEMENT_BYTES - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..taken]);
        if self.bytes.len() == ELEMENT_BYTES {
            self.element()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_data_are_parted() {
        let mut out = Vec::new();
        let mut elements =
            Elements { out: &mut out, name: attribute("a\"<b>.pickle"), bytes: Vec::new(), any: false };
        elements.write_all(&vec![7; ELEMENT_BYTES + 5]).unwrap();
        elements.element().unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].starts_with(
            "<script type=\"application/octet-stream\" data-name=\"a&quot;&lt;b&gt;.pickle\">BwcH"
        ));
        assert_eq!(lines[1], "<script type=\"application/octet-stream\" data-more>BwcHBwc=</script>");
        assert_eq!(lines.len(), 2);
    }
}
