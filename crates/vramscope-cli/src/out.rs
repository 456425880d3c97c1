//! What leaves the program: text for people, data for programs, files; and what is told beside it.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use flate2::Compression;
use flate2::write::GzEncoder;
use vramscope_core::units::format_bytes;

/// Text for people on standard output; false if nobody reads on.
pub(crate) fn text(text: &str) -> bool {
    data(&harmless(text))
}

/// Data for programs on standard output; false if nobody reads on.
pub(crate) fn data(text: &str) -> bool {
    io::stdout().write_all(text.as_bytes()).is_ok()
}

/// Says on standard error why something was not done.
pub(crate) fn tell(message: &str) {
    eprintln!("vramscope: {}", harmless(message));
}

/// "0, 1, 3"
pub(crate) fn numbers(of: &[i64]) -> String {
    of.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

/// What a command comes to, told: what it has written, or why not.
pub(crate) fn ended(result: Result<String, String>) -> ExitCode {
    match result {
        Ok(told) => {
            eprintln!("{}", harmless(&told));
            ExitCode::SUCCESS
        }
        Err(message) => {
            tell(&message);
            ExitCode::from(1)
        }
    }
}

/// Names in a file may hold what commands a terminal, or turns the direction of what follows: a mark stands in its place.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    let commands = |c: char| c.is_control() && c != '\n' && c != '\t';
    let turns =
        |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let harms = |c: char| commands(c) || turns(c);
    match text.contains(harms) {
        true => text
            .chars()
            .map(|c| if harms(c) { char::REPLACEMENT_CHARACTER } else { c })
            .collect::<String>()
            .into(),
        false => text.into(),
    }
}

/// An error if what is to be written is one of the files that are read, by whatever name.
pub(crate) fn refuse_inputs<'a>(
    out: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), String> {
    match inputs.into_iter().find(|input| same_file(input, out)) {
        Some(input) => Err(format!("{} would be overwritten; give another file to write", input.display())),
        None => Ok(()),
    }
}

fn same_file(a: &Path, b: &Path) -> bool {
    let paths = || matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b);
    #[cfg(unix)]
    let links = || {
        use std::os::unix::fs::MetadataExt;
        let of = |path| fs::metadata(path).map(|meta| (meta.dev(), meta.ino()));
        matches!((of(a), of(b)), (Ok(a), Ok(b)) if a == b)
    };
    #[cfg(not(unix))]
    let links = || false;
    paths() || links()
}

/// "wrote FILE, 3 MiB"
pub(crate) fn wrote(path: &Path, bytes: Option<u64>) -> String {
    let size = bytes.map_or(String::new(), |bytes| format!(", {}", format_bytes(bytes)));
    format!("wrote {}{size}", path.display())
}

/// Writes a file, compressed if its name says so, and returns its size; a part of one is taken away again.
pub(crate) fn write_out(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<Option<u64>> {
    if path == Path::new("-") {
        let mut out = io::stdout().lock();
        fill(&mut out)?;
        return out.flush().map(|()| None);
    }
    let file = File::create(path)?;
    let filled = match path.extension().is_some_and(|ending| ending == "gz") {
        true => {
            let mut packed = GzEncoder::new(BufWriter::new(&file), Compression::default());
            fill(&mut packed).and_then(|()| packed.finish()?.flush())
        }
        false => {
            let mut out = BufWriter::with_capacity(1 << 16, &file);
            fill(&mut out).and_then(|()| out.flush())
        }
    };
    match filled {
        Ok(()) => Ok(Some(file.metadata()?.len())),
        Err(error) => {
            // Only what this wrote; a device such as /dev/full is not removed.
            if file.metadata().is_ok_and(|meta| meta.is_file()) {
                let _ = fs::remove_file(path);
            }
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_commands_the_terminal() {
        assert_eq!(
            harmless("a\tb\n\u{1b}[2Jc\u{202e}d\r\u{7}"),
            "a\tb\n\u{fffd}[2Jc\u{fffd}d\u{fffd}\u{fffd}"
        );
        assert!(matches!(harmless("größer → 3 MiB"), Cow::Borrowed(_)));
    }

    #[test]
    fn an_input_is_known_by_any_name() {
        let folder = std::env::temp_dir().join(format!("vramscope-out-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (file, link, other) = (folder.join("a"), folder.join("b"), folder.join("c"));
        fs::write(&file, "1").unwrap();
        fs::write(&other, "1").unwrap();
        let _ = fs::remove_file(&link);
        fs::hard_link(&file, &link).unwrap();
        let inputs = || [other.as_path(), file.as_path()];
        assert!(
            refuse_inputs(&file, inputs()).is_err() && refuse_inputs(&folder.join("./a"), inputs()).is_err()
        );
        assert_eq!(refuse_inputs(&link, inputs()).is_err(), cfg!(unix));
        assert_eq!(refuse_inputs(&folder.join("new"), inputs()), Ok(()));
        fs::remove_dir_all(folder).unwrap();
    }
}
