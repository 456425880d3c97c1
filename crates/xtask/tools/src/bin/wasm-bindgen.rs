//! `wasm-bindgen`: turns what rustc wrote into the wasm and the glue that the page loads.

fn main() {
    if let Err(error) = wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(std::env::args_os()) {
        eprintln!("error: {error:?}");
        std::process::exit(1);
    }
}
