//! Nothing that tells where and for whom a program ran is left in the bytes.

use std::collections::BTreeSet;
use std::fs;

use serde_pickle::{HashableValue, Value};
use vramscope_core::model::Snapshot;
use vramscope_core::units::group_digits;
use vramscope_explore::export::Request;
use vramscope_tests::recordings;
use vramscope_tests::script::Script;

use crate::{checked, devices, exported};

fn anonymous() -> Request {
    Request { anonymise: true, ..Request::default() }
}

/// What must not be found: folders, and what the user wrote.
fn private(snapshot: &Snapshot) -> BTreeSet<String> {
    let text = |id| snapshot.strings.get(id).into_owned();
    let mut private = BTreeSet::new();
    for at in 0..snapshot.stacks.n_frames() as u32 {
        let frame = snapshot.stacks.frame(vramscope_core::ids::FrameId(at)).unwrap();
        let path = text(frame.file);
        if let Some(at) = path.rfind(['/', '\\']) {
            private.insert(path[..=at].to_owned());
        }
    }
    for device in &snapshot.devices {
        let notes = device.events.notes.iter().map(|(_, notes)| notes);
        private.extend(
            notes
                .flat_map(|notes| [notes.compile_context, notes.user_metadata, notes.internal_metadata])
                .flatten()
                .map(text),
        );
    }
    private.extend(snapshot.annotations.iter().map(|annotation| text(annotation.name)));
    private
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn no_folder_and_no_text_of_the_user_is_left_in_any_recording() {
    let mut checked_texts = 0;
    for file in recordings::all() {
        let whole = checked(&fs::read(&file.path).unwrap());
        let bytes = exported(&whole, &anonymous());
        let function_names: Vec<String> = (0..whole.snapshot.stacks.n_frames() as u32)
            .map(|at| {
                whole
                    .snapshot
                    .strings
                    .get(whole.snapshot.stacks.frame(vramscope_core::ids::FrameId(at)).unwrap().name)
                    .into_owned()
            })
            .collect();
        for text in private(&whole.snapshot).iter().filter(|text| text.len() > 2) {
            // "forward" may be the name of a range and of a function.
            let also_a_function = || function_names.iter().any(|name| name.contains(text));
            assert!(!holds(&bytes, text) || also_a_function(), "{}: {text:?} is left", file.name);
            checked_texts += 1;
        }
        let copy = checked(&bytes);
        for at in 0..copy.snapshot.stacks.n_frames() as u32 {
            let frame = copy.snapshot.stacks.frame(vramscope_core::ids::FrameId(at)).unwrap();
            assert!(!copy.snapshot.strings.get(frame.file).contains(['/', '\\']), "{}", file.name);
        }
        assert_eq!(copy.snapshot.annotations.len(), whole.snapshot.annotations.len(), "{}", file.name);
        for ((_, before), (_, after)) in devices(&whole).zip(devices(&copy)) {
            let totals = |replay: &vramscope_core::replay::Replay| {
                (replay.end(), replay.requested_at(replay.peak()), replay.reserved_at(replay.end()))
            };
            assert_eq!(totals(after), totals(before), "{}", file.name);
        }
    }
    assert!(checked_texts > 100, "{} texts were looked for", group_digits(checked_texts));
}

#[test]
fn what_a_hostile_or_odd_file_says_goes_too() {
    let text = |text: &str| Value::String(text.into());
    let dict = |pairs: Vec<(&str, Value)>| {
        Value::Dict(
            pairs.into_iter().map(|(key, value)| (HashableValue::String(key.into()), value)).collect(),
        )
    };
    let annotation = |name: &str, stage: &str| {
        dict(vec![
            ("name", text(name)),
            ("stage", text(stage)),
            ("device", Value::I64(0)),
            ("time_us", Value::I64(1_700_000_000_000_005)),
        ])
    };
    let conf = dict(vec![
        ("PYTORCH_CUDA_ALLOC_CONF", text("backend:native")),
        ("expandable_segments", Value::Bool(false)),
    ]);
    let file = Script::default()
        .event("segment_alloc", 1 << 30, 2 << 20)
        .alloc_at(1 << 30, 512, "C:\\Users\\secret\\train.py", 3)
        .alloc_at((1 << 30) + 512, 512, "/srv/secret/lambda.cpp", 4)
        .top("secret", text("secret"))
        .top("allocator_settings", conf)
        .top(
            "external_annotations",
            Value::List(vec![
                annotation("secret 1", "START"),
                annotation("secret 1", "END"),
                annotation("secret 22", "START"),
            ]),
        )
        .pickle();
    let whole = checked(&file);
    let bytes = exported(&whole, &anonymous());
    assert!(!holds(&bytes, "secret") && holds(&bytes, "train.py") && holds(&bytes, "lambda.cpp"));
    let copy = checked(&bytes);
    let names: Vec<_> =
        copy.snapshot.annotations.iter().map(|it| copy.snapshot.strings.get(it.name).into_owned()).collect();
    assert_eq!(names, ["range 1 step 1", "range 1 step 1", "range 1 step 2"]);
}
