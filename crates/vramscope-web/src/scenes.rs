//! The allocator's state at the moment that is looked at, kept for scrolling, hovering and labels.

use vramscope_core::replay::Recording;
use vramscope_render::state::{Scene, StateView};

/// The scene drawn last.
#[derive(Default)]
pub(crate) struct Scenes {
    last: Option<(i64, u32, Scene)>,
}

impl Scenes {
    /// The scene of a view, in its order; `None` for an unknown device.
    pub(crate) fn get(&mut self, recording: &Recording, device: i64, view: &StateView) -> Option<&Scene> {
        let (_, replay) = recording.device(device)?;
        let moment = view.moment.min(replay.end());
        let kept = self.last.take().filter(|(of, at, _)| (*of, *at) == (device, moment));
        let mut scene = kept.map_or_else(|| Scene::at(replay, moment), |(.., scene)| scene);
        scene.colour(replay, view.stacking);
        scene.arrange(view.group, view.sort);
        Some(&self.last.insert((device, moment, scene)).2)
    }

    /// Forgets it: what it was made from has changed.
    pub(crate) fn forget(&mut self) {
        self.last = None;
    }
}
