// The page's own wasm. Its glue is a classic script that declares `wasm_bindgen` for all scripts, but not as a property of the window.
/* global wasm_bindgen */

/** @returns {any} what crates/vramscope-web offers to the page, once platform.js is ready */
export const wasm = () => wasm_bindgen;
