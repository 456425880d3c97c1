//! One file in one worker: fed piece by piece, then asked and drawn.

use serde::Deserialize;
use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::model::Snapshot;
use vramscope_core::query;
use vramscope_core::replay::Recording;
use vramscope_render::{Colours, View, timeline};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{Clamped, JsValue};

use crate::fault::{internal, json, request, thrown};

/// A file: first being read, then open.
#[wasm_bindgen]
pub struct Session {
    stage: Stage,
}

enum Stage {
    Reading(Box<Decoder>),
    Open(Box<Recording>),
    /// An error took the file away.
    Gone,
}

/// A request for pixels.
#[derive(Deserialize)]
struct DrawRequest {
    #[serde(default)]
    device: i64,
    view: View,
    colours: Colours,
    #[serde(default)]
    selected: Option<u32>,
}

/// The one question that speaks of pixels.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
enum ProbeQuestion {
    Probe { device: i64, view: View, x: f64, y: f64 },
}

#[wasm_bindgen]
impl Session {
    /// Starts to read one file.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str) -> Session {
        Session { stage: Stage::Reading(Box::new(Decoder::new(name, Limits::for_tab()))) }
    }

    /// Takes the next piece of the file; throws the first fault.
    pub fn feed(&mut self, piece: &[u8]) -> Result<(), JsValue> {
        match &mut self.stage {
            Stage::Reading(decoder) => decoder.feed(piece).map_err(|error| thrown(&error)),
            _ => Err(internal("A piece of a file came after its end.")),
        }
    }

    /// How far reading has come: JSON.
    pub fn progress(&self) -> Result<String, JsValue> {
        match &self.stage {
            Stage::Reading(decoder) => json(&decoder.progress()),
            _ => Err(internal("No file is being read.")),
        }
    }

    /// Ends the file and builds what can be asked: JSON `opened`. After a fault, [`Session::finish_readable`] may go on.
    pub fn finish(&mut self) -> Result<String, JsValue> {
        match &mut self.stage {
            Stage::Reading(decoder) => {
                let snapshot = decoder.finish().map_err(|error| thrown(&error))?;
                self.open(snapshot)
            }
            _ => Err(internal("No file is being read.")),
        }
    }

    /// Opens what was read without a fault: JSON `opened`.
    pub fn finish_readable(&mut self) -> Result<String, JsValue> {
        match std::mem::replace(&mut self.stage, Stage::Gone) {
            Stage::Reading(decoder) => self.open(decoder.finish_readable()),
            _ => Err(internal("No file is being read.")),
        }
    }

    fn open(&mut self, snapshot: Snapshot) -> Result<String, JsValue> {
        let recording = Recording::build(snapshot);
        let opened = json(&query::opened(&recording));
        self.stage = Stage::Open(Box::new(recording));
        opened
    }

    /// Answers a question: JSON to JSON.
    pub fn ask(&self, question: &str) -> Result<String, JsValue> {
        let recording = self.recording()?;
        match serde_json::from_str(question) {
            Ok(ProbeQuestion::Probe { device, view, x, y }) => json(&probe(recording, device, &view, x, y)),
            Err(_) => Ok(query::answer(recording, question)),
        }
    }

    /// Paints a picture: RGBA, row by row from the top.
    pub fn draw(&self, picture: &str) -> Result<Clamped<Vec<u8>>, JsValue> {
        let DrawRequest { device, view, colours, selected } = request(picture)?;
        let replay = self.recording()?.device(device).ok_or_else(|| internal("There is no such device."))?.1;
        Ok(Clamped(timeline::paint(replay, &view, &colours, selected).into_rgba()))
    }

    fn recording(&self) -> Result<&Recording, JsValue> {
        match &self.stage {
            Stage::Open(recording) => Ok(recording),
            _ => Err(internal("No file is open.")),
        }
    }
}

/// What is under a pixel: the moment of its column, and the allocation that was painted there.
fn probe(recording: &Recording, device: i64, view: &View, x: f64, y: f64) -> Option<query::Moment> {
    let (_, replay) = recording.device(device)?;
    let hit = timeline::hit(replay, view, x, y);
    query::point(recording, device, hit.moment, hit.run.map(|run| run.from_bytes), view.stacking)
}

/// Bytes of memory this module has taken.
#[wasm_bindgen]
pub fn memory_bytes() -> f64 {
    #[cfg(target_arch = "wasm32")]
    let pages = std::arch::wasm32::memory_size::<0>();
    #[cfg(not(target_arch = "wasm32"))]
    let pages = 0_usize;
    pages as f64 * 65536.0
}
