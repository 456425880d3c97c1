//! The rules of ARCHITECTURE.md that a compiler does not check. Each failure says what to do.

mod packages;
mod source;

use std::fs;
use std::path::{Path, PathBuf};

use packages::{dependencies, packages, text};
use source::{
    crate_sources, is_test, paths_below, quoted_after, read, repository_files, root, without_tests,
};

/// Who may depend on whom. `vramscope-tests` may use all that ships nothing to a user but itself.
const HOUSE: [(&str, &[&str]); 11] = [
    ("vramscope-pickle", &[]),
    ("vramscope-core", &["vramscope-pickle"]),
    ("vramscope-simulate", &["vramscope-core"]),
    ("vramscope-diagnose", &["vramscope-core", "vramscope-simulate"]),
    ("vramscope-explore", &["vramscope-core"]),
    ("vramscope-render", &["vramscope-core"]),
    (
        "vramscope-web",
        &[
            "vramscope-core",
            "vramscope-diagnose",
            "vramscope-explore",
            "vramscope-render",
            "vramscope-simulate",
        ],
    ),
    ("vramscope-http", &[]),
    (
        "vramscope-cli",
        &[
            "vramscope-core",
            "vramscope-diagnose",
            "vramscope-explore",
            "vramscope-http",
            "vramscope-render",
            "vramscope-simulate",
        ],
    ),
    ("xtask", &["vramscope-http"]),
    (
        "vramscope-tests",
        &[
            "vramscope-pickle",
            "vramscope-core",
            "vramscope-diagnose",
            "vramscope-explore",
            "vramscope-render",
            "vramscope-simulate",
            "vramscope-cli",
            "xtask",
        ],
    ),
];

/// The modules of vramscope-core; each imports only those to its left.
const CORE_MODULES: [&str; 10] =
    ["units", "ids", "order", "bits", "warning", "model", "decode", "allocator", "replay", "query"];

const WITHOUT_JAVASCRIPT: [&str; 8] = [
    "vramscope-http",
    "vramscope-pickle",
    "vramscope-core",
    "vramscope-diagnose",
    "vramscope-explore",
    "vramscope-render",
    "vramscope-simulate",
    "vramscope-cli",
];
const JAVASCRIPT: [&str; 4] = ["wasm-bindgen", "js-sys", "web-sys", "plotters-canvas"];

const PURE: [&str; 5] =
    ["vramscope-pickle", "vramscope-core", "vramscope-diagnose", "vramscope-explore", "vramscope-simulate"];
const IMPURE_STD: [&str; 6] = ["fs", "net", "time", "env", "thread", "process"];
const IMPURE_MACROS: [&str; 4] = ["println!", "eprintln!", "print!(", "dbg!"];

const LONG: usize = 400;
const TOO_LONG: usize = 600;

/// Written in parts, so that this file passes its own test.
const WORKPLACE: &str = concat!("/wo", "rk/");
/// Fine in tests, which show the paths of people who recorded something.
const SOMEBODY: &str = concat!("/ho", "me/");
const REGISTRY_HOSTS: [&str; 5] = [
    concat!("crates", ".io"),
    concat!("npm", "js."),
    concat!("pypi", ".org"),
    concat!("debian", ".org"),
    concat!("arti", "factory"),
];

#[test]
fn crates_depend_in_one_direction() {
    let packages = packages();
    for package in &packages {
        let name = text(&package["name"]);
        let Some((_, allowed)) = HOUSE.iter().find(|(known, _)| *known == name) else {
            panic!("crate {name} is new: give it a place in ARCHITECTURE.md and in HOUSE of this test");
        };
        for dependency in dependencies(package) {
            let inside = packages.iter().any(|other| text(&other["name"]) == dependency.name);
            assert!(
                !inside || allowed.contains(&dependency.name),
                "{name} may not depend on {}: ARCHITECTURE.md allows {allowed:?}; move the code to where both can reach it",
                dependency.name
            );
        }
    }
}

#[test]
fn the_pickle_reader_ships_alone() {
    let packages = packages();
    let pickle = packages.iter().find(|package| package["name"] == "vramscope-pickle").unwrap();
    let shipped: Vec<_> =
        dependencies(pickle).filter(|dependency| dependency.shipped).map(|d| d.name).collect();
    assert!(
        shipped.is_empty(),
        "vramscope-pickle has no dependencies; take {shipped:?} out or use it in vramscope-core"
    );
}

