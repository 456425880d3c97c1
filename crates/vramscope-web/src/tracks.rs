//! Simulated runs whose states are looked at.

use serde::Deserialize;
use vramscope_core::allocator::Config;
use vramscope_core::replay::Recording;
use vramscope_core::replay::state::State;
use vramscope_simulate::{Basis, Track};

/// A field `run` of a question or picture: the state is that of a simulated run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct RunWish {
    /// As PyTorch reads them.
    settings: String,
    /// No limit, if none is given.
    limit_bytes: Option<u64>,
}

/// The run that was looked at last.
#[derive(Default)]
pub(crate) struct Tracks {
    basis: Option<(i64, Basis)>,
    track: Option<(RunWish, Track)>,
}

impl Tracks {
    /// The state of a run at a moment; `None` where there is nothing to simulate, and for settings that PyTorch refuses.
    pub(crate) fn state(
        &mut self,
        recording: &Recording,
        device: i64,
        wish: &RunWish,
        moment: u32,
    ) -> Option<State> {
        if self.basis.as_ref().is_none_or(|(of, _)| *of != device) {
            *self = Tracks { basis: Some((device, Basis::of(recording, device).ok()?)), track: None };
        }
        let (_, basis) = self.basis.as_ref()?;
        if self.track.as_ref().is_none_or(|(of, _)| of != wish) {
            let config = Config::parse(&wish.settings).ok()?;
            let config = Config { limit_bytes: wish.limit_bytes, ..config };
            self.track = Some((wish.clone(), Track::new(&basis.requests, config)?));
        }
        let (_, track) = self.track.as_mut()?;
        Some(track.state_at(&basis.requests, moment).0)
    }
}
