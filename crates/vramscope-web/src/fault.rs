//! What is thrown: plain objects, the same shape whatever went wrong.

use js_sys::JSON;
use serde::Serialize;
use wasm_bindgen::JsValue;

/// An error as a plain JavaScript object.
pub(crate) fn thrown(error: &impl Serialize) -> JsValue {
    serde_json::to_string(error).ok().and_then(|text| JSON::parse(&text).ok()).unwrap_or(JsValue::NULL)
}

/// A fault of the program, not of the file.
pub(crate) fn internal(cause: &str) -> JsValue {
    thrown(&serde_json::json!({
        "code": "internal",
        "title": "vramscope made a mistake with {name}.",
        "looks_like": "a fault in vramscope, not in the file",
        "at": null,
        "expected": null,
        "found": null,
        "cause": cause,
        "advice": "Reload the page and open the file again. If it happens again, report it with this text.",
        "readable": 0,
    }))
}

/// Reads a request of the page.
pub(crate) fn request<'a, T: serde::Deserialize<'a>>(json: &'a str) -> Result<T, JsValue> {
    serde_json::from_str(json).map_err(|error| unknown(&error))
}

/// A request that is none.
pub(crate) fn unknown(error: &serde_json::Error) -> JsValue {
    internal(&format!("The page asked for something unknown: {error}."))
}

/// An answer as JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<String, JsValue> {
    serde_json::to_string(value).map_err(|error| internal(&error.to_string()))
}
