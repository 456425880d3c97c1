//! `cargo xtask bench`, once everything is built: `bench [--page] [--native] [--python] [--single-file] [--readme] [--json FILE] FILE… [--linear FILE…]`.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use vramscope_tests::bench::{Options, rewrite_readme, run};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut options = Options::default();
    let (mut readme, mut linear, mut json) = (false, false, None);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--page" => options.page = true,
            "--native" => options.native = true,
            "--python" => options.python = true,
            "--single-file" => options.single_file = true,
            "--readme" => readme = true,
            "--linear" => linear = true,
            "--json" => json = args.next().map(PathBuf::from),
            _ if linear => options.linear.push(arg.into()),
            _ => options.files.push(arg.into()),
        }
    }
    let report = run(&options);
    print!("{}", report.text());
    if let Some(file) = json {
        std::fs::write(&file, format!("{:#}\n", report.json()))?;
        println!("\n{}", file.display());
    }
    if readme {
        println!("{}", rewrite_readme(&report.markdown())?.canonicalize()?.display());
    }
    let failures = report.failures();
    if failures > 0 {
        println!("\n{failures} figures are not as they must be.");
    }
    Ok(ExitCode::SUCCESS)
}
