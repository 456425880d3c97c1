//! Bytes over time, in columns of equally many events.

use serde::Serialize;
use vramscope_core::allocator::Statistics;

/// Columns at most: as many as a wide screen has pixels for a chart.
const COLUMNS: u32 = 1024;

/// The most bytes in each column. Column *i* begins at event *i* × events ÷ columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Curve {
    /// Events of the trace.
    pub events: u32,
    /// Bytes held from the driver.
    pub reserved_bytes: Vec<u64>,
    /// Bytes of blocks that the program holds.
    pub allocated_bytes: Vec<u64>,
    /// Columns of a whole curve.
    #[serde(skip)]
    columns: u32,
    /// The first event of the column after the last.
    #[serde(skip)]
    next_event: u32,
    /// After the last event noted.
    #[serde(skip)]
    last: (u64, u64),
}

impl Curve {
    pub(crate) fn new(events: u32) -> Curve {
        let columns = events.clamp(1, COLUMNS);
        Curve { events, columns, ..Curve::default() }
    }

    /// What holds after an event.
    #[inline]
    pub(crate) fn note(&mut self, event: u32, statistics: &Statistics) {
        while event >= self.next_event && (self.reserved_bytes.len() as u32) < self.columns {
            self.begin_column();
        }
        self.last = (statistics.reserved.current, statistics.allocated.current);
        if let (Some(reserved), Some(allocated)) =
            (self.reserved_bytes.last_mut(), self.allocated_bytes.last_mut())
        {
            *reserved = self.last.0.max(*reserved);
            *allocated = self.last.1.max(*allocated);
        }
    }

    /// With the columns after the last step, if the run came to the end of the trace: they hold what it left.
    pub(crate) fn finished(&self, came_to_end: bool) -> Curve {
        let mut curve = self.clone();
        while came_to_end && (curve.reserved_bytes.len() as u32) < curve.columns {
            curve.begin_column();
        }
        curve
    }

    fn begin_column(&mut self) {
        self.reserved_bytes.push(self.last.0);
        self.allocated_bytes.push(self.last.1);
        let column = self.reserved_bytes.len() as u64;
        self.next_event = (column * u64::from(self.events)).div_ceil(u64::from(self.columns.max(1))) as u32;
    }
}
