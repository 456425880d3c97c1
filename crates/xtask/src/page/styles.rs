//! Joins the style sheets of the page into one, in their order: one request in place of ten, and compressed as one text.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::html::{self, Tag};
use super::{lean, read};

/// The sheet that stands in place of all others.
const JOINED: &str = "style.css";

/// Writes the joined sheet and takes the others away; returns the page that links to it.
pub fn join(folder: &Path, page: &str) -> Result<String> {
    let is_sheet = |tag: &Tag<'_>| tag.name == "link" && tag.get("rel") == Some("stylesheet");
    let mut joined = String::new();
    let mut edits = Vec::new();
    for tag in html::start_tags(page).into_iter().filter(is_sheet) {
        let sheet = tag.get("href").unwrap_or_default();
        ensure!(!sheet.contains(':'), "the sheet {sheet} is no file of the page");
        let file = folder.join(sheet);
        joined += &lean::style(&read(&file)?).with_context(|| sheet.to_owned())?;
        fs::remove_file(file)?;
        edits.push(match edits.is_empty() {
            true => (tag.range, format!("<link rel=\"stylesheet\" href=\"./{JOINED}\">")),
            false => (html::with_line_end(page, tag.range), String::new()),
        });
    }
    fs::write(folder.join(JOINED), joined)?;
    Ok(html::replace(page, &edits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_become_one_in_their_order() {
        let folder = std::env::temp_dir().join(format!("vramscope-styles-{}", std::process::id()));
        fs::create_dir_all(folder.join("css")).unwrap();
        fs::write(folder.join("css/b.css"), "/* first */\nb {\n  top: 0;\n}\n").unwrap();
        fs::write(folder.join("css/a.css"), "a { top: 1; }\n").unwrap();
        let page = "<link rel=stylesheet href=./css/b.css>\n<link rel=icon href=data:,>\n<link rel=stylesheet href=./css/a.css>\n<p>";
        let joined = join(&folder, page).unwrap();
        assert_eq!(
            joined,
            "<link rel=\"stylesheet\" href=\"./style.css\">\n<link rel=icon href=data:,>\n<p>"
        );
        assert_eq!(fs::read_to_string(folder.join(JOINED)).unwrap(), "b{top:0}\na{top:1}\n");
        assert!(join(&folder, "<link rel=stylesheet href=https://a/b.css>").is_err());
        fs::remove_dir_all(folder).unwrap();
    }
}
