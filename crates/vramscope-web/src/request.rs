//! A question or a request for pixels, as the page writes it.

use serde::Deserialize;
use serde_json::Value;
use vramscope_core::query::Fields;
use vramscope_core::replay::Filter;
use vramscope_render::icicle::IcicleColours;
use vramscope_render::state::{Selection, StateColours};

use crate::rules::SetRules;

/// Questions that speak of the whole file whatever is filtered. Without this they would undo a filter, and the next question would have to
/// apply it anew.
const UNFILTERED: [&str; 15] = [
    "summary",
    "choices",
    "settings",
    "stack",
    "diagnosis",
    "report",
    "memory_summary",
    "recording_advice",
    "filter_keys",
    "filter_parts",
    "program",
    "what_if",
    "estimates",
    "estimate",
    SET_RULES,
];

/// The only question that changes something.
const SET_RULES: &str = "set_rules";

/// An address as the page writes it: "0x…".
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
struct Address(u64);

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
        match self.fields().value("filter") {
            _ if UNFILTERED.contains(&self.ask()) => Ok(None),
            None | Some(Value::Null) => Ok(Some(Filter::default())),
            Some(filter) => Filter::deserialize(filter).map(Some),
        }
    }

    /// The question's name.
    pub(crate) fn ask(&self) -> &str {
        self.fields().text("ask")
    }

    pub(crate) fn fields(&self) -> Fields<'_> {
        Fields::of(&self.value)
    }

    /// The user's rules, if it brings some.
    pub(crate) fn rules(&self) -> serde_json::Result<Option<SetRules>> {
        (self.ask() == SET_RULES).then(|| SetRules::deserialize(&self.value)).transpose()
    }

    /// A field that holds an address, if any.
    pub(crate) fn address(&self, name: &'static str) -> serde_json::Result<Option<u64>> {
        Ok(self.fields().get::<Option<Address>>(name)?.map(|address| address.0))
    }

    /// The colours of a picture of the state: those of the timeline and its own, side by side.
    pub(crate) fn state_colours(&self) -> serde_json::Result<StateColours> {
        let own = self.fields().inside("colours");
        Ok(StateColours {
            blocks: self.fields().get("colours")?,
            free: own.get("free")?,
            pending: own.get("pending")?,
            rounding: own.get("rounding")?,
            pinned: own.get("pinned")?,
            ink: own.get("ink")?,
        })
    }

    /// The colours of a picture of stacks.
    pub(crate) fn icicle_colours(&self) -> serde_json::Result<IcicleColours> {
        let own = self.fields().inside("colours");
        Ok(IcicleColours {
            blocks: self.fields().get("colours")?,
            several: own.get("several")?,
            several_foot: own.get("several_foot")?,
            hatch: own.get("free")?,
            ink: own.get("ink")?,
        })
    }

    /// What is selected in the state.
    pub(crate) fn selection(&self) -> serde_json::Result<Selection> {
        Ok(Selection { allocation: self.fields().get("selected")?, segment: self.address("segment")? })
    }
}
