//! The command line of [`xtask`].

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use xtask::{bench, ci, page, serve, setup, synth, test};

/// Builds, serves and checks vramscope; installs what that needs.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build the page and serve it on this machine
    Serve {
        /// Port; the next free one if it is taken
        #[arg(long, default_value_t = 8080)]
        port: u16,
        /// Do not open a browser
        #[arg(long)]
        no_open: bool,
    },
    /// Build the page into dist/: a folder for any server, and vramscope.html, the same as one file
    Build,
    /// Run all tests, or one part of them
    Test {
        /// Only this part
        #[arg(long)]
        only: Option<test::Part>,
    },
    /// Everything that must pass before a change lands
    Ci,
    /// Make a recording of many events (or few) by repeating the steps of a real one
    Synth {
        /// At least so many, over all devices; as few more as the recording's steps allow, mostly none
        #[arg(long)]
        events: u64,
        /// A pickle, plain or in gzip, of a loop that has settled; by default one of the project's own
        from: Option<PathBuf>,
        /// The file to write
        #[arg(long)]
        out: PathBuf,
    },
    /// Measure the page and the command line, against what they must be
    Bench(bench::Options),
    /// Install Trunk, wasm-bindgen and the wasm target
    Setup,
    /// Called by Trunk at the end of a build
    #[command(hide = true)]
    FinishPage,
}

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Not by returning it: with RUST_BACKTRACE set, a page of addresses would hide the message.
            let causes: Vec<_> = error.chain().map(ToString::to_string).collect();
            eprintln!("\nerror: {}", causes.join("\n  because: "));
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    match task {
        Task::Serve { port, no_open } => serve::run(port, !no_open),
        Task::Build => page::build(&setup::tools()?),
        Task::Test { only } => test::run(only),
        Task::Ci => ci::run(),
        Task::Synth { events, from, out } => synth::run(events, from.as_deref(), &out),
        Task::Bench(options) => bench::run(&options),
        Task::Setup => setup::tools().map(drop),
        Task::FinishPage => page::finish_in_trunk(),
    }
}
