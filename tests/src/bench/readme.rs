//! The tables of README.md.

use std::io;
use std::path::{Path, PathBuf};

const START: &str = "<!-- bench: what follows is written by `cargo xtask bench --readme` -->";
const END: &str = "<!-- bench: end -->";

/// Puts text between the two comments.
///
/// # Errors
/// The file cannot be read or written, or does not have both comments.
pub fn rewrite(markdown: &str) -> io::Result<PathBuf> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let text = std::fs::read_to_string(&file)?;
    let new = between(&text, markdown)
        .ok_or_else(|| io::Error::other(format!("README.md has lost its comments: `{START}` and `{END}`")))?;
    std::fs::write(&file, new)?;
    Ok(file)
}

fn between(text: &str, new: &str) -> Option<String> {
    let (before, rest) = text.split_once(START)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{START}\n\n{}\n\n{END}{after}", new.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_changes() {
        let text = format!("a\n{START}\nold\n{END}\nb\n");
        let once = between(&text, "new\n").unwrap();
        assert_eq!(once, format!("a\n{START}\n\nnew\n\n{END}\nb\n"));
        assert_eq!(between(&once, "new").unwrap(), once);
        assert_eq!(between("nothing", "new"), None);
    }

    #[test]
    fn the_readme_has_its_comments() {
        let text =
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
        assert!(between(&text, "x").is_some());
    }
}
