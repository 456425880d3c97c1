//! A question as it comes: an object whose fields are read one by one.
//!
//! Not an enum that serde derives: tagged and flattened ones buffer what they read, in a copy of the buffer's code for every variant and every
//! type inside. That was a tenth of the page.

use serde::Deserialize;
use serde::de::Error as _;
use serde_json::{Error, Map, Value};

/// The fields of a JSON object; what is no object has none.
#[derive(Clone, Copy)]
pub struct Fields<'a>(Option<&'a Map<String, Value>>);

static NULL: Value = Value::Null;

impl<'a> Fields<'a> {
    /// Those of a value.
    pub fn of(value: &'a Value) -> Self {
        Self(value.as_object())
    }

    /// A field as it stands.
    pub fn value(self, name: &str) -> Option<&'a Value> {
        self.0?.get(name)
    }

    /// The fields of a field.
    pub fn inside(self, name: &str) -> Self {
        Self(self.value(name).and_then(Value::as_object))
    }

    /// A text; empty if there is none.
    pub fn text(self, name: &str) -> &'a str {
        self.value(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A field that only what is optional may lack; fails if it is missing or of another type.
    pub fn get<T: Deserialize<'a>>(self, name: &'static str) -> Result<T, Error> {
        match self.value(name) {
            Some(value) => T::deserialize(value),
            None => T::deserialize(&NULL).map_err(|_| Error::missing_field(name)),
        }
    }

    /// A field, or what stands for it if it is missing; fails if it is of another type.
    pub fn get_or_default<T: Deserialize<'a> + Default>(self, name: &str) -> Result<T, Error> {
        self.value(name).map_or_else(|| Ok(T::default()), T::deserialize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_by_type() {
        let value = serde_json::json!({ "id": 3, "x": null, "name": "a" });
        let fields = Fields::of(&value);
        assert_eq!(fields.get::<u32>("id").unwrap(), 3);
        assert_eq!(fields.get::<Option<u32>>("id").unwrap(), Some(3));
        assert_eq!(fields.get::<Option<f64>>("x").unwrap(), None);
        assert_eq!(fields.get::<Option<f64>>("y").unwrap(), None);
        assert_eq!(fields.get_or_default::<u32>("y").unwrap(), 0);
        assert_eq!((fields.text("name"), fields.text("id"), fields.text("y")), ("a", "", ""));
        assert!(fields.get::<u32>("name").is_err() && fields.get_or_default::<u32>("x").is_err());
        assert_eq!(fields.get::<u32>("y").unwrap_err().to_string(), "missing field `y`");
        assert!(Fields::of(&NULL).get::<u32>("y").is_err());
    }
}
