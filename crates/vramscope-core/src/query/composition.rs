//! What is alive at a moment, by category.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::event_before;
use crate::replay::stacking::{Stacking, slot_bytes};
use crate::replay::{Category, N_CATEGORIES, N_SLOTS, OWN_SLOT, Recording, Replay};

/// Bytes by category at a moment. `categories` and `own` add up to `requested_bytes`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[allow(missing_docs)]
pub struct Composition {
    pub moment: u32,
    pub event: u32,
    pub requested_bytes: u64,
    /// All unknown before there are labels.
    pub categories: Categories,
    /// Categories that the user named, in the order of the rules.
    pub own: Vec<OwnBytes>,
    /// Slots by category that any allocation of the recording has, from the bottom of the picture.
    pub present: Vec<u8>,
}

/// Bytes of a category that the user named.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[allow(missing_docs)]
pub struct OwnBytes {
    pub name: String,
    pub bytes: u64,
}

/// Bytes of each category, by its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Categories(pub [u64; N_CATEGORIES]);

impl Serialize for Categories {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(N_CATEGORIES))?;
        for (category, bytes) in Category::ALL.iter().zip(self.0) {
            map.serialize_entry(category.name(), &bytes)?;
        }
        map.end()
    }
}

/// What is alive at a moment, by category; `None` for an unknown device.
#[inline]
pub fn composition(recording: &Recording, device: i64, moment: u32) -> Option<Composition> {
    let (_, replay) = recording.device(device)?;
    let moment = moment.min(replay.end());
    let slots = slot_bytes(replay, moment, Stacking::Category);
    let mut categories = Categories::default();
    categories.0.copy_from_slice(&slots[..N_CATEGORIES]);
    Some(Composition {
        moment,
        event: event_before(moment),
        requested_bytes: replay.requested_at(moment),
        categories,
        own: own_bytes(replay, moment),
        present: present(replay),
    })
}

/// Bytes of each name that the user gave.
#[inline]
fn own_bytes(replay: &Replay, moment: u32) -> Vec<OwnBytes> {
    let Some(labels) = replay.labels() else { return Vec::new() };
    let mut named: Vec<OwnBytes> = Vec::new();
    // By rule the place of its name among those.
    let place_of = labels.rules.iter().map(|rule| {
        let name = rule.own_name.as_ref()?;
        Some(named.iter().position(|own| own.name == *name).unwrap_or_else(|| {
            named.push(OwnBytes { name: name.clone(), bytes: 0 });
            named.len() - 1
        }))
    });
    let place_of: Vec<Option<usize>> = place_of.collect();
    if named.is_empty() {
        return named;
    }
    replay.for_each_live(moment, |id| {
        let rule = labels.rule_of.get(id as usize).copied().unwrap_or(0);
        if let Some(Some(place)) = place_of.get(usize::from(rule))
            && let Some(own) = named.get_mut(*place)
        {
            own.bytes = own.bytes.saturating_add(replay.allocations().size_bytes(id));
        }
    });
    named
}

fn present(replay: &Replay) -> Vec<u8> {
    let mut seen = [false; N_SLOTS];
    for slot in replay.category_slots() {
        seen[usize::from(*slot).min(N_SLOTS - 1)] = true;
    }
    // What has no label is unknown.
    let n_unlabelled = replay.allocations().len() as usize
        - replay.category_slots().len().min(replay.allocations().len() as usize);
    seen[Category::Unknown.index()] |= n_unlabelled > 0;
    (0..=OWN_SLOT).filter(|slot| seen[usize::from(*slot)]).collect()
}
