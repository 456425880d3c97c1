//! `cargo xtask bench` can still measure everything: a small file, a few of each input, no bounds.

use vramscope_tests::bench::{Found, Options, run};

use crate::recording;

#[test]
fn every_figure_of_the_page_can_be_had() {
    let files = vec![recording("train_sgd")];
    let linear = files.clone();
    let report = run(&Options { files, linear, page: true, brief: true, ..Options::default() });
    let of_file = &report.files[0];
    assert_eq!((of_file.events, report.linear[0].events), (5_044, 5_044));
    for row in of_file.rows.iter().chain(&report.page) {
        // Only Linux tells the memory of a process; pages without a search exist.
        let may_be_missing = row.verdict().word().is_empty();
        match &row.found {
            Found::Nothing(why) => assert!(may_be_missing && !why.is_empty(), "{}: {why}", row.measure.id),
            found => {
                assert!(found.figure().is_some_and(|figure| figure > 0.0), "{}: {found:?}", row.measure.id)
            }
        }
    }
    let missing = |id: &str| {
        of_file.rows.iter().any(|row| row.measure.id == id && matches!(row.found, Found::Nothing(_)))
    };
    for id in [
        "first_paint_ms",
        "ready_ms",
        "worker_mib",
        "full_moved_ms",
        "hundredth_sharp_ms",
        "peak_sharp_ms",
        "state_ms",
    ] {
        assert!(!missing(id), "{id} was not measured:\n{}", report.text());
    }
    assert!(report.markdown().contains("| ready to streaming |"));
    assert_eq!(report.json()["schema"], 1);
}
