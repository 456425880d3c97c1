//! One allocation as a row: for the page, and for files.

use serde::Serialize;
use vramscope_core::ids::StackId;
use vramscope_core::query::stream_text;

use super::facts::Facts;

/// One allocation, as `allocations --json` lists it.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs)]
pub struct Row<'a> {
    pub id: u32,
    pub address: String,
    pub requested_bytes: u64,
    /// The size of its block where that is the allocator's own.
    pub bytes: Option<u64>,
    /// The same, estimated by rounding where it is not.
    pub block_bytes: u64,
    pub stream: String,
    pub pool: String,
    pub alloc_event: Option<u32>,
    pub free_event: Option<u32>,
    /// Up to the end of the recording.
    pub lived_us: Option<u64>,
    pub lived_events: u32,
    pub alive_at_end: bool,
    /// Or the user's own name for it.
    pub category: &'a str,
    pub slot: u8,
    /// 0 to 1; null before there is a diagnosis.
    pub confidence: Option<f64>,
    pub rule: Option<&'a str>,
    pub phase: Option<&'static str>,
    /// From 0.
    pub step: Option<u32>,
    pub name: &'a str,
    pub at: &'a str,
    pub own: bool,
    /// The stack is that of its free.
    pub of_free: bool,
    pub operator: Option<&'a str>,
    pub stack_id: Option<StackId>,
}

impl<'a> Facts<'a> {
    /// The row of an allocation.
    pub fn row(&self, id: u32) -> Row<'a> {
        let (rows, replay) = (self.rows, self.replay);
        let (start, stack) = (rows.start(id), rows.stack(id));
        let alive_at_end = rows.end(id) > replay.end();
        let (category, slot, rule) = self.category(id);
        let site = self.names.site(self.names.site_of(stack));
        let block_bytes = replay.block_bytes(id);
        Row {
            id,
            address: format!("0x{:x}", rows.address(id)),
            requested_bytes: rows.size_bytes(id),
            bytes: Some(block_bytes).filter(|_| replay.sizes_are_exact(start)),
            block_bytes,
            stream: stream_text(self.recording.snapshot.stream(rows.stream(id))),
            pool: self.pool(id),
            alloc_event: start.checked_sub(1),
            free_event: rows.end(id).checked_sub(1).filter(|_| !alive_at_end),
            lived_us: self.lived_us(id),
            lived_events: self.lived_events(id),
            alive_at_end,
            category,
            slot,
            confidence: rule.map(|rule| f64::from(rule.confidence_percent) / 100.0),
            rule: rule.map(|rule| rule.why.as_str()),
            phase: self.phase(id),
            step: self.step(id),
            name: site.map_or("", |site| &site.name),
            at: site.map_or("", |site| &site.at),
            own: site.is_some_and(|site| site.own),
            of_free: replay.stack_is_of_free(id),
            operator: self.names.operator(self.names.operator_of(stack)),
            stack_id: Some(stack).filter(|stack| *stack != StackId::EMPTY),
        }
    }
}
