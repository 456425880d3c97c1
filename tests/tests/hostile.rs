//! Wrong, cut and hostile files: a clear error or an honest part, never a panic, a hang or memory that the file's size does not explain.

use std::sync::Mutex;

use peak_alloc::PeakAlloc;
use proptest::prelude::*;
use vramscope_core::decode::{Decoder, ErrorCode, Limits, OpenError};
use vramscope_core::query::{self, summary::summary};
use vramscope_core::replay::Recording;
use vramscope_tests::recordings;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// One test at a time: memory is counted for all of them together.
static ALONE: Mutex<()> = Mutex::new(());

/// What reading a small file may take at the most.
const MOST_MEMORY_BYTES: usize = 64 << 20;

/// Everything the page would do with a file: feed, finish or open the readable part, and ask.
fn exercise(bytes: &[u8], piece: usize) -> Result<(), Box<OpenError>> {
    let mut decoder = Decoder::new("hostile", Limits::default());
    let fed = bytes.chunks(piece).try_for_each(|piece| decoder.feed(piece));
    let (mut recording, result) = match fed.and_then(|()| decoder.finish()) {
        Ok(snapshot) => (Recording::build(snapshot), Ok(())),
        Err(error) => {
            assert!(!error.to_string().is_empty() && !error.advice.is_empty());
            (Recording::build(decoder.finish_readable()), Err(error))
        }
    };
    recording.check_all();
    ask_everything(&recording);
    result
}

