//! Work on several items at once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Does the work for each item on so many threads, and returns the results in the order of the items.
///
/// `each` gets each result in this order, as soon as those before it are there.
pub fn at_once<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut each: impl FnMut(&T, &R),
) -> Vec<R> {
    let (next, work) = (&AtomicUsize::new(0), &work);
    thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..jobs.max(1) {
            let sender = sender.clone();
            scope.spawn(move || {
                let claim = || next.fetch_add(1, Ordering::Relaxed);
                while let Some((at, item)) = Some(claim()).and_then(|at| Some((at, items.get(at)?))) {
                    // The receiver lives as long as the senders.
                    let _ = sender.send((at, work(item)));
                }
            });
        }
        drop(sender);
        let (mut early, mut done) = (BTreeMap::new(), Vec::new());
        for (at, result) in results {
            early.insert(at, result);
            while let (Some(result), Some(item)) = (early.remove(&done.len()), items.get(done.len())) {
                each(item, &result);
                done.push(result);
            }
        }
        done
    })
}

#[cfg(test)]
mod tests {
    use super::at_once;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        let mut seen = Vec::new();
        let doubled = at_once(4, &items, |item| item * 2, |item, result| seen.push((*item, *result)));
        assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert!(seen.iter().map(|(item, _)| item).eq(&items) && seen.iter().all(|(a, b)| a * 2 == *b));
    }
}
