//! Snapshots as every version of PyTorch shaped them ([`versions`]), out of one small program, and written into every container
//! ([`containers`]) by writers of our own ([`pickles`], [`json`]).

pub mod containers;
pub mod json;
pub mod pickles;
pub mod versions;

use std::rc::Rc;

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

impl From<i128> for V {
    fn from(int: i128) -> V {
        V::Int(int)
    }
}
