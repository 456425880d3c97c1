//! Reading ahead: the next pieces of a file come in on a thread of their own while one is decoded.

use std::io::{ErrorKind, Read, Result};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

/// Bytes of a piece: large enough that the system call does not count, small enough to stay in cache.
const PIECE_BYTES: usize = 1 << 20;
/// Pieces read ahead, at most.
const AHEAD: usize = 2;

/// Hands the pieces of `source` to `take`, in order, until it returns an error or the source ends.
///
/// # Errors
/// `take`'s, or what `unreadable` makes of the source's.
pub(crate) fn for_each_piece<E>(
    source: impl Read + Send + 'static,
    unreadable: impl Fn(std::io::Error) -> E,
    mut take: impl FnMut(&[u8]) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let (full, pieces) = sync_channel(AHEAD);
    let (empty, spent) = channel();
    // It ends with the source, or when nobody takes the next piece; a read that hangs must not hold the error back, so nobody waits for it.
    thread::spawn(move || read_pieces(source, &full, &spent));
    for piece in pieces {
        let piece = piece.map_err(&unreadable)?;
        take(&piece)?;
        let _ = empty.send(piece);
    }
    Ok(())
}

fn read_pieces(mut source: impl Read, full: &SyncSender<Result<Vec<u8>>>, spent: &Receiver<Vec<u8>>) {
    loop {
        let mut piece = spent.try_recv().unwrap_or_default();
        piece.resize(PIECE_BYTES, 0);
        let read = match source.read(&mut piece) {
            Ok(0) => return,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read,
        };
        let failed = read.is_err();
        let sent = full.send(read.map(|len| {
            piece.truncate(len);
            piece
        }));
        if sent.is_err() || failed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: impl Read + Send + 'static, until: usize) -> (Vec<u8>, std::result::Result<(), String>) {
        let mut all = Vec::new();
        let ended = for_each_piece(
            source,
            |error| error.to_string(),
            |piece| {
                all.extend_from_slice(piece);
                if all.len() < until { Ok(()) } else { Err("enough".into()) }
            },
        );
        (all, ended)
    }

    #[test]
    fn everything_comes_in_order() {
        let bytes: Vec<u8> = (0..5 * PIECE_BYTES as u32 + 7).map(|n| (n >> 3) as u8).collect();
        assert_eq!(read(std::io::Cursor::new(bytes.clone()), usize::MAX), (bytes, Ok(())));
    }

    #[test]
    fn the_taker_can_stop() {
        let (all, ended) = read(std::io::repeat(1), 3 * PIECE_BYTES);
        assert_eq!((all.len(), ended), (3 * PIECE_BYTES, Err("enough".into())));
    }

    #[test]
    fn a_source_that_fails_is_told() {
        struct Broken(usize);
        impl Read for Broken {
            fn read(&mut self, to: &mut [u8]) -> Result<usize> {
                self.0 += 1;
                to[0] = 5;
                if self.0 < 3 { Ok(1) } else { Err(std::io::Error::other("gone")) }
            }
        }
        assert_eq!(read(Broken(0), usize::MAX), (vec![5, 5], Err("gone".into())));
    }
}
