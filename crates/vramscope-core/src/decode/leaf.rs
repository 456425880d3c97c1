//! Small leaves, converted through serde-pickle's value: settings and annotations.

use std::collections::BTreeMap;

use serde_pickle::{HashableValue, Value as PickleValue};
use vramscope_pickle::Value;

use super::builder::SnapshotBuilder;
use super::keys;
use super::record::signed;
use crate::ids::StringId;
use crate::model::{Annotation, Settings, Stage};

/// Deeper or longer leaves are cut off: real settings are two levels deep and have some forty values.
const MAX_DEPTH: usize = 8;
const MAX_VALUES: usize = 10_000;

/// The same with whole floats as integers. Trees are [`MAX_DEPTH`] deep at most.
fn integral(tree: PickleValue) -> PickleValue {
    match tree {
        PickleValue::F64(float) if float.fract() == 0.0 && float.abs() < 9e15 => {
            PickleValue::I64(float as i64)
        }
        PickleValue::List(items) => PickleValue::List(items.into_iter().map(integral).collect()),
        PickleValue::Dict(mut pairs) => {
            for value in pairs.values_mut() {
                *value = integral(std::mem::replace(value, PickleValue::None));
            }
            PickleValue::Dict(pairs)
        }
        other => other,
    }
}

impl SnapshotBuilder {
    /// `allocator_settings`. What does not fit the known types is counted and left out.
    pub(super) fn settings(&mut self, value: Value) -> Option<Settings> {
        let mut budget = MAX_VALUES;
        let tree = self.leaf(value, MAX_DEPTH, &mut budget);
        // JSON made by other tools may have floats for integers.
        let read =
            serde_pickle::from_value(tree.clone()).or_else(|_| serde_pickle::from_value(integral(tree)));
        match read {
            Ok(settings) => Some(settings),
            Err(_) => {
                self.warnings.add("unreadable_settings", 1, || {
                    "The allocator settings have values of unexpected types and are not shown.".into()
                });
                None
            }
        }
    }

    /// A generic value as serde-pickle's, within a depth and a number of values.
    fn leaf(&self, value: Value, depth: usize, budget: &mut usize) -> PickleValue {
        if depth == 0 || *budget == 0 {
            return PickleValue::None;
        }
        *budget -= 1;
        match value {
            Value::Bool(bool) => PickleValue::Bool(bool),
            Value::Int(int) => PickleValue::I64(int),
            Value::Float(float) => PickleValue::F64(float),
            Value::Text(id) => PickleValue::String(self.strings.get(StringId(id)).into_owned()),
            Value::List(_) | Value::Tuple(_) => {
                let items = self.generic(value).iter().map(|item| self.leaf(*item, depth - 1, budget));
                PickleValue::List(items.collect())
            }
            Value::Dict(_) => {
                let pairs = self.generic(value).chunks_exact(2).filter_map(|pair| match *pair {
                    [Value::Text(key), value] => {
                        let key = HashableValue::String(self.strings.get(StringId(key)).into_owned());
                        Some((key, self.leaf(value, depth - 1, budget)))
                    }
                    _ => None,
                });
                // One by one: to collect into a map compiles a sort.
                let mut dict = BTreeMap::new();
                for (key, value) in pairs {
                    dict.insert(key, value);
                }
                PickleValue::Dict(dict)
            }
            Value::Unsigned(_) | Value::None | Value::Opaque => PickleValue::None,
        }
    }

    /// `external_annotations`, in file order.
    pub(super) fn annotations(&mut self, value: Value) -> Vec<Annotation> {
        let items = self.generic(value).to_vec();
        let annotations: Vec<Annotation> = items.iter().filter_map(|item| self.annotation(*item)).collect();
        self.skipped(items.len() - annotations.len());
        annotations
    }

    fn annotation(&self, item: Value) -> Option<Annotation> {
        let field = |wanted| {
            self.generic(item).chunks_exact(2).find_map(|pair| match *pair {
                [Value::Text(key), value] if key == wanted => Some(value),
                _ => None,
            })
        };
        let stage = match field(keys::STAGE)? {
            Value::Text(keys::START) => Stage::Start,
            Value::Text(keys::END) => Stage::End,
            _ => return None,
        };
        let name = match field(keys::NAME)? {
            Value::Text(name) => StringId(name),
            _ => return None,
        };
        Some(Annotation {
            name,
            stage,
            device: field(keys::DEVICE).and_then(signed).unwrap_or(0),
            time_us: field(keys::TIME_US).and_then(signed).unwrap_or(0),
        })
    }
}
