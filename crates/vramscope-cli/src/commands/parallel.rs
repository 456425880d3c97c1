//! Several files, or other pieces of work, at once; told in the order in which they were given.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;

/// Pieces done at the same time, at most: each takes the memory of its recording.
const MOST_THREADS: usize = 8;

/// Does `work` for each of `items`, on several threads; `tell` gets what came of it in order, each as soon as those before it are told.
pub(crate) fn each<I: Sync, T: Send>(
    items: &[I],
    work: impl Fn(&I) -> T + Sync,
    mut tell: impl FnMut(usize, T),
) {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS).min(items.len());
    let next = AtomicUsize::new(0);
    let (sender, done) = channel();
    thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { return };
                    if sender.send((at, work(item))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting: Vec<Option<T>> = items.iter().map(|_| None).collect();
        let mut told = 0;
        for (at, result) in done {
            waiting[at] = Some(result);
            while let Some(result) = waiting.get_mut(told).and_then(Option::take) {
                tell(told, result);
                told += 1;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    #[test]
    fn the_order_is_that_of_the_files() {
        let files: Vec<String> = (0..20).map(|at| at.to_string()).collect();
        let mut told = Vec::new();
        let slow_first = |file: &String| {
            let at: u64 = file.parse().unwrap();
            std::thread::sleep(Duration::from_millis(20 - at));
            at
        };
        super::each(&files, slow_first, |at, result| told.push((at as u64, result)));
        assert_eq!(told, (0..20).map(|at| (at, at)).collect::<Vec<_>>());
        super::each(&[] as &[u8], |_| (), |_, ()| unreachable!());
    }
}
