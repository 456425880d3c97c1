//! Bad files in every container: what they are is told, with a place and what to do; nothing panics, hangs, or takes memory that the
//! file's size does not explain.

use peak_alloc::PeakAlloc;
use proptest::prelude::*;
use vramscope_core::decode::{Decoder, ErrorCode, ErrorCode::*, Limits, OpenError};
use vramscope_core::replay::Recording;
use vramscope_tests::shapes::containers::{Method, gzip, page, torch_save, zip};
use vramscope_tests::shapes::json::json;
use vramscope_tests::shapes::pickles::{Writer, pickle};
use vramscope_tests::shapes::versions::{Version, snapshot};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What reading may take: so much for any file, and so many times its size.
const MOST_MEMORY_BYTES: usize = 64 << 20;
const MOST_MEMORY_TIMES: usize = 100;

fn open(bytes: &[u8], piece: usize) -> Result<(), Box<OpenError>> {
    let mut decoder = Decoder::new("bad", Limits::for_tab());
    let fed = bytes.chunks(piece).try_for_each(|piece| decoder.feed(piece));
    match fed.and_then(|()| decoder.finish()) {
        Ok(snapshot) => Recording::build(snapshot).check_all(),
        Err(error) => {
            Recording::build(decoder.finish_readable()).check_all();
            return Err(error);
        }
    }
    Ok(())
}

/// Opens a file within its share of memory.
fn measured(what: &str, bytes: &[u8], piece: usize) -> Result<(), Box<OpenError>> {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let opened = open(bytes, piece);
    let used = MEMORY.peak_usage().saturating_sub(before);
    let most = MOST_MEMORY_BYTES + MOST_MEMORY_TIMES * bytes.len();
    assert!(used < most, "{what}: {used} bytes of memory for a file of {}", bytes.len());
    opened
}

/// What, the file, its code, and a part of what is said.
type Case = (&'static str, Vec<u8>, ErrorCode, &'static str);

fn of_json() -> Vec<Case> {
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("an open brace", text("{"), Truncated, "a key in double quotes, or }"),
        ("cut after a comma", text("[[],"), Truncated, "a value"),
        ("cut in a text", text("{\"segm"), Truncated, "the end of a text"),
        ("cut in an escape", text("[\"\\u00"), Truncated, "four hexadecimal digits"),
        ("Python's repr", text("{'segments': []}"), Damaged, "print or repr"),
        ("no colon", text("{\"segments\" []}"), Damaged, "expected a colon, found ["),
        ("no comma", text("[1 2]"), Damaged, "expected a comma or ], found 2"),
        ("a comma too many", text("[1,]"), Damaged, "expected a value, found ]"),
        ("crossed brackets", text("[}"), Damaged, "expected a value or ], found }"),
        ("half a word", text("[nul]"), Damaged, "a number, true, false or null"),
        ("no number", text("[--1]"), Damaged, "found --1"),
        ("a bad escape", text("[\"\\x41\"]"), Damaged, "after a backslash, found x"),
        ("a bad code", text("[\"\\u12g4\"]"), Damaged, "four hexadecimal digits, found g"),
        ("a key that is none", text("{1: 2}"), Damaged, "a key in double quotes"),
        ("a million brackets", b"[".repeat(1 << 20), TooLarge, "levels of nesting"),
        ("a million braces", b"{\"a\":".repeat(1 << 18), TooLarge, "levels of nesting"),
        (
            "a number of a million digits",
            [b"[".to_vec(), b"9".repeat(1 << 20)].concat(),
            TooLarge,
            "digits of a number",
        ),
        (
            "a profiler trace",
            text("{\"schemaVersion\": 1, \"traceEvents\": [{\"ph\": \"X\"}]}"),
            NotASnapshot,
            "a profiler trace",
        ),
        (
            "a memory timeline",
            text("[[1, 2, 3], [[4, 5], [6, 7], [8, 9]]]"),
            NotASnapshot,
            "export_memory_timeline",
        ),
        (
            "a raw memory timeline",
            text("[[1, \"create\", 512, 3], [2, \"destroy\", 512, 3]]"),
            NotASnapshot,
            "export_memory_timeline",
        ),
        ("another dict", text("{\"epoch\": 3, \"model\": null}"), WrongShape, "epoch, model"),
        ("an empty dict", text("{}"), WrongShape, "without text keys"),
        ("a list of numbers", text("[1, 2, 3]"), WrongShape, "a list of something else"),
        (
            "duplicate keys of something else",
            text("{\"a\": 1, \"a\": NaN, \"a\": -Infinity}"),
            WrongShape,
            "a, a, a",
        ),
    ]
}

