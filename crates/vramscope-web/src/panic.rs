//! The last words of a program that stops.
//!
//! A panic aborts, and arrives in JavaScript as a bare `RuntimeError: unreachable`. The message is kept here, where it
//! can still be read after that, so nothing has to be written to the console.

use std::sync::Mutex;

use wasm_bindgen::prelude::wasm_bindgen;

static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Keeps the message of a panic. Runs once, when the module starts.
#[wasm_bindgen(start)]
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut last) = LAST.try_lock() {
            *last = Some(info.to_string());
        }
    }));
}

/// Where the program panicked and why, if it did.
#[wasm_bindgen]
pub fn last_panic() -> Option<String> {
    LAST.try_lock().ok().and_then(|last| last.clone())
}
