//! The files of the repository, and how to read Rust well enough to find its imports.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

pub fn read(file: impl AsRef<Path>) -> String {
    let file = root().join(file);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Files that are in git or about to be.
pub fn repository_files() -> Vec<PathBuf> {
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(root());
    let output = git.output().expect("git starts: this test asks it for the files");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed = String::from_utf8(output.stdout).expect("file names are UTF-8");
    listed.lines().map(PathBuf::from).filter(|file| root().join(file).is_file()).collect()
}

/// The Rust files of a crate that ship, without comments and tests.
pub fn crate_sources(name: &str) -> Vec<(PathBuf, String)> {
    let sources = Path::new("crates").join(name).join("src");
    let files = repository_files().into_iter();
    let rust =
        files.filter(|file| file.starts_with(&sources) && file.extension().is_some_and(|end| end == "rs"));
    let shipped = rust.filter(|file| !is_test(file));
    shipped.map(|file| (file.clone(), without_comments(without_tests(&read(file))))).collect()
}

pub fn is_test(file: &Path) -> bool {
    let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with("tests") || file.iter().any(|part| part == "tests")
}

/// Inline tests stand at the end of a file.
pub fn without_tests(code: &str) -> &str {
    code.split("#[cfg(test)]\nmod ").next().unwrap_or(code)
}

fn without_comments(code: &str) -> String {
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// The names right after `start`: of `crate::{a::b, c}` and `crate::d::e` with `crate::` these are a, c and d.
pub fn paths_below(code: &str, start: &str) -> Vec<String> {
    let mut names = Vec::new();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in code.match_indices(start) {
        if code[..at].ends_with(|c: char| is_name(c) || c == ':' || c == '$') {
            continue;
        }
        let rest = &code[at + start.len()..];
        let paths = if rest.starts_with('{') { outer_items(rest) } else { vec![rest] };
        names.extend(
            paths
                .iter()
                .map(|path| path.trim_start().split(|c| !is_name(c)).next().unwrap_or_default().to_owned()),
        );
    }
    names
}

/// Of `{a::{b, c}, d} …` the texts `a::{b, c}` and `d`.
fn outer_items(group: &str) -> Vec<&str> {
    let (mut items, mut depth, mut from) = (Vec::new(), 0, 1);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if (c == ',' && depth == 1) || (c == '}' && depth == 0) {
            items.push(group[from..at].trim());
            from = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

pub fn quoted_after<'a>(text: &'a str, start: &str) -> &'a str {
    let rest = text.split_once(start).unwrap_or_else(|| panic!("no `{start}`: this test looks for it")).1;
    rest.split('"').next().unwrap_or(rest)
}