fn of_pages(sound: &[u8]) -> Vec<Case> {
    let page_with =
        |script: &str| format!("<!DOCTYPE html>\n<html><script>{script}</script></html>").into_bytes();
    let sound_page = page(sound, "Active Memory Timeline");
    let mut wrong = sound_page.clone();
    let at = wrong.len() / 2;
    wrong[at] = b'?';
    vec![
        ("a page of 2.0", page_with("let alloc_data = {\"elements\": []}"), NotASnapshot, "PyTorch 2.0"),
        (
            "a page of links",
            page_with("add_remote_files([{name: 'a', url: 'b'}])"),
            NotASnapshot,
            "Download the snapshots",
        ),
        ("a page with a picture", page_with("x='data:image/png;base64,AAAA'"), NotASnapshot, "picture"),
        ("a page of nothing", page_with(""), NotASnapshot, "an HTML page"),
        ("no data", page_with("local_files = [{\"name\": 1}]"), NotASnapshot, "an HTML page"),
        ("empty data", page_with("local_files = [{\"base64\": \"\"}]"), Empty, "empty"),
        (
            "other data",
            page_with("local_files = [{\"base64\": \"aGVsbG8gd29ybGQh\"}]"),
            NotASnapshot,
            "plain text",
        ),
        ("a cut page", sound_page[..sound_page.len() / 2].to_vec(), Truncated, "the middle of its data"),
        ("a character that is no base64", wrong, Damaged, "the character ?"),
        ("a mebibyte of base64 of NUL", page(&vec![0; 3 << 18], "x"), NotASnapshot, "00 00"),
    ]
}

fn of_archives(sound: &[u8]) -> Vec<Case> {
    let checkpoint = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n.";
    let packed = gzip(sound);
    let mut damaged = packed.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 9].fill(0xff);
    let mut wrong_deflate = zip(&[("a", sound, Method::Deflated)]);
    wrong_deflate[40..60].fill(0xff);
    let zeros = vec![0; 64 << 20];
    let four_times = (0..4).fold(sound.to_vec(), |bytes, _| gzip(&bytes));
    let zips = (0..4).fold(sound.to_vec(), |bytes, _| zip(&[("a.zip", &bytes, Method::Deflated)]));
    let mut absurd = zip(&[("a", sound, Method::Stored64)]);
    // Both 64-bit sizes, after the header, the name and four bytes of the field.
    absurd[30 + 1 + 4..30 + 1 + 20].fill(0xff);
    vec![
        ("gzip, cut", packed[..packed.len() / 2].to_vec(), Truncated, "the middle of its gzip data"),
        ("gzip, damaged", damaged, Damaged, "gzip data do not unpack"),
        ("gzip of nothing", gzip(b""), Empty, "empty"),
        ("gzip of a text", gzip(b"hello"), NotASnapshot, "plain text"),
        ("gzip of zeros", gzip(&zeros), NotASnapshot, "00 00"),
        ("gzip, four times", four_times, TooLarge, "packed too often"),
        ("gzip of a cut pickle", gzip(&sound[..sound.len() / 2]), Truncated, "of the unpacked data"),
        ("an empty archive", zip(&[]), NotASnapshot, "an empty zip archive"),
        (
            "an archive of texts",
            zip(&[("a", b"hello", Method::Stored), ("b", b"hello", Method::Deflated)]),
            NotASnapshot,
            "a zip archive of 2 files",
        ),
        ("an archive of one text", zip(&[("a", b"hello", Method::Stored)]), NotASnapshot, "plain text"),
        ("an archive of folders", zip(&[("a/", b"", Method::Stored)]), NotASnapshot, "an empty zip archive"),
        ("an encrypted archive", zip(&[("a", sound, Method::Encrypted)]), NotASnapshot, "is encrypted"),
        (
            "an archive of another method",
            zip(&[("a", sound, Method::Lzma)]),
            NotASnapshot,
            "other than deflate",
        ),
        ("a checkpoint", torch_save(checkpoint), NotASnapshot, "a PyTorch checkpoint"),
        (
            "evil in an archive",
            zip(&[("a", b"\x80\x02cos\nsystem\n.", Method::Stored)]),
            CallsCode,
            "os.system",
        ),
        (
            "an archive, cut",
            torch_save(sound)[..sound.len() / 2].to_vec(),
            Truncated,
            "the middle of its zip data",
        ),
        ("an archive with wrong deflate", wrong_deflate, Damaged, "zip data do not unpack"),
        ("an archive that is none", b"PK\x03\x04".repeat(100), Truncated, "the middle of its zip data"),
        (
            "an archive, then rubbish",
            [&zip(&[("a", b"x", Method::Stored)])[..32], &[0x55; 600]].concat(),
            Damaged,
            "zip data do not unpack",
        ),
        (
            "an archive of zeros",
            zip(&[("a", &zeros, Method::Deflated), ("b", &zeros, Method::DeflatedThenSizes)]),
            NotASnapshot,
            "none of them a snapshot",
        ),
        ("an archive, four times", zips, TooLarge, "packed too often"),
        (
            "an archive of absurd size",
            absurd[..absurd.len() / 2].to_vec(),
            Truncated,
            "the middle of its zip data",
        ),
    ]
}

