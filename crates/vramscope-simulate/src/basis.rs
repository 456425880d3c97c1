//! What simulations of a device start from: its requests, the settings and limit that it was recorded under, and how far the allocator model
//! has proved itself on it.

use vramscope_core::allocator::Config;
use vramscope_core::model::DeviceKind;
use vramscope_core::query::summary;
use vramscope_core::replay::model::{LimitRange, proven_limit};
use vramscope_core::replay::requests::{Requests, StepKind};
use vramscope_core::replay::{Recording, Replay};
use vramscope_core::units::{format_bytes, group_digits};

use crate::simulation::Simulated;

/// What simulations of a device start from.
#[derive(Clone, Debug)]
pub struct Basis {
    /// What the program asked for.
    pub requests: Requests,
    /// What it was recorded under. Its limit is the highest that explains the recording.
    pub recorded: Config,
    /// What the recording proves of the limit.
    pub limit: LimitRange,
    /// The most reserved.
    pub reserved_peak_bytes: u64,
    /// The most allocated; `None` unless the model agrees.
    pub allocated_peak_bytes: Option<u64>,
    /// Why the answers are rough; `None` where model and recording agree on every event.
    pub rough: Option<String>,
    /// What was there before the first event keeps its recorded layout.
    pub is_partial: bool,
    /// The program calls `empty_cache()`.
    pub empties: bool,
}

impl Basis {
    /// Of a device whose model has been checked.
    ///
    /// # Errors
    /// Why there is nothing to simulate.
    pub fn of(recording: &Recording, ordinal: i64) -> Result<Basis, String> {
        let (device, replay) = recording.whole_device(ordinal).ok_or("There is no such device.")?;
        let snapshot = &recording.snapshot;
        if matches!(device.kind, DeviceKind::Host | DeviceKind::Cpu) {
            return Err("This memory has another allocator; the model is that of GPUs.".into());
        }
        if device.events.len() < 2 {
            return Err(NO_HISTORY.into());
        }
        let requests = Requests::read(snapshot, device, replay, u32::MAX);
        if requests.count() == 0 {
            return Err(NO_HISTORY.into());
        }
        if requests.start.is_none() {
            return Err("What was there before the first event contradicts itself: segments overlap.".into());
        }
        let limit = match replay.model() {
            Some(model) => model.limit,
            None => proven_limit(snapshot, device, replay),
        };
        let settings = Config::of(snapshot);
        Ok(Basis {
            empties: requests.steps.iter().any(|step| step.kind == StepKind::EmptyCache),
            is_partial: requests.start.as_ref().is_some_and(|start| !start.is_empty()),
            requests,
            recorded: Config { limit_bytes: limit.high_bytes, ..settings },
            limit,
            reserved_peak_bytes: replay.reserved_at(replay.reserved_peak()),
            allocated_peak_bytes: replay.block_peaks().and_then(|(peak, _)| replay.allocated_at(peak)),
            rough: rough(replay),
        })
    }

    /// What must be said beside an answer under settings.
    pub fn notes(&self, config: &Config, found: Option<&Simulated>) -> Vec<String> {
        let mut notes = Vec::new();
        notes.extend(self.rough.clone());
        if config.limit_bytes == self.recorded.limit_bytes {
            notes.extend(self.limit_note());
        }
        if config.garbage_collection_threshold > 0.0 && config.limit_bytes.is_none() {
            notes.push("garbage_collection_threshold does nothing without a memory limit.".into());
        }
        if self.is_partial {
            notes.push("Memory from before the first event keeps its recorded layout.".into());
        }
        if self.empties {
            notes.push(EMPTIES.into());
        }
        let Some(found) = found else { return notes };
        notes.push(match found.orders {
            1 => "Addresses cannot matter here: one number.".into(),
            orders => {
                format!("Which address the driver gives to a segment can matter: {orders} orders were tried.")
            }
        });
        if found.orders_with_oom > 0 && found.orders_with_oom < found.orders {
            notes.push(format!(
                "Whether memory runs out depends on addresses: it does in {} of {} orders.",
                found.orders_with_oom, found.orders
            ));
        }
        if let Some(oom) = found.oom
            && self.requests.first_oom().is_none_or(|step| step.event != oom.event)
        {
            notes.push(format!(
                "The request of event {} was served when recorded: the simulation ends there.",
                group_digits(u64::from(oom.event))
            ));
        }
        notes
    }

    fn limit_note(&self) -> Option<String> {
        let (low, high) = (self.limit.low_bytes, self.limit.high_bytes?);
        Some(match low == high {
            true => format!("The limit of {} follows from the recording.", format_bytes(high)),
            false => format!(
                "No file tells the memory limit. By the recording it lies between {} and {} bytes; the simulation takes the latter, {}.",
                group_digits(low),
                group_digits(high),
                format_bytes(high)
            ),
        })
    }
}

const EMPTIES: &str = "The program calls empty_cache(). Calls that found nothing to give back are not recorded; under other settings they might give something back.";
const NO_HISTORY: &str = "There is no history of allocations to replay. Record with `torch.cuda.memory._record_memory_history()` before the program allocates, then what if can be asked.";

fn rough(replay: &Replay) -> Option<String> {
    match replay.model() {
        None => Some("Rough: the allocator model was not checked on this recording.".into()),
        Some(model) if model.agrees() => None,
        Some(_) => {
            let reason = summary::unknown_reason(replay).unwrap_or_default();
            Some(format!("Rough: the allocator model does not explain this recording. {reason}"))
        }
    }
}
