//! `vramscope serve`: the viewer on this machine, with files of this machine offered in it.

mod site;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use crate::out;
use crate::viewer;
use site::Site;

/// The viewer on 127.0.0.1, with FILEs offered in it
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Snapshots to offer; they are read when the viewer asks for them, and sent to nobody else
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The port; by default any free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// The address to listen at. Any other than 127.0.0.1 lets other machines in that know the printed address
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// The viewer: the vramscope.html of a build. By default the one beside this program, or in `dist`
    #[arg(long, value_name = "FILE")]
    viewer: Option<PathBuf>,
}

/// Serves until the process is ended.
pub(crate) fn run(args: &Args) -> ExitCode {
    match start(args) {
        Ok((listener, site)) => {
            println!("vramscope is at {}", site.url());
            println!(
                "The address is made anew at each start; it is the key, so do not pass it on. Ctrl-C ends it."
            );
            if !site.is_local() {
                eprintln!(
                    "vramscope: other machines can reach this; what they read is not encrypted on its way"
                );
            }
            accept(&listener, &site);
            ExitCode::SUCCESS
        }
        Err(message) => {
            out::tell(&message);
            ExitCode::from(1)
        }
    }
}

fn start(args: &Args) -> Result<(TcpListener, Arc<Site>), String> {
    let viewer = viewer::text(args.viewer.as_deref())?;
    for file in &args.files {
        let meta = file.metadata().map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
        if !meta.is_file() {
            return Err(format!("{} is a folder; give the snapshot file in it", file.display()));
        }
    }
    let asked = SocketAddr::new(args.bind, args.port);
    let refused =
        |error: io::Error| format!("{asked} cannot be used: {error}; choose another port with --port");
    let listener = TcpListener::bind(asked).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    let mut secret = [0; 16];
    getrandom::fill(&mut secret).map_err(|error| format!("this system gives no random numbers: {error}"))?;
    let token = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((listener, Arc::new(Site::new(&viewer, args.files.clone(), address, token))))
}

fn accept(listener: &TcpListener, site: &Arc<Site>) {
    for stream in listener.incoming().flatten() {
        let site = Arc::clone(site);
        // A browser that leaves in the middle of an answer is no error of ours.
        thread::spawn(move || {
            if let Ok(Some(request)) = vramscope_http::read(&stream) {
                let _ = site.answer(&request).send(&stream, request.method != "HEAD");
            }
        });
    }
}
