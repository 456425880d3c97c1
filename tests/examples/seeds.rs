//! Writes small snapshots of every version in every container into a folder: seeds for fuzzing.

use std::path::{Path, PathBuf};

use vramscope_tests::shapes::containers::{Method, gzip, page, torch_save, zip};
use vramscope_tests::shapes::json::json;
use vramscope_tests::shapes::pickles::{Writer, pickle};
use vramscope_tests::shapes::versions::{ALL, snapshot};

fn main() -> std::io::Result<()> {
    let folder =
        std::env::args().nth(1).map_or_else(|| PathBuf::from("tests/fuzz/corpus/open"), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    for version in ALL {
        let value = snapshot(version);
        let bytes = pickle(&value, Writer::Python(4));
        let text = json(&value).into_bytes();
        for (kind, bytes) in [
            ("p2", pickle(&value, Writer::Python(2))),
            ("p4", bytes.clone()),
            ("cpp", pickle(&value, Writer::Cpp)),
            ("html", page(&bytes, "Active Memory Timeline")),
            ("gz", gzip(&bytes)),
            ("zip", zip(&[("a", &bytes, Method::Deflated)])),
            ("zip64", zip(&[("a", &text, Method::Stored64), ("b", b"", Method::Stored)])),
            (
                "streamed.zip",
                zip(&[("x", b"x", Method::StoredThenSizes), ("a", &text, Method::DeflatedThenSizes)]),
            ),
            ("torch_save", torch_save(&bytes)),
            ("json", text),
        ] {
            write(&folder, &format!("{version:?}.{kind}"), &bytes)?;
        }
    }
    Ok(())
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    std::fs::write(folder.join(name), bytes)
}
