//! `wasm-bindgen-test-runner`: runs a wasm test binary in a headless browser, as cargo's runner.

fn main() {
    if let Err(error) = wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(std::env::args_os()) {
        eprintln!("error: {error:?}");
        std::process::exit(1);
    }
}
