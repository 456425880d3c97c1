//! Small recordings for tests, written as a few steps.

use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::replay::{Category, Labels, Recording, Rule};

/// What happens next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// So many bytes are allocated.
    Alloc(u64),
    /// One of the allocations alive is freed, counted around from the oldest; nothing if none is alive.
    Free(usize),
    /// The driver gives a segment of so many bytes; allocations lie elsewhere, in none.
    Reserve(u64),
    /// One of the segments goes back, counted around from the oldest; nothing if there is none.
    Release(usize),
}

/// The recording of some steps, through a pickle as PyTorch writes it. Events are 3 µs apart; allocations have categories in turn.
pub(crate) fn replayed(steps: &[Step]) -> Recording {
    let mut pickle = Pickle(b"\x80\x02}".to_vec());
    pickle.text("segments");
    pickle.0.extend(b"]s");
    pickle.text("device_traces");
    pickle.0.extend(b"]]");
    let (mut alive, mut reserved, mut n_events) = (Vec::new(), Vec::new(), 0);
    for (at, step) in steps.iter().enumerate() {
        let address = (at as u64 + 1) << 40;
        match *step {
            Step::Alloc(size) => {
                alive.push((address, size));
                pickle.event("alloc", (address, size), &mut n_events);
            }
            Step::Free(which) if !alive.is_empty() => {
                let block = alive.remove(which % alive.len());
                pickle.event("free_requested", block, &mut n_events);
                pickle.event("free_completed", block, &mut n_events);
            }
            Step::Reserve(size) => {
                reserved.push((address, size));
                pickle.event("segment_alloc", (address, size), &mut n_events);
            }
            Step::Release(which) if !reserved.is_empty() => {
                let segment = reserved.remove(which % reserved.len());
                pickle.event("segment_free", segment, &mut n_events);
            }
            Step::Free(_) | Step::Release(_) => {}
        }
    }
    pickle.0.extend(b"as.");
    let mut decoder = Decoder::new("script.pickle", Limits::default());
    decoder.feed(&pickle.0).expect("a sound pickle");
    let mut recording = Recording::build(decoder.finish().expect("a snapshot"));
    let labels = labels(recording.replays[0].allocations().len());
    recording.set_labels(0, labels);
    recording
}

/// Every category, the user's own one too, and none at all for the last allocations.
fn labels(n_allocations: u32) -> Labels {
    let own = Rule { own_name: Some("mine".into()), ..Rule::default() };
    let rules = Category::ALL.map(|category| Rule { category, ..Rule::default() }).into_iter().chain([own]);
    let rule_of = (0..n_allocations.saturating_sub(2)).map(|id| (id * 7 % 10) as u8);
    Labels { rules: rules.collect(), rule_of: rule_of.collect(), ..Labels::default() }
}

struct Pickle(Vec<u8>);

impl Pickle {
    fn text(&mut self, text: &str) {
        self.0.push(b'X');
        self.0.extend((text.len() as u32).to_le_bytes());
        self.0.extend(text.as_bytes());
    }

    fn number(&mut self, key: &str, value: u64) {
        self.text(key);
        self.0.extend(b"\x8a\x08");
        self.0.extend(value.to_le_bytes());
        self.0.push(b's');
    }

    fn event(&mut self, action: &str, (address, size): (u64, u64), n_events: &mut u64) {
        self.0.push(b'}');
        self.text("action");
        self.text(action);
        self.0.push(b's');
        self.number("addr", address);
        self.number("size", size);
        self.number("stream", 0);
        self.number("time_us", 1_700_000_000_000_000 + 3 * *n_events);
        *n_events += 1;
        self.text("frames");
        self.0.extend(b"]s");
        self.0.push(b'a');
    }
}
