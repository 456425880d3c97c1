//! One file in one worker: fed piece by piece, then asked and drawn.

use vramscope_core::decode::{Decoder, Limits};
use vramscope_core::model::Snapshot;
use vramscope_core::query;
use vramscope_core::replay::Recording;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{Clamped, JsValue};

use crate::fault::{internal, json, thrown, unknown};
use crate::open::Open;

/// A file: first being read, then open.
#[wasm_bindgen]
pub struct Session {
    stage: Stage,
}

enum Stage {
    Reading(Box<Decoder>),
    Open(Box<Open>),
    /// An error took the file away.
    Gone,
}

#[wasm_bindgen]
impl Session {
    /// Starts to read one file.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str) -> Session {
        Session { stage: Stage::Reading(Box::new(Decoder::new(name, Limits::for_tab()))) }
    }

    /// Tells how long the file is: room is made for it at once.
    pub fn expect(&mut self, size_bytes: f64) {
        if let Stage::Reading(decoder) = &mut self.stage {
            decoder.expect(size_bytes as u64);
        }
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
        let open = Open::new(Recording::build(snapshot));
        let opened = json(&query::opened(open.recording()));
        self.stage = Stage::Open(Box::new(open));
        opened
    }

    /// Goes on checking the allocator model, by about so many events: JSON `{"done", "checked_events", "events"}`.
    pub fn check(&mut self, events: u32) -> Result<String, JsValue> {
        json(&self.opened()?.check(events))
    }

    /// Goes on diagnosing, by a slice: JSON `{"stage", "done", "labels"}`. Asked until it is done, and once more when the check is.
    pub fn diagnose(&mut self) -> Result<String, JsValue> {
        json(&self.opened()?.diagnose())
    }

    /// Answers a question: JSON to JSON.
    pub fn ask(&mut self, question: &str) -> Result<String, JsValue> {
        Ok(self.opened()?.ask(question))
    }

    /// Paints a picture: RGBA, row by row from the top.
    pub fn draw(&mut self, picture: &str) -> Result<Clamped<Vec<u8>>, JsValue> {
        let painted = self.opened()?.draw(picture).map_err(|error| unknown(&error))?;
        painted.map(Clamped).ok_or_else(|| internal("There is no such device."))
    }

    /// Makes a file of what is open: JSON `{"kind":"snapshot"|"perfetto"|"requests","device","events":[from,to]|null,"anonymise":bool}`. Each piece is handed on as it is made.
    pub fn take(&mut self, request: &str, piece: &js_sys::Function) -> Result<(), JsValue> {
        let mut hand_on =
            |bytes: &[u8]| piece.call1(&JsValue::NULL, &js_sys::Uint8Array::from(bytes)).is_ok();
        self.opened()?.take(request, &mut hand_on).map_err(|error| unknown(&error))
    }

    fn opened(&mut self) -> Result<&mut Open, JsValue> {
        match &mut self.stage {
            Stage::Open(open) => Ok(open),
            _ => Err(internal("No file is open.")),
        }
    }
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