#[test]
fn only_the_web_crate_names_javascript() {
    for package in &packages() {
        let name = text(&package["name"]);
        if !WITHOUT_JAVASCRIPT.contains(&name) {
            continue;
        }
        for word in JAVASCRIPT {
            let depends = dependencies(package).any(|dependency| dependency.name == word);
            assert!(
                !depends,
                "{name} may not depend on {word}: hand the data up and let vramscope-web do it"
            );
            for (file, code) in crate_sources(name) {
                let named = code.contains(&word.replace('-', "_"));
                assert!(!named, "{} names {word}: that belongs in vramscope-web", file.display());
            }
        }
    }
}

#[test]
fn reader_and_core_are_pure() {
    for (file, code) in PURE.iter().flat_map(|name| crate_sources(name)) {
        let paths = paths_below(&code, "std::");
        let impure = paths.iter().find(|path| IMPURE_STD.contains(&path.as_str()));
        let printing = IMPURE_MACROS.iter().find(|word| code.contains(**word));
        assert!(
            impure.is_none() && printing.is_none(),
            "{} uses std::{impure:?} / {printing:?}: take bytes and times as arguments, return text instead of printing",
            file.display()
        );
    }
}

#[test]
fn core_modules_import_only_to_their_left() {
    let sources = Path::new("crates/vramscope-core/src");
    let place = |module: &str| CORE_MODULES.iter().position(|known| *known == module);
    for (file, code) in crate_sources("vramscope-core") {
        let first = file.strip_prefix(sources).unwrap().iter().next().unwrap();
        let own = Path::new(first).file_stem().unwrap().to_str().unwrap();
        if own == "lib" {
            continue;
        }
        let here = place(own)
            .unwrap_or_else(|| panic!("module {own} is new: give it a place in ARCHITECTURE.md and here"));
        for import in paths_below(&code, "crate::") {
            assert!(
                place(&import).is_some_and(|there| there <= here),
                "{} imports crate::{import}: a module may import only those to its left in {CORE_MODULES:?}, by module, \
                 not through lib.rs; move what both need to the left",
                file.display()
            );
        }
    }
}

#[test]
fn source_files_stay_short() {
    let is_source = |file: &PathBuf| {
        file.extension().is_some_and(|end| ["rs", "js", "css"].iter().any(|known| end == *known))
    };
    let mut too_long = Vec::new();
    for file in repository_files().into_iter().filter(is_source) {
        let lines = read(&file).lines().count();
        if lines > LONG {
            println!("{}: {lines} lines, look for a seam", file.display());
        }
        if lines > TOO_LONG {
            too_long.push(format!("{} ({lines} lines)", file.display()));
        }
    }
    assert!(too_long.is_empty(), "split these into modules, at most {TOO_LONG} lines each: {too_long:?}");
}

#[test]
fn the_tools_have_the_version_of_wasm_bindgen() {
    let tools = read("crates/xtask/tools/Cargo.toml");
    let wanted = quoted_after(&read("Cargo.toml"), "\nwasm-bindgen = \"=").to_owned();
    let advice =
        "set it in Cargo.toml and twice in crates/xtask/tools/Cargo.toml, then run `cargo xtask setup`";
    assert_eq!(quoted_after(&tools, "wasm-bindgen-cli = { version = \"="), wanted, "{advice}");
    assert_eq!(quoted_after(&tools, "\nversion = \""), wanted, "{advice}");
    let lock = read("Cargo.lock");
    assert_eq!(
        quoted_after(&lock, "name = \"wasm-bindgen\"\nversion = \""),
        wanted,
        "run `cargo update wasm-bindgen`"
    );
}

#[test]
fn no_file_names_a_machine() {
    for file in repository_files() {
        let Ok(content) = fs::read_to_string(root().join(&file)) else { continue };
        let shipped = if is_test(&file) { "" } else { without_tests(&content) };
        let locked = file.extension().is_some_and(|end| end == "lock");
        let host = REGISTRY_HOSTS.into_iter().find(|host| !locked && content.contains(host));
        let path = [(WORKPLACE, &*content), (SOMEBODY, shipped)]
            .into_iter()
            .find(|(path, text)| text.contains(path));
        if let Some(word) = host.or(path.map(|found| found.0)) {
            panic!(
                "{} has `{word}`: use a path from the top of the repository, or say it in words",
                file.display()
            );
        }
    }
}

#[test]
fn imports_are_found_in_every_notation() {
    let code =
        "use crate::{a::{b, c}, d, };\nuse crate::e::f; pub(in crate::g) x(); $crate::h!(); other_crate::i;";
    assert_eq!(paths_below(code, "crate::"), ["a", "d", "e", "g"]);
}
