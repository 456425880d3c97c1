//! serde-pickle agrees on recordings without stacks (those with stacks it refuses: they share containers).

use std::collections::BTreeMap;

use serde_pickle::{DeOptions, HashableValue, Value};
use vramscope_tests::plain::{Event, plain};
use vramscope_tests::recordings;

type Dict = BTreeMap<HashableValue, Value>;

fn get<'a>(dict: &'a Dict, key: &str) -> Option<&'a Value> {
    dict.get(&HashableValue::String(key.into()))
}

fn dict(value: &Value) -> &Dict {
    match value {
        Value::Dict(dict) => dict,
        other => panic!("expected a dict, found {other}"),
    }
}

fn list(value: &Value) -> &[Value] {
    match value {
        Value::List(list) => list,
        other => panic!("expected a list, found {other}"),
    }
}

fn int(value: &Value) -> u64 {
    match value {
        Value::I64(int) => *int as u64,
        Value::Int(big) => big.to_string().parse().unwrap(),
        other => panic!("expected an integer, found {other}"),
    }
}

fn text(value: &Value) -> &str {
    match value {
        Value::String(text) => text,
        other => panic!("expected a text, found {other}"),
    }
}

fn event(value: &Value) -> Event {
    let event = dict(value);
    let pascal: String = text(get(event, "action").unwrap())
        .split('_')
        .map(|word| word[..1].to_uppercase() + &word[1..])
        .collect();
    let note = |key, none: &str| get(event, key).map(text).filter(|text| !text.is_empty() && *text != none);
    Event {
        action: pascal,
        addr: get(event, "addr").or(get(event, "device_free")).map_or(0, int),
        size: int(get(event, "size").unwrap()),
        stream: int(get(event, "stream").unwrap()),
        time_us: get(event, "time_us").map(|time| int(time) as i64),
        stack: Vec::new(),
        compile_context: note("compile_context", "N/A").map(Into::into),
        user_metadata: note("user_metadata", "").map(Into::into),
        pool: None,
    }
}

#[test]
fn the_oracle_agrees_where_it_can_read() {
    let mut agreed = 0;
    for file in recordings::all().into_iter().filter(|file| file.path.starts_with(recordings::folder())) {
        let bytes = recordings::pickle(&file.name);
        let Ok(Value::Dict(top)) = serde_pickle::value_from_slice(&bytes, DeOptions::new()) else { continue };
        let ours = plain(&recordings::open(&bytes, 1 << 16).unwrap().snapshot);
        let traces = list(get(&top, "device_traces").unwrap());
        for (ordinal, events, segments) in &ours.devices {
            let theirs: Vec<Event> = list(&traces[*ordinal as usize]).iter().map(event).collect();
            assert_eq!(events, &theirs, "{}: events of device {ordinal}", file.name);
            let mut theirs: Vec<(u64, u64, usize)> = list(get(&top, "segments").unwrap())
                .iter()
                .map(dict)
                .filter(|segment| int(get(segment, "device").unwrap()) as i64 == *ordinal)
                .map(|segment| {
                    let field = |key| get(segment, key).unwrap();
                    (int(field("address")), int(field("total_size")), list(field("blocks")).len())
                })
                .collect();
            theirs.sort_unstable();
            let ours: Vec<_> = segments.iter().map(|s| (s.address, s.size, s.blocks.len())).collect();
            assert_eq!(ours, theirs, "{}: segments of device {ordinal}", file.name);
            agreed += 1;
        }
    }
    assert!(agreed > 0, "serde-pickle read none of the recordings");
}