fn ask_everything(recording: &Recording) {
    let opened = serde_json::to_string(&query::opened(recording)).unwrap();
    assert!(opened.contains("\"schema\":1"));
    for device in summary(recording).devices {
        let ordinal = device.device;
        for moment in [0, 1, device.events as u32 / 2, u32::MAX] {
            for ask in [
                format!(r#"{{"ask":"point","device":{ordinal},"moment":{moment},"bytes":1000}}"#),
                format!(r#"{{"ask":"alive","device":{ordinal},"moment":{moment},"limit":5}}"#),
                format!(r#"{{"ask":"allocation","device":{ordinal},"id":{moment},"moment":{moment}}}"#),
                format!(
                    r#"{{"ask":"neighbour","device":{ordinal},"id":{moment},"moment":{moment},"towards":"up"}}"#
                ),
            ] {
                let answer = query::answer(recording, &ask);
                assert!(!answer.contains("\"error\""), "{ask}: {answer}");
            }
        }
        for ask in ["overview", "choices", "lanes", "settings"] {
            query::answer(
                recording,
                &format!(r#"{{"ask":"{ask}","device":{ordinal},"x0":0,"x1":99,"width":50}}"#),
            );
        }
        for moment in [0, device.events as u32 / 2, u32::MAX] {
            let state = query::answer(
                recording,
                &format!(r#"{{"ask":"state","device":{ordinal},"moment":{moment}}}"#),
            );
            assert!(state.contains("\"groups\""), "{state}");
        }
        let overview = query::answer(recording, &format!(r#"{{"ask":"overview","device":{ordinal}}}"#));
        assert!(overview.contains("\"peak\""), "{overview}");
        query::answer(
            recording,
            &format!(r#"{{"ask":"chart","device":{ordinal},"columns":50,"axis":"time"}}"#),
        );
    }
}

fn peak_during(work: impl FnOnce()) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    work();
    MEMORY.peak_usage().saturating_sub(before)
}

/// Nothing else allocates while it measures.
#[test]
fn hostile_files_end_in_time_and_memory() {
    let _alone = ALONE.lock();
    every_truncation();
    bombs();
    let bytes = recordings::pickle("mempool");
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(3_000));
    let changes = proptest::collection::vec((0..bytes.len(), any::<u8>()), 1..4);
    let used = peak_during(|| {
        runner
            .run(&(changes, 1usize..5_000), |(changes, piece)| {
                let mut bytes = bytes.clone();
                for (at, byte) in changes {
                    bytes[at] = byte;
                }
                let used = peak_during(|| drop(exercise(&bytes, piece)));
                prop_assert!(used < MOST_MEMORY_BYTES, "{used} bytes of memory");
                Ok(())
            })
            .unwrap();
    });
    assert!(used < 2 * MOST_MEMORY_BYTES);
}

/// Every prefix of a real file is told to be cut, with the offset of its end.
fn every_truncation() {
    for name in ["mempool", "linear_inference_nograd"] {
        let bytes = recordings::pickle(name);
        let used = peak_during(|| {
            for len in 0..bytes.len() {
                let error = exercise(&bytes[..len], 4096).expect_err("a cut file must not open");
                match len {
                    0 => assert_eq!(error.code, ErrorCode::Empty),
                    // One byte is too few to tell a pickle.
                    1 => assert_eq!(error.code, ErrorCode::NotASnapshot),
                    _ => assert_eq!(
                        (error.code, error.at),
                        (ErrorCode::Truncated, Some(len as u64)),
                        "{name} cut at {len}"
                    ),
                }
            }
        });
        assert!(used < MOST_MEMORY_BYTES, "{name}: {used} bytes of memory");
        exercise(&bytes, 4096).expect("the whole file opens");
    }
}

fn with_proto(body: &[u8]) -> Vec<u8> {
    [b"\x80\x04", body].concat()
}

/// Small files that ask for much, and large ones that ask for more.
fn bombs() {
    let huge = u64::MAX / 2;
    let small: Vec<(&str, Vec<u8>, ErrorCode)> = vec![
        ("4 GiB of text in 7 bytes", with_proto(b"X\xff\xff\xff\xff"), ErrorCode::TooLarge),
        (
            "text of 2^62 bytes",
            with_proto(&[b"\x8d".as_slice(), &huge.to_le_bytes()].concat()),
            ErrorCode::TooLarge,
        ),
        (
            "bytes of 2^62",
            with_proto(&[b"\x8e".as_slice(), &huge.to_le_bytes(), b"abc"].concat()),
            ErrorCode::Truncated,
        ),
        ("an integer of 2 GiB", with_proto(b"\x8b\xff\xff\xff\x7f"), ErrorCode::Truncated),
        ("a memo entry far ahead", with_proto(b"K\x01r\xf0\xff\xff\xff."), ErrorCode::Damaged),
        ("a memo entry that is not there", with_proto(b"h\x05."), ErrorCode::Damaged),
        ("items without a mark", with_proto(b"]e."), ErrorCode::Damaged),
        ("items of a number", with_proto(b"K\x01K\x02a."), ErrorCode::Damaged),
        ("a key without a value", with_proto(b"}(K\x01u."), ErrorCode::Damaged),
        ("nothing on the stack", with_proto(b"."), ErrorCode::Damaged),
        ("a byte that is no opcode", with_proto(b"\xff"), ErrorCode::Damaged),
        ("protocol 9", b"\x80\x09N.".to_vec(), ErrorCode::Damaged),
        ("a number", with_proto(b"K\x01."), ErrorCode::WrongShape),
        ("an empty dict", with_proto(b"}."), ErrorCode::WrongShape),
        ("a list of numbers", with_proto(b"](K\x01K\x02e."), ErrorCode::WrongShape),
        ("another dict", with_proto(b"}(\x8c\x05epochK\x03\x8c\x05modelNu."), ErrorCode::WrongShape),
        ("a list that holds itself", with_proto(b"]\x94h\x00a."), ErrorCode::WrongShape),
        ("JSON of something else", b"{\"epoch\": 3}".to_vec(), ErrorCode::WrongShape),
        ("a cut zip", b"PK\x03\x04rest".to_vec(), ErrorCode::Truncated),
        ("a cut gzip", b"\x1f\x8b\x08\x00\x00".to_vec(), ErrorCode::Truncated),
        ("no gzip after all", [b"\x1f\x8b\x08\x00".as_slice(), &[0xff; 600]].concat(), ErrorCode::Damaged),
    ];
    for (what, bytes, code) in small {
        let used = peak_during(|| {
            let error = exercise(&bytes, 1 << 20).expect_err(what);
            assert_eq!(error.code, code, "{what}: {error}");
        });
        assert!(used < MOST_MEMORY_BYTES, "{what}: {used} bytes of memory");
    }
    for (what, bytes) in [
        ("a million nested lists", with_proto(&b"]".repeat(1 << 20))),
        ("a million nested tuples", with_proto(&[b"N".to_vec(), b"\x85".repeat(1 << 20)].concat())),
        ("a million marks", with_proto(&b"(".repeat(1 << 20))),
        (
            "a text and a million copies",
            with_proto(&[b"\x8c\x03abc".to_vec(), b"2".repeat(1 << 20)].concat()),
        ),
        ("a million lists in themselves", with_proto(&b"]\x94h\x00a".repeat(1 << 18))),
    ] {
        let size = bytes.len();
        let used = peak_during(|| drop(exercise(&bytes, 1 << 16)));
        assert!(used < 100 * size + MOST_MEMORY_BYTES, "{what}: {used} bytes of memory for a file of {size}");
    }
    billion_laughs();
    gzip_bomb();
}

/// Ten levels of lists, each ten times the one before: 10^10 items if anyone counts them out.
fn billion_laughs() {
    let mut body = b"]\x94".to_vec();
    for level in 0..10u8 {
        body.extend([b"](".as_slice(), &[b'h', level].repeat(10), b"e\x94"].concat());
    }
    body.push(b'.');
    assert_eq!(exercise(&with_proto(&body), 4096).expect_err("no snapshot").code, ErrorCode::WrongShape);
    // The same inside the settings of a snapshot, which are converted to a tree.
    let mut keyed = b"}(\x8c\x08segments]\x8c\x12allocator_settings}(".to_vec();
    keyed.extend(b"\x8c\x01a]\x94");
    for level in 0..10u8 {
        keyed.extend([b"\x8c\x01a](".as_slice(), &[b'h', level].repeat(10), b"e\x94"].concat());
    }
    keyed.extend(b"uu.");
    let used = peak_during(|| drop(exercise(&with_proto(&keyed), 4096)));
    assert!(used < MOST_MEMORY_BYTES, "{used} bytes of memory");
}

/// 256 MiB of zeros in 256 KiB: not a pickle, and told so from the first bytes.
fn gzip_bomb() {
    use std::io::Write;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let zeros = vec![0; 1 << 20];
    for _ in 0..256 {
        packer.write_all(&zeros).unwrap();
    }
    let bytes = packer.finish().unwrap();
    let used = peak_during(|| {
        let error = exercise(&bytes, 1 << 20).expect_err("zeros are no snapshot");
        assert_eq!(error.code, ErrorCode::NotASnapshot, "{error}");
    });
    assert!(used < MOST_MEMORY_BYTES, "{used} bytes of memory");
}

/// A small file that unpacks to gigabytes is stopped in proportion to what lies on disk: 64 MiB and 400 bytes for each of its bytes.
#[test]
fn bombs_take_memory_in_proportion_to_the_packed_file() {
    let _alone = ALONE.lock();
    let opcodes: [(&str, &[u8]); 4] = [("none", b"N"), ("lists", b"]"), ("memo", b"\x94"), ("dicts", b"}")];
    for (name, opcode) in opcodes {
        let mut pickle = b"\x80\x04]".to_vec();
        pickle.extend_from_slice(&opcode.repeat(150 << 20));
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packer, &pickle).unwrap();
        let packed = packer.finish().unwrap();
        drop(pickle);
        let peak = peak_during(|| {
            let mut decoder = Decoder::new("bomb", Limits::default());
            let fed = packed.chunks(1 << 16).try_for_each(|piece| decoder.feed(piece));
            assert_eq!(fed.unwrap_err().code, ErrorCode::TooLarge, "{name}");
        });
        let most = (64 << 20) + 400 * packed.len();
        assert!(peak < most, "{name}: {} MiB for {} bytes", peak >> 20, packed.len());
    }
}

/// What is dropped again at once, written over, or added to the same event still takes room; a wrong size that was told takes none.
#[test]
fn rows_take_memory_in_proportion_to_the_packed_file() {
    let _alone = ALONE.lock();
    let texts = ["action", "alloc", "size", "compile_context", "total_size", "state"];
    let texts = texts.map(|text| [b"\x8c", &[text.len() as u8], text.as_bytes(), b"\x94"].concat()).concat();
    let event = b"}(h\x00h\x01h\x02K\x07u";
    for (name, head, again) in [
        ("events", &b""[..], &b"}(h\x00h\x01h\x02K\x07u0"[..]),
        ("events of one shape", b"", b"}\x94(h\x00h\x01h\x02K\x07u0"),
        ("notes of one event", event, b"(h\x03h\x00u"),
        ("segments", b"", b"}(h\x04K\x01h\x02K\x07u0N0"),
        ("blocks", b"", b"}(h\x05K\x01h\x02K\x07u0N0"),
        ("lists of events", event, b"]\x94(h\x06eN0N0N00"),
        ("numbers in the memo", b"K\x01", b"q\x00"),
    ] {
        let pickle = [b"\x80\x04", &texts[..], head, &again.repeat((40 << 20) / again.len())].concat();
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packer, &pickle).unwrap();
        let packed = packer.finish().unwrap();
        drop(pickle);
        let len = packed.len() as u64;
        for expected in [len, 10 * len, 0, u64::MAX] {
            let peak = peak_during(|| {
                let mut decoder = Decoder::new("flood", Limits::default());
                decoder.expect(expected);
                let fed = packed.chunks(1 << 14).try_for_each(|piece| decoder.feed(piece));
                let told = fed.err().map(|error| error.code);
                assert!(matches!(told, None | Some(ErrorCode::TooLarge)), "{name}: {told:?}");
            });
            let most = (64 << 20) + 400 * packed.len();
            assert!(peak < most, "{name}: {} MiB for {len} bytes, of {expected} told", peak >> 20);
        }
    }
}
