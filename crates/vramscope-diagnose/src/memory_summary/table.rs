//! The table, as `torch.cuda.memory_summary()` prints it.

use super::{MemorySummary, Pools, Tally};

/// Width of the table between its borders.
const WIDTH: usize = 75;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Size,
    Count,
}

/// Which figures of a row are known.
#[derive(Clone, Copy)]
struct Known {
    all: bool,
    peaks: bool,
    totals: bool,
}

impl MemorySummary {
    /// The table, and notes on what is not known below it.
    pub fn text(&self) -> String {
        let known = Known { all: true, peaks: self.has_history, totals: self.from_the_beginning };
        let sized = Known { all: self.sizes_known, ..known };
        let mut lines = vec![
            "=".repeat(WIDTH),
            format!(" {:16} PyTorch CUDA memory summary, device ID {:<17} ", "", self.device),
            "-".repeat(WIDTH),
            format!("  {:9} CUDA OOMs: {:<12} | {:6} cudaMalloc retries: {:<8}  ", "", self.ooms, "", "–"),
            "=".repeat(WIDTH),
            "        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  ".to_owned(),
        ];
        let rows: [(&str, &Pools, Kind, Known); 9] = [
            ("Allocated memory", &self.allocated_bytes, Kind::Size, sized),
            ("Active memory", &self.active_bytes, Kind::Size, sized),
            ("Requested memory", &self.requested_bytes, Kind::Size, known),
            ("GPU reserved memory", &self.reserved_bytes, Kind::Size, known),
            ("Non-releasable memory", &self.inactive_split_bytes, Kind::Size, sized),
            ("Allocations", &self.allocations, Kind::Count, known),
            ("Active allocs", &self.active, Kind::Count, known),
            ("GPU reserved segments", &self.segments, Kind::Count, known),
            ("Non-releasable allocs", &self.inactive_splits, Kind::Count, sized),
        ];
        for (name, pools, kind, known) in rows {
            lines.push("-".repeat(WIDTH));
            lines.push(row(name, &pools.all, &pools.all, kind, known));
            lines.push(row("      from large pool", &pools.large, &pools.all, kind, known));
            lines.push(row("      from small pool", &pools.small, &pools.all, kind, known));
        }
        let oversize = [
            ("Oversize allocations", &self.oversize_allocations, sized),
            ("Oversize GPU segments", &self.oversize_segments, known),
        ];
        for (name, tally, known) in oversize {
            lines.push("-".repeat(WIDTH));
            lines.push(row(name, tally, tally, Kind::Count, known));
        }
        lines.push("=".repeat(WIDTH));
        let mut text: String = lines.iter().map(|line| format!("|{line}|\n")).collect();
        for note in &self.notes {
            text.push_str(note);
            text.push('\n');
        }
        text
    }
}

/// A row; its units are those of the row over all pools.
fn row(name: &str, own: &Tally, all: &Tally, kind: Kind, known: Known) -> String {
    let cells = [
        (own.current, all.current, known.all),
        (own.peak, all.peak, known.all && known.peaks),
        (own.allocated, all.allocated, known.all && known.totals),
        (own.freed, all.freed, known.all && known.totals),
    ];
    let cells = cells.map(|(value, whole, known)| match (known, kind) {
        (false, _) => format!("{:>6}    ", "–"),
        (true, Kind::Size) => size(value, whole),
        (true, Kind::Count) => number(value, whole),
    });
    format!(" {name:<21} | {} ", cells.join(" | "))
}

/// PyTorch goes to the next unit at 768 of the one before, and rounds down.
fn size(mut bytes: u64, mut whole: u64) -> String {
    let mut unit = "B  ";
    for next in ["KiB", "MiB", "GiB", "TiB", "PiB"] {
        if whole < 768 * 1024 {
            break;
        }
        (unit, bytes, whole) = (next, bytes / 1024, whole / 1024);
    }
    format!("{bytes:>6} {unit}")
}

fn number(mut count: u64, mut whole: u64) -> String {
    let mut unit = " ";
    for next in ["K", "M"] {
        if whole < 750 * 1000 {
            break;
        }
        (unit, count, whole) = (next, count / 1000, whole / 1000);
    }
    format!("{count:>7} {unit} ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_stand_as_pytorch_prints_them() {
        assert_eq!(size(0, 0), "     0 B  ");
        assert_eq!(size(786_431, 786_431), "786431 B  ");
        assert_eq!(size(786_432, 786_432), "   768 KiB");
        assert_eq!(size(5 << 30, 5 << 30), "  5120 MiB");
        assert_eq!(size(1 << 20, 5 << 30), "     1 MiB");
        assert_eq!(number(749_999, 749_999), " 749999   ");
        assert_eq!(number(750_000, 750_000), "    750 K ");
    }

    #[test]
    fn every_line_has_one_width() {
        let text = MemorySummary::default().text();
        let widths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
        assert!(widths.iter().all(|width| *width == WIDTH + 2), "{text}");
        assert!(text.contains("–"), "what is not known is a dash");
    }
}
