//! Each build in a folder of its own, named by its content: browsers may keep what is in it for ever, and an old page never meets files of a new build.
//! The page itself, its service worker and the samples keep their names.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use super::html::{self, Tag};
use super::read;

/// Where `index.html` wants to be told what it is.
const PLACE: &str = "<!-- version -->";
/// The service worker: it must stand beside the page to answer for it.
const SERVICE_WORKER: &str = "sw.js";
/// Named by addresses that people hand on, so they keep their names.
const SAMPLES: &str = "samples";
/// Of the hash in a name: enough to tell builds apart.
const DIGITS: usize = 12;

/// The name of a build, by everything in it.
pub fn name(folder: &Path, page: &str) -> Result<String> {
    let mut hash = Sha256::new_with_prefix(page);
    for file in files(folder)? {
        hash.update(&file);
        hash.update(fs::read(folder.join(&file))?);
    }
    let mut name = "build-".to_owned();
    for byte in hash.finalize().iter().take(DIGITS / 2) {
        write!(name, "{byte:02x}")?;
    }
    Ok(name)
}

/// The page with its version, which help shows.
pub fn tell(page: &str, build: &str) -> Result<String> {
    let at = page.find(PLACE).with_context(|| format!("index.html needs `{PLACE}`"))?;
    let meta = format!("<meta name=\"version\" content=\"{}, {build}\">", env!("CARGO_PKG_VERSION"));
    Ok(html::replace(page, &[(at..at + PLACE.len(), meta)]))
}

/// Moves what the page loads to the folder `build`, and lists all of it for the service worker. Returns the page that links there.
pub fn move_to_folder(folder: &Path, page: &str, build: &str) -> Result<String> {
    let own = folder.join(build);
    fs::create_dir(&own)?;
    let mut list = vec!["./".to_owned()];
    for file in files(folder)? {
        if file.starts_with(SAMPLES) {
            list.push(format!("./{file}"));
        } else if file != SERVICE_WORKER {
            ensure!(!file.contains('/'), "{file}: what the page loads stands in no folder");
            fs::rename(folder.join(&file), own.join(&file))?;
            list.push(format!("./{build}/{file}"));
        }
    }
    let worker = folder.join(SERVICE_WORKER);
    let list = list.iter().map(|file| format!("'{file}'")).collect::<Vec<_>>().join(", ");
    fs::write(&worker, format!("const BUILD = '{build}';\nconst FILES = [{list}];\n{}", read(&worker)?))?;
    Ok(linked(page, build))
}

/// The page with `./FILE` of scripts and sheets in the folder of the build.
fn linked(page: &str, build: &str) -> String {
    let link = |tag: &Tag<'_>| {
        let old = match tag.name {
            "script" => tag.get("src"),
            "link" => tag.get("href"),
            _ => None,
        };
        let file = old?.strip_prefix("./")?;
        let text = page[tag.range.clone()].replace(&format!("./{file}"), &format!("./{build}/{file}"));
        Some((tag.range.clone(), text))
    };
    html::replace(page, &html::start_tags(page).iter().filter_map(link).collect::<Vec<_>>())
}

/// Paths below the folder with `/` between, in order; not the pages.
fn files(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(inside) = open.pop() {
        for entry in fs::read_dir(folder.join(&inside))? {
            let entry = entry?;
            let path = inside.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                open.push(path);
            } else if path.extension().is_none_or(|kind| kind != "html") {
                found.push(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<link rel=icon href=data:,><link rel=stylesheet href=\"./style.css\"><script src=\"./app.js\"></script><a href=\"./x\">";

    #[test]
    fn a_build_has_a_folder_named_by_its_content() {
        let folder = std::env::temp_dir().join(format!("vramscope-versions-{}", std::process::id()));
        fs::create_dir_all(folder.join("samples")).unwrap();
        for file in ["app.js", "style.css", "sw.js", "samples/a.gz", "index.html"] {
            fs::write(folder.join(file), file).unwrap();
        }
        let build = name(&folder, PAGE).unwrap();
        assert!(build.len() == "build-".len() + DIGITS && build == name(&folder, PAGE).unwrap());
        assert_ne!(name(&folder, "<p>").unwrap(), build);
        fs::write(folder.join("samples/a.gz"), "other").unwrap();
        assert_ne!(name(&folder, PAGE).unwrap(), build);

        let page = move_to_folder(&folder, PAGE, "b").unwrap();
        assert_eq!(
            page,
            "<link rel=icon href=data:,><link rel=stylesheet href=\"./b/style.css\"><script src=\"./b/app.js\"></script><a href=\"./x\">"
        );
        let worker = fs::read_to_string(folder.join("sw.js")).unwrap();
        let list = "const FILES = ['./', './b/app.js', './samples/a.gz', './b/style.css'];";
        assert_eq!(worker, format!("const BUILD = 'b';\n{list}\nsw.js"));
        assert!(folder.join("b/app.js").is_file() && folder.join("samples/a.gz").is_file());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_page_says_what_it_is() {
        assert_eq!(
            tell("a<!-- version -->b", "build-1").unwrap(),
            format!("a<meta name=\"version\" content=\"{}, build-1\">b", env!("CARGO_PKG_VERSION"))
        );
        assert!(tell("a", "b").is_err());
    }
}
