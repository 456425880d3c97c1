//! The allocator's state at the moment that is looked at, kept for scrolling, hovering and labels: the recorded one, and that of a simulated
//! run beside it.

use vramscope_core::replay::Recording;
use vramscope_render::state::{Scene, StateView};

use crate::tracks::{RunWish, Tracks};

/// The scenes drawn last.
#[derive(Default)]
pub(crate) struct Scenes {
    last: Option<(i64, u32, Scene)>,
    simulated: Option<(i64, u32, RunWish, Scene)>,
    tracks: Tracks,
}

impl Scenes {
    /// The scene of a view, in its order; `None` for an unknown device, and for a run that cannot be simulated.
    pub(crate) fn get(
        &mut self,
        recording: &Recording,
        device: i64,
        view: &StateView,
        run: Option<RunWish>,
    ) -> Option<&Scene> {
        let (_, replay) = recording.device(device)?;
        let moment = view.moment.min(replay.end());
        let scene = match run {
            None => {
                let kept = self.last.take().filter(|(of, at, _)| (*of, *at) == (device, moment));
                let scene = kept.map_or_else(|| Scene::at(replay, moment), |(.., scene)| scene);
                &mut self.last.insert((device, moment, scene)).2
            }
            Some(run) => {
                let is_kept = |(of, at, wish, _): &(i64, u32, RunWish, Scene)| {
                    (*of, *at) == (device, moment) && *wish == run
                };
                let scene = match self.simulated.take().filter(is_kept) {
                    Some((.., scene)) => scene,
                    None => {
                        let state = self.tracks.state(recording, device, &run, moment)?;
                        Scene::new(state, |allocation| replay.slot_of(allocation))
                    }
                };
                &mut self.simulated.insert((device, moment, run, scene)).3
            }
        };
        scene.colour(replay, view.stacking);
        scene.arrange(view.group, view.sort);
        Some(scene)
    }

    /// Forgets them: what they were made from has changed.
    pub(crate) fn forget(&mut self) {
        *self = Scenes::default();
    }
}