fn of_other_kinds() -> Vec<Case> {
    let other = |magic: &[u8]| [magic, &[7; 600]].concat();
    vec![
        ("SQLite", other(b"SQLite format 3\0"), NotASnapshot, "_dump_snapshot_sqlite"),
        ("xz", other(b"\xfd7zXZ\0"), NotASnapshot, "unpack it first"),
        ("zstd", other(b"\x28\xb5\x2f\xfd"), NotASnapshot, "unpack it first"),
        ("UTF-16", other(b"\xff\xfe{\0"), NotASnapshot, "UTF-16"),
        (
            "a pointer",
            b"version https://git-lfs.github.com/spec/v1\noid 1".to_vec(),
            NotASnapshot,
            "git lfs pull",
        ),
        (
            "an old checkpoint",
            other(b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"),
            NotASnapshot,
            "checkpoint of the old format",
        ),
    ]
}

/// The only test of this binary: nothing else allocates while it measures.
#[test]
fn bad_files_are_told() {
    let sound = pickle(&snapshot(Version::V2_12), Writer::Python(4));
    let cases = [of_json(), of_pages(&sound), of_archives(&sound), of_other_kinds()].concat();
    for (what, bytes, code, words) in &cases {
        let error = measured(what, bytes, 1 << 20).expect_err(what);
        assert_eq!(error.code, *code, "{what}: {error}");
        assert!(error.to_string().contains(words), "{what}: {error}");
        assert!(error.title.contains("{name}") && error.advice.ends_with('.'), "{what}: {error}");
        if bytes.len() < 10_000 {
            for piece in [1, 7, 512] {
                let other = measured(what, bytes, piece).expect_err(what);
                assert_eq!(
                    (other.code, &other.found),
                    (error.code, &error.found),
                    "{what} in pieces of {piece}"
                );
            }
        }
    }
    cut_at_every_byte(&sound);
    changed_at_random(&sound);
}

/// A cut file is told to be cut, or, when only the end of its wrapping is missing, opens.
fn cut_at_every_byte(sound: &[u8]) {
    let value = snapshot(Version::V2_12);
    for (what, bytes) in [
        ("JSON", json(&value).into_bytes()),
        ("a page", page(sound, "x")),
        ("gzip", gzip(sound)),
        ("zip", zip(&[("a", sound, Method::Deflated)])),
        ("streamed zip", zip(&[("a", sound, Method::DeflatedThenSizes)])),
        ("torch.save", torch_save(sound)),
        ("gzip of a page", gzip(&page(sound, "x"))),
    ] {
        let mut opened = 0;
        for len in 0..bytes.len() {
            match measured(what, &bytes[..len], 4096) {
                Ok(()) => opened += 1,
                Err(error) => {
                    let short = len < 600 && matches!(error.code, NotASnapshot | Empty);
                    assert!(error.code == Truncated || short, "{what} cut at {len}: {error}");
                    assert_eq!(opened, 0, "{what} cut at {len}: shorter ones opened");
                }
            }
        }
        assert!(opened < bytes.len() / 2, "{what}: {opened} of {}", bytes.len());
    }
}

/// Bytes changed at random never panic or take much memory.
fn changed_at_random(sound: &[u8]) {
    let value = snapshot(Version::V2_12);
    let files = [
        json(&value).into_bytes(),
        page(sound, "x"),
        gzip(sound),
        torch_save(sound),
        zip(&[("a", sound, Method::Deflated), ("b", sound, Method::Stored64)]),
    ];
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(1_500));
    let changes = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4);
    runner
        .run(&(0..files.len(), changes, 1usize..3_000), |(file, changes, piece)| {
            let mut bytes = files[file].clone();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            drop(measured("changed", &bytes, piece));
            Ok(())
        })
        .unwrap();
}
