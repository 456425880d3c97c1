//! `vramscope`: the command line of the memory snapshot viewer.

mod bytes;
mod commands;
mod filter;
mod out;
mod pieces;
mod read;
mod viewer;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "vramscope",
    version,
    about = "Reads PyTorch CUDA memory snapshots and tells where the memory went"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Summary(commands::summary::Args),
    Report(commands::report::Args),
    Allocations(commands::allocations::Args),
    Diff(commands::diff::Args),
    State(commands::state::Args),
    Search(commands::search::Args),
    Simulate(commands::simulate::Args),
    OomMessage(commands::oom_message::Args),
    Export(commands::export::Args),
    Page(commands::page::Args),
    Serve(commands::serve::Args),
}

fn main() -> ExitCode {
    // clap ends the process itself: 0 after help, 2 on wrong usage.
    match Cli::parse().command {
        Command::Summary(args) => commands::summary::run(&args),
        Command::Report(args) => commands::report::run(&args),
        Command::Allocations(args) => commands::allocations::run(&args),
        Command::Diff(args) => commands::diff::run(&args),
        Command::State(args) => commands::state::run(&args),
        Command::Search(args) => commands::search::run(&args),
        Command::Simulate(args) => commands::simulate::run(&args),
        Command::OomMessage(args) => commands::oom_message::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Page(args) => commands::page::run(&args),
        Command::Serve(args) => commands::serve::run(&args),
    }
}
