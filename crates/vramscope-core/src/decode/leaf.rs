//! Small leaves, converted through JSON: settings and annotations.

use serde_json::{Map, Value};
use vramscope_pickle::Value as Leaf;

use super::builder::SnapshotBuilder;
use super::keys;
use super::record::signed;
use crate::ids::StringId;
use crate::model::{Annotation, Settings, Stage};

/// Deeper or longer leaves are cut off: real settings are two levels deep and have some forty values.
const MAX_DEPTH: usize = 8;
const MAX_VALUES: usize = 10_000;

/// The same with whole floats as integers. Trees are [`MAX_DEPTH`] deep at most.
fn integral(tree: &mut Value) {
    match tree {
        Value::Number(number) => {
            if let Some(float) = number.as_f64().filter(|_| number.is_f64())
                && float.fract() == 0.0
                && float.abs() < 9e15
            {
                *number = (float as i64).into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(integral),
        Value::Object(pairs) => pairs.values_mut().for_each(integral),
        _ => {}
    }
}

impl SnapshotBuilder {
    /// `allocator_settings`. What does not fit the known types is counted and left out.
    pub(super) fn settings(&mut self, value: Leaf) -> Option<Settings> {
        let mut budget = MAX_VALUES;
        let mut tree = self.leaf(value, MAX_DEPTH, &mut budget);
        let read = Settings::of(&tree).or_else(|| {
            // JSON made by other tools may have floats for integers.
            integral(&mut tree);
            Settings::of(&tree)
        });
        if read.is_none() {
            self.warnings.add("unreadable_settings", 1, || {
                "The allocator settings have values of unexpected types and are not shown.".into()
            });
        }
        read
    }

    /// A generic value as JSON, within a depth and a number of values.
    fn leaf(&self, value: Leaf, depth: usize, budget: &mut usize) -> Value {
        if depth == 0 || *budget == 0 {
            return Value::Null;
        }
        *budget -= 1;
        match value {
            Leaf::Bool(bool) => bool.into(),
            Leaf::Int(int) => int.into(),
            Leaf::Float(float) => float.into(),
            Leaf::Text(id) => self.strings.get(StringId(id)).into(),
            Leaf::List(_) | Leaf::Tuple(_) => {
                let items = self.generic(value).iter().map(|item| self.leaf(*item, depth - 1, budget));
                Value::Array(items.collect())
            }
            Leaf::Dict(_) => {
                let pairs = self.generic(value).chunks_exact(2).filter_map(|pair| match *pair {
                    [Leaf::Text(key), value] => {
                        let key = self.strings.get(StringId(key)).into_owned();
                        Some((key, self.leaf(value, depth - 1, budget)))
                    }
                    _ => None,
                });
                // One by one: to collect into a map compiles a sort.
                let mut dict = Map::new();
                for (key, value) in pairs {
                    dict.insert(key, value);
                }
                Value::Object(dict)
            }
            Leaf::Unsigned(_) | Leaf::None | Leaf::Opaque => Value::Null,
        }
    }

    /// `external_annotations`, in file order.
    pub(super) fn annotations(&mut self, value: Leaf) -> Vec<Annotation> {
        let items = self.generic(value).to_vec();
        let annotations: Vec<Annotation> = items.iter().filter_map(|item| self.annotation(*item)).collect();
        self.skipped(items.len() - annotations.len());
        annotations
    }

    fn annotation(&self, item: Leaf) -> Option<Annotation> {
        let field = |wanted| {
            self.generic(item).chunks_exact(2).find_map(|pair| match *pair {
                [Leaf::Text(key), value] if key == wanted => Some(value),
                _ => None,
            })
        };
        let stage = match field(keys::STAGE)? {
            Leaf::Text(keys::START) => Stage::Start,
            Leaf::Text(keys::END) => Stage::End,
            _ => return None,
        };
        let name = match field(keys::NAME)? {
            Leaf::Text(name) => StringId(name),
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
