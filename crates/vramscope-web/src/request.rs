//! What the page may ask that speaks of pixels. All else is answered by `vramscope_core::query`.

use serde::Deserialize;
use serde_json::Value;
use vramscope_core::replay::Filter;
use vramscope_render::state::{StateColours, StateView, Towards};
use vramscope_render::{Colours, View};

use crate::rules::SetRules;

/// A question about a picture.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub(crate) enum PixelQuestion {
    Probe {
        device: i64,
        view: View,
        x: f64,
        y: f64,
    },
    StateLayout {
        device: i64,
        view: StateView,
        #[serde(default)]
        selected: Option<u32>,
        #[serde(default)]
        segment: Option<Address>,
    },
    StateProbe {
        device: i64,
        view: StateView,
        x: f64,
        y: f64,
    },
    StatePlace {
        device: i64,
        view: StateView,
        #[serde(default)]
        allocation: Option<u32>,
        #[serde(default)]
        segment: Option<Address>,
    },
    StateNeighbour {
        device: i64,
        view: StateView,
        #[serde(default)]
        address: Option<Address>,
        towards: Towards,
    },
}

/// Their names, as in `ask`.
const PIXEL_QUESTIONS: [&str; 5] = ["probe", "state_layout", "state_probe", "state_place", "state_neighbour"];

/// Questions that speak of the whole file whatever is filtered. Without this they would undo a filter, and the next question would have to
/// apply it anew.
const UNFILTERED: [&str; 5] = ["summary", "choices", "settings", "stack", SET_RULES];

/// The only question that changes something.
const SET_RULES: &str = "set_rules";

/// A request for pixels.
#[derive(Deserialize)]
#[serde(tag = "picture", rename_all = "snake_case")]
pub(crate) enum Picture {
    #[serde(alias = "minimap")]
    Timeline {
        #[serde(default)]
        device: i64,
        view: View,
        colours: Colours,
        #[serde(default)]
        selected: Option<u32>,
    },
    State {
        #[serde(default)]
        device: i64,
        view: StateView,
        colours: StateColours,
        #[serde(default)]
        selected: Option<u32>,
        #[serde(default)]
        segment: Option<Address>,
    },
}

/// An address as the page writes it: "0x…".
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Address(pub(crate) u64);

impl TryFrom<String> for Address {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digits = text.strip_prefix("0x").ok_or_else(|| format!("expected an address, found {text:?}"))?;
        u64::from_str_radix(digits, 16).map(Address).map_err(|error| error.to_string())
    }
}

/// A question or picture, read once.
pub(crate) struct Request {
    value: Value,
}

impl Request {
    pub(crate) fn read(json: &str) -> serde_json::Result<Self> {
        Ok(Self { value: serde_json::from_str(json)? })
    }

    /// Its filter; without one, nothing is left out. `None` if it has no figures that a filter could change.
    pub(crate) fn filter(&self) -> serde_json::Result<Option<Filter>> {
        match self.value.get("filter") {
            _ if UNFILTERED.contains(&self.ask()) => Ok(None),
            None | Some(Value::Null) => Ok(Some(Filter::default())),
            Some(filter) => Filter::deserialize(filter).map(Some),
        }
    }

    fn ask(&self) -> &str {
        self.value.get("ask").and_then(Value::as_str).unwrap_or_default()
    }

    /// The user's rules, if it brings some.
    pub(crate) fn rules(&self) -> serde_json::Result<Option<SetRules>> {
        (self.ask() == SET_RULES).then(|| SetRules::deserialize(&self.value)).transpose()
    }

    /// The question, if it is one about pixels.
    pub(crate) fn pixel_question(self) -> serde_json::Result<Option<PixelQuestion>> {
        match PIXEL_QUESTIONS.contains(&self.ask()) {
            true => serde_json::from_value(self.value).map(Some),
            false => Ok(None),
        }
    }

    /// The picture asked for; the timeline if none is named.
    pub(crate) fn picture(mut self) -> serde_json::Result<Picture> {
        if let Some(fields) = self.value.as_object_mut() {
            fields.entry("picture").or_insert_with(|| "timeline".into());
        }
        serde_json::from_value(self.value)
    }
}
