//! The viewer, the page as one file: where it is, and what is put into it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Its name, as the build writes it.
const NAME: &str = "vramscope.html";
/// What only the viewer has: its reader.
const MARK: &str = "id=\"inline-wasm\"";

/// The viewer's text: of the file that was named, or found beside the program or in `dist` here or above the program.
///
/// # Errors
/// One plain message: it is not there, or it is something else.
pub(crate) fn text(named: Option<&Path>) -> Result<String, String> {
    let path = match named {
        Some(path) => path.to_owned(),
        None => places().into_iter().find(|path| path.is_file()).ok_or(
            "the viewer was not found; build it with `cargo xtask build`, put vramscope.html beside the program, or name it with --viewer FILE",
        )?,
    };
    let shown = path.display();
    let text = fs::read_to_string(&path).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    match text.contains(MARK) {
        true => Ok(text),
        false => {
            Err(format!("{shown} is not the viewer; name the vramscope.html that `cargo xtask build` writes"))
        }
    }
}

fn places() -> Vec<PathBuf> {
    let mut places = Vec::new();
    let program = env::current_exe().and_then(fs::canonicalize).ok();
    places.extend(program.as_deref().and_then(Path::parent).map(|folder| folder.join(NAME)));
    let here = env::current_dir().ok();
    let above = program.iter().flat_map(|program| program.ancestors().skip(1));
    places.extend(here.as_deref().into_iter().chain(above).map(|folder| folder.join("dist").join(NAME)));
    places
}

/// Where elements with data go: before the first script.
pub(crate) fn place_for_data(viewer: &str) -> usize {
    viewer.find("<script").or_else(|| viewer.find("</body>")).unwrap_or(viewer.len())
}
