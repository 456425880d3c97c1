//! Snapshots as every version of PyTorch shaped them ([`versions`]), out of one small program, and written into every container
//! ([`containers`]) by writers of our own ([`pickles`], [`json`]).

pub mod containers;
pub mod json;
pub mod pickles;
pub mod versions;

use std::collections::HashMap;
use std::rc::Rc;

use vramscope_pickle::{Limits, Reader, Tree, Value};

/// A value of a snapshot. Lists are shared where Python would share them.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum V {
    None,
    Bool(bool),
    /// From −2^63 to 2^64 − 1.
    Int(i128),
    Float(f64),
    Text(String),
    List(Rc<Vec<V>>),
    Tuple(Vec<V>),
    Dict(Vec<(String, V)>),
}

impl V {
    /// A text.
    pub fn text(text: &str) -> V {
        V::Text(text.into())
    }

    /// A list.
    pub fn list(items: impl IntoIterator<Item = V>) -> V {
        V::List(Rc::new(items.into_iter().collect()))
    }

    /// A dict, in this order.
    pub fn dict<const N: usize>(pairs: [(&str, V); N]) -> V {
        V::Dict(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    /// The same dict with one more pair.
    pub fn with(mut self, key: &str, value: V) -> V {
        if let V::Dict(pairs) = &mut self {
            pairs.retain(|(known, _)| known != key);
            pairs.push((key.into(), value));
        }
        self
    }

    /// The same dict without some keys.
    pub fn without(mut self, keys: &[&str]) -> V {
        if let V::Dict(pairs) = &mut self {
            pairs.retain(|(key, _)| !keys.contains(&key.as_str()));
        }
        self
    }
}

/// The value of a pickle, to be written in another way. Lists stay shared.
pub fn from_pickle(bytes: &[u8]) -> V {
    let mut reader = Reader::new(Tree::default(), Limits::default());
    reader.feed(bytes).expect("a sound pickle");
    let (root, tree) = reader.finish().expect("a whole pickle");
    from_tree(root, &tree, &mut HashMap::new())
}

/// Values of recordings are few levels deep, so this may recurse.
fn from_tree(value: Value, tree: &Tree, lists: &mut HashMap<u32, Rc<Vec<V>>>) -> V {
    match value {
        Value::None | Value::Opaque => V::None,
        Value::Bool(bool) => V::Bool(bool),
        Value::Int(int) => V::Int(int.into()),
        Value::Unsigned(int) => V::Int(int.into()),
        Value::Float(float) => V::Float(float),
        Value::Text(text) => V::Text(String::from_utf8_lossy(tree.text_bytes(text)).into_owned()),
        Value::Tuple(tuple) => {
            V::Tuple(tree.items(tuple).iter().map(|item| from_tree(*item, tree, lists)).collect())
        }
        Value::Dict(dict) => {
            let pairs = tree.items(dict).chunks_exact(2).map(|pair| match from_tree(pair[0], tree, lists) {
                V::Text(key) => (key, from_tree(pair[1], tree, lists)),
                key => panic!("a key that is no text: {key:?}"),
            });
            V::Dict(pairs.collect())
        }
        Value::List(list) => {
            if let Some(known) = lists.get(&list) {
                return V::List(Rc::clone(known));
            }
            let items = Rc::new(tree.items(list).iter().map(|item| from_tree(*item, tree, lists)).collect());
            lists.insert(list, Rc::clone(&items));
            V::List(items)
        }
    }
}

/// An event of the default stream.
pub fn event(action: &str, addr: i128, size: i128) -> V {
    V::dict([
        ("action", V::text(action)),
        ("addr", V::Int(addr)),
        ("size", V::Int(size)),
        ("stream", V::Int(0)),
    ])
}

/// A snapshot of one trace, without segments.
pub fn traced(events: impl IntoIterator<Item = V>) -> V {
    V::dict([("segments", V::list([])), ("device_traces", V::list([V::list(events)]))])
}
