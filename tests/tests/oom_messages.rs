//! Out-of-memory messages in the words of every PyTorch, each number stated by hand; and what is pasted instead of one.

use proptest::prelude::*;
use serde_json::Value;
use vramscope_diagnose::message::{Explanation, Verdict, explain};
use vramscope_tests::recordings;

const GIB: f64 = (1u64 << 30) as f64;
const MIB: f64 = (1u64 << 20) as f64;

/// A text, what it is, its verdict, and every number that it states or that follows: key and bytes.
type Case = (&'static str, &'static str, Verdict, &'static [(&'static str, f64)]);

use Verdict::{CannotTell, Cap, Fragmentation, OtherProcess, TooBig};

/// Messages as people posted them.
const CASES: [Case; 24] = [
    (
        "RuntimeError: CUDA out of memory. Tried to allocate 16.00 GiB (GPU 0; 11.93 GiB total capacity; 4.00 GiB already allocated; 7.33 GiB free; 179.00 KiB cached)",
        "1.0",
        TooBig,
        &[
            ("requested", 16.0 * GIB),
            ("total_capacity", 11.93 * GIB),
            ("allocated", 4.0 * GIB),
            ("device_free", 7.33 * GIB),
            ("reserved_unallocated", 179.0 * 1024.0),
            ("reserved", 4.0 * GIB + 179.0 * 1024.0),
        ],
    ),
    (
        "RuntimeError: CUDA out of memory. Tried to allocate 1024.00 KiB (GPU 0; 11.17 GiB total capacity; 10.90 GiB already allocated; 576.00 KiB free; 30.96 MiB cached)",
        "1.0",
        TooBig,
        &[
            ("requested", MIB),
            ("total_capacity", 11.17 * GIB),
            ("allocated", 10.9 * GIB),
            ("device_free", 576.0 * 1024.0),
            ("reserved_unallocated", 30.96 * MIB),
            ("reserved", 10.9 * GIB + 30.96 * MIB),
        ],
    ),
    (
        "WARNING:root:CUDA out of memory. Tried to allocate 1.72 GiB (GPU 0; 10.76 GiB total capacity; 4.01 GiB already allocated; 356.00 MiB free; 5.54 GiB cached)                      | 1/2538 [00:00<?, ?batch/s]",
        "1.0",
        Fragmentation,
        &[
            ("requested", 1.72 * GIB),
            ("total_capacity", 10.76 * GIB),
            ("allocated", 4.01 * GIB),
            ("device_free", 356.0 * MIB),
            ("reserved_unallocated", 5.54 * GIB),
            ("reserved", 9.55 * GIB),
        ],
    ),
    (
        "RuntimeError: CUDA out of memory. Tried to allocate 8.13 GiB (GPU 0; 10.76 GiB total capacity; 643.57 MiB already allocated; 8.20 GiB free; 32.43 MiB cached)",
        "1.0",
        CannotTell,
        &[
            ("requested", 8.13 * GIB),
            ("total_capacity", 10.76 * GIB),
            ("allocated", 643.57 * MIB),
            ("device_free", 8.2 * GIB),
            ("reserved_unallocated", 32.43 * MIB),
            ("reserved", 676.0 * MIB),
        ],
    ),
    (
        "RuntimeError: CUDA out of memory. Tried to allocate 92.00 MiB (GPU 0; 1.96 GiB total capacity; 1.46 GiB already allocated; 16.38 MiB free; 1.51 GiB reserved in total by PyTorch",
        "1.4",
        TooBig,
        &[
            ("requested", 92.0 * MIB),
            ("total_capacity", 1.96 * GIB),
            ("allocated", 1.46 * GIB),
            ("device_free", 16.38 * MIB),
            ("reserved", 1.51 * GIB),
            ("reserved_unallocated", 0.05 * GIB),
        ],
    ),
    (
        "CUDA out of memory. Tried to allocate 10.84 GiB (GPU 0; 23.65 GiB total capacity; 1.06 GiB already allocated; 10.26 GiB free; 12.53 GiB reserved in total by PyTorch)",
        "1.4",
        Fragmentation,
        &[
            ("requested", 10.84 * GIB),
            ("total_capacity", 23.65 * GIB),
            ("allocated", 1.06 * GIB),
            ("device_free", 10.26 * GIB),
            ("reserved", 12.53 * GIB),
            ("reserved_unallocated", 11.47 * GIB),
        ],
    ),
    (
        "RuntimeError: CUDA out of memory. Tried to allocate 2.00 MiB (GPU 0; 6.00 GiB total capacity; 4.88 GiB already allocated; 0 bytes free; 4.96 GiB reserved in total by PyTorch)",
        "1.4",
        TooBig,
        &[
            ("requested", 2.0 * MIB),
            ("total_capacity", 6.0 * GIB),
            ("allocated", 4.88 * GIB),
            ("device_free", 0.0),
            ("reserved", 4.96 * GIB),
            ("reserved_unallocated", 0.08 * GIB),
        ],
    ),
    (
        "RuntimeError: CUDA out of memory. Tried to allocate 1.65 GiB (GPU 1; 7.79 GiB total capacity; 3.53 GiB already allocated; 1.40 GiB free; 5.28 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF",
        "1.4",
        Fragmentation,
        &[
            ("requested", 1.65 * GIB),
            ("total_capacity", 7.79 * GIB),
            ("allocated", 3.53 * GIB),
            ("device_free", 1.4 * GIB),
            ("reserved", 5.28 * GIB),
            ("reserved_unallocated", 1.75 * GIB),
        ],
    ),
    (
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 96.00 MiB (GPU 0; 11.91 GiB total capacity; 4.70 GiB already allocated; 6.91 GiB free; 4.77 GiB allowed; 4.74 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.",
        "1.4",
        Cap,
        &[
            ("requested", 96.0 * MIB),
            ("total_capacity", 11.91 * GIB),
            ("allocated", 4.7 * GIB),
            ("device_free", 6.91 * GIB),
            ("allowed", 4.77 * GIB),
            ("reserved", 4.74 * GIB),
            ("reserved_unallocated", 0.04 * GIB),
        ],
    ),
    (
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 496.00 MiB. GPU 0 has a total capacty of 14.75 GiB of which 235.06 MiB is free. Process 20398 has 14.52 GiB memory in use. Of the allocated memory 14.06 GiB is allocated by PyTorch, and 330.42 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF",
        "2.x",
        TooBig,
        &[
            ("requested", 496.0 * MIB),
            ("total_capacity", 14.75 * GIB),
            ("device_free", 235.06 * MIB),
            ("allocated", 14.06 * GIB),
            ("reserved_unallocated", 330.42 * MIB),
            ("reserved", 14.06 * GIB + 330.42 * MIB),
            ("process_in_use", 14.52 * GIB),
            ("outside_pytorch", 0.46 * GIB - 330.42 * MIB),
            ("other_processes", 0.0),
        ],
    ),
    (
        "CUDA out of memory. Tried to allocate 27.12 GiB. GPU 0 has a total capacty of 11.99 GiB of which 0 bytes is free. Of the allocated memory 16.16 GiB is allocated by PyTorch, and 144.59 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting max_split_size_mb to avoid fragmentation.",
        "2.x",
        TooBig,
        &[
            ("requested", 27.12 * GIB),
            ("total_capacity", 11.99 * GIB),
            ("device_free", 0.0),
            ("allocated", 16.16 * GIB),
            ("reserved_unallocated", 144.59 * MIB),
            ("reserved", 16.16 * GIB + 144.59 * MIB),
        ],
    ),
    (
        "(OutOfMemoryError) CUDA out of memory. Tried to allocate 64.00 MiB. GPU 0 has a total capacty of 79.15 GiB of which 38.09 GiB is free. Including non-PyTorch memory, this process has 41.06 GiB memory in use. Of the allocated memory 39.10 GiB is allocated by PyTorch, and 427.46 MiB is reserved by PyTorch but unallocated.",
        "2.x",
        CannotTell,
        &[
            ("requested", 64.0 * MIB),
            ("total_capacity", 79.15 * GIB),
            ("device_free", 38.09 * GIB),
            ("process_in_use", 41.06 * GIB),
            ("allocated", 39.1 * GIB),
            ("reserved_unallocated", 427.46 * MIB),
            ("reserved", 39.1 * GIB + 427.46 * MIB),
            ("outside_pytorch", 1.96 * GIB - 427.46 * MIB),
        ],
    ),
    (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 270.00 MiB. GPU 0 has a total capacity of 21.67 GiB of which 255.75 MiB is free. Process 2109 has 344.00 MiB memory in use. Process 1448259 has 21.07 GiB memory in use. Of the allocated memory 20.08 GiB is allocated by PyTorch, with 328.00 MiB allocated in private pools (e.g., CUDA Graphs), and 56.49 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
        "2.x",
        TooBig,
        &[
            ("requested", 270.0 * MIB),
            ("total_capacity", 21.67 * GIB),
            ("device_free", 255.75 * MIB),
            ("allocated", 20.08 * GIB),
            ("private_pools", 328.0 * MIB),
            ("reserved_unallocated", 56.49 * MIB),
            ("other_processes", 344.0 * MIB),
            ("process_in_use", 21.07 * GIB),
            ("reserved", 20.08 * GIB + 56.49 * MIB),
            ("outside_pytorch", 0.99 * GIB - 56.49 * MIB),
        ],
    ),
    (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 112.89 GiB. GPU 0 has a total capacity of 79.14 GiB of which 58.59 GiB is free. Process 4078482 has 11.29 GiB memory in use. Including non-PyTorch memory, this process has 9.25 GiB memory in use. Of the allocated memory 8.27 GiB is allocated by PyTorch, and 500.38 MiB is reserved by PyTorch but unallocated.",
        "2.x",
        TooBig,
        &[
            ("requested", 112.89 * GIB),
            ("total_capacity", 79.14 * GIB),
            ("device_free", 58.59 * GIB),
            ("other_processes", 11.29 * GIB),
            ("process_in_use", 9.25 * GIB),
            ("allocated", 8.27 * GIB),
            ("reserved_unallocated", 500.38 * MIB),
            ("reserved", 8.27 * GIB + 500.38 * MIB),
            ("outside_pytorch", 0.98 * GIB - 500.38 * MIB),
        ],
    ),
    (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 13535.27 GiB. GPU 0 has a total capacity of 79.14 GiB of which 61.76 GiB is free. Including non-PyTorch memory, this process has 17.37 GiB memory in use. Of the allocated memory 14.34 GiB is allocated by PyTorch, and 2.53 GiB is reserved by PyTorch but unallocated.",
        "2.x",
        TooBig,
        &[
            ("requested", 13535.27 * GIB),
            ("total_capacity", 79.14 * GIB),
            ("reserved", 16.87 * GIB),
            ("device_free", 61.76 * GIB),
            ("process_in_use", 17.37 * GIB),
            ("allocated", 14.34 * GIB),
            ("reserved_unallocated", 2.53 * GIB),
            ("outside_pytorch", 0.5 * GIB),
        ],
    ),
    (
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 MiB. GPU 0 has a total capacity of 255.98 GiB of which 244.65 GiB is free. 1.05 GiB allowed; Of the allocated memory 1017.01 MiB is allocated by PyTorch, with 17.00 MiB allocated in private pools (e.g., HIP Graphs), and 54.99 MiB is reserved by PyTorch but unallocated.",
        "2.x",
        Cap,
        &[
            ("requested", 2.0 * MIB),
            ("total_capacity", 255.98 * GIB),
            ("device_free", 244.65 * GIB),
            ("allowed", 1.05 * GIB),
            ("allocated", 1017.01 * MIB),
            ("private_pools", 17.0 * MIB),
            ("reserved_unallocated", 54.99 * MIB),
            ("reserved", 1072.0 * MIB),
        ],
    ),
    (
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 1.88 GiB. GPU 0 has a total capacity of 23.98 GiB of which 1.70 GiB is free. Of the allocated memory 21.65 GiB is allocated by PyTorch, and 279.78 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_HIP_ALLOC_CONF=expandable_segments:True to avoid fragmentation.",
        "2.x",
        TooBig,
        &[
            ("requested", 1.88 * GIB),
            ("total_capacity", 23.98 * GIB),
            ("device_free", 1.7 * GIB),
            ("allocated", 21.65 * GIB),
            ("reserved_unallocated", 279.78 * MIB),
            ("reserved", 21.65 * GIB + 279.78 * MIB),
        ],
    ),
    (
        "torch.OutOfMemoryError: XPU out of memory. Tried to allocate 8.11 GiB. GPU 0 has a total capacity of 16.54 GiB of which 16.54 GiB is free. 8.27 GiB allowed; Of the allocated memory 0 bytes is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated. Please use `empty_cache` to release all unoccupied cached memory.",
        "xpu",
        CannotTell,
        &[
            ("requested", 8.11 * GIB),
            ("total_capacity", 16.54 * GIB),
            ("device_free", 16.54 * GIB),
            ("allowed", 8.27 * GIB),
            ("allocated", 0.0),
            ("reserved_unallocated", 0.0),
            ("reserved", 0.0),
        ],
    ),
    (
        "RuntimeError: XPU out of memory. Tried to allocate 1.71 GiB (GPU 0; 15.56 GiB total capacity; 176.00 MiB already allocated; 176.00 MiB reserved in total by PyTorch)",
        "xpu",
        CannotTell,
        &[
            ("requested", 1.71 * GIB),
            ("total_capacity", 15.56 * GIB),
            ("allocated", 176.0 * MIB),
            ("reserved", 176.0 * MIB),
            ("reserved_unallocated", 0.0),
        ],
    ),
    (
        "RuntimeError: MPS backend out of memory (MPS allocated: 5.56 GB, other allocations: 1.10 GB, max allowed: 6.80 GB). Tried to allocate 768.00 MB on private pool. Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0",
        "mps",
        TooBig,
        &[
            ("requested", 768.0 * MIB),
            ("allowed", 6.8 * GIB),
            ("allocated", 5.56 * GIB),
            ("outside_pytorch", 1.1 * GIB),
        ],
    ),
    (
        "MPS backend out of memory (MPS allocated: 16.00 GiB, other allocations: 3.31 GiB, max allowed: 18.13 GiB). Tried to allocate 256 bytes on shared pool. Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit for memory allocations (may cause system failure).",
        "mps",
        TooBig,
        &[
            ("requested", 256.0),
            ("allowed", 18.13 * GIB),
            ("allocated", 16.0 * GIB),
            ("outside_pytorch", 3.31 * GIB),
        ],
    ),
    (
        "RuntimeError: [enforce fail at alloc_cpu.cpp:73] . DefaultCPUAllocator: can't allocate memory: you tried to allocate 116813856768 bytes. Error code 12 (Cannot allocate memory)",
        "cpu",
        TooBig,
        &[("requested", 116_813_856_768.0)],
    ),
    (
        "RuntimeError: [enforce fail at CPUAllocator.cpp:73] data. DefaultCPUAllocator: not enough memory: you tried to allocate 473909280 bytes. Buy new RAM!",
        "cpu",
        TooBig,
        &[("requested", 473_909_280.0)],
    ),
    (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 23.69 GiB of which 10.81 MiB is free. Process 1234 has 15.00 GiB memory in use. Including non-PyTorch memory, this process has 8.66 GiB memory in use. Of the allocated memory 8.10 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.",
        "2.x",
        OtherProcess,
        &[
            ("requested", 2.0 * GIB),
            ("total_capacity", 23.69 * GIB),
            ("device_free", 10.81 * MIB),
            ("other_processes", 15.0 * GIB),
            ("process_in_use", 8.66 * GIB),
            ("allocated", 8.1 * GIB),
            ("reserved_unallocated", 100.0 * MIB),
            ("reserved", 8.1 * GIB + 100.0 * MIB),
            ("outside_pytorch", 0.56 * GIB - 100.0 * MIB),
        ],
    ),
];

fn bytes(explanation: &Explanation, key: &str) -> Option<u64> {
    explanation.numbers.iter().find(|number| number.key == key)?.bytes
}

fn check(text: &str, (_, kind, verdict, numbers): &Case) {
    let told = explain(text);
    assert_eq!((told.recognised, told.kind, told.verdict), (true, *kind, *verdict), "{text}\n{told:#?}");
    for (key, wanted) in *numbers {
        let found = bytes(&told, key).unwrap_or_else(|| panic!("{key} in {text}\n{told:#?}"));
        assert!(
            (found as f64 - wanted).abs() <= 2.0 + wanted * 1e-6,
            "{key}: {found} for {wanted} in {text}"
        );
    }
    let extra = told.numbers.iter().find(|number| numbers.iter().all(|(key, _)| *key != number.key));
    assert!(extra.is_none(), "not stated: {extra:?} in {text}");
    assert!(!told.sentence.is_empty() && !told.advice.is_empty() && told.help.is_none());
    if let Some(bar) = &told.bar {
        let sum: u64 = bar.parts.iter().map(|part| part.bytes).sum();
        assert_eq!(sum, bar.total_bytes, "{text}\n{bar:?}");
    }
}

#[test]
fn every_wording_states_its_numbers() {
    for case in &CASES {
        check(case.0, case);
    }
}

/// A space can become a line end, a prefix, a colour; a line can end within a word.
#[test]
fn wraps_prefixes_and_colours_change_nothing() {
    for case in &CASES {
        let words = case.0.split(' ').collect::<Vec<_>>();
        let wrapped = |every: usize, between: &str| {
            let lines: Vec<_> = words.chunks(every).map(|line| line.join(" ")).collect();
            lines.join(between)
        };
        for every in [2, 3, 5, 8] {
            check(&wrapped(every, "\n"), case);
            check(&wrapped(every, "\r\n"), case);
            check(&format!("[rank3]: {}", wrapped(every, "\n[rank3]: ")), case);
            check(
                &format!("2025-11-12T11:25:13.4961658Z {}", wrapped(every, "\n2025-11-12T11:25:14.1Z ")),
                case,
            );
            check(&wrapped(every, "\u{1b}[0m\n\u{1b}[36m(TaskRunner pid=3860829)\u{1b}[0m "), case);
        }
        let hard: Vec<_> =
            case.0.as_bytes().chunks(37).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
        check(&hard.join("\n"), case);
    }
}

#[test]
fn in_a_log_the_last_message_counts_and_its_line_is_named() {
    let log = "\
[rank0]: Traceback (most recent call last):\n\
[rank0]:   File \"train.py\", line 7, in old\n\
[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 0 bytes is free.\n\
[rank1]: Traceback (most recent call last):\n\
[rank1]:   File \"/data/train.py\", line 60, in step\n\
[rank1]:     loss = model(batch)\n\
[rank0]:   File \"other.py\", line 1, in elsewhere\n\
[rank1]:   File \"/usr/lib/python3/dist-packages/torch/nn/modules/module.py\", line 1736, in _wrapped_call_impl\n\
[rank1]:     return self._call_impl(*args, **kwargs)\n\
[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of 8.00 GiB of which 0 bytes is free.\n\
[rank1]: Of the allocated memory 7.00 GiB is allocated by PyTorch, and 10.00 MiB is reserved by PyTorch but unallocated.\n\
torchrun: exit code 1\n\
torch.OutOfMemoryError: CUDA out of memory. Tried to alloc";
    let told = explain(log);
    assert_eq!(
        (told.messages, bytes(&told, "requested"), told.device.as_deref()),
        (2, Some(2 << 30), Some("GPU 1"))
    );
    let asked = told.asked_by.expect("a frame");
    assert_eq!((asked.file.as_str(), asked.line, asked.name.as_str()), ("/data/train.py", 60, "step"));
    assert_eq!(told.verdict, TooBig);
}

#[test]
fn rich_tracebacks_name_their_line() {
    let log = "╭──── Traceback (most recent call last) ────╮\n│ /srv/app/run.py:31 in fit                 │\n│ ❱ 31     out = net(x)                     │\n╰───────╯\nOutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.76 GiB total capacity; 9.71 GiB already allocated; 5.56 MiB free; 27.30 MiB cached)";
    let asked = explain(log).asked_by.expect("a frame");
    assert_eq!((asked.file.as_str(), asked.line, asked.name.as_str()), ("/srv/app/run.py", 31, "fit"));
}

/// Messages of recordings whose cause is known: fragmentation is told where it was, and nowhere else.
#[test]
fn recorded_messages_agree_with_their_cause() {
    let mut seen = 0;
    for file in std::fs::read_dir(recordings::folder()).unwrap() {
        let path = file.unwrap().path();
        if !path.to_string_lossy().ends_with(".truth.json") {
            continue;
        }
        let truth: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let Some(message) = truth["message"].as_str() else { continue };
        seen += 1;
        let told = explain(message);
        let limit = truth["limit_gib"].as_f64().expect("a limit") * GIB;
        assert!(told.limit_bytes.unwrap().abs_diff(limit as u64) < 1 << 23, "{path:?}");
        assert_eq!(told.verdict == Fragmentation, truth["cause"] == "fragmentation", "{path:?} {told:#?}");
        assert!(matches!(told.verdict, Fragmentation | Cap), "{path:?}: the card had room");
        let asked = truth["oom"]["alloc"].as_u64().unwrap();
        assert!(bytes(&told, "requested").unwrap().abs_diff(asked) < asked / 100, "{path:?}");
        assert_eq!(told.contradictions, Vec::<String>::new(), "{path:?}");
    }
    assert!(seen >= 10, "only {seen} messages");
}

#[test]
fn numbers_that_contradict_each_other_are_told() {
    let shared = "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.97 GiB. GPU 0 has a total capacity of 63.59 GiB of which 0 bytes is free. Of the allocated memory 107.09 GiB is allocated by PyTorch, with 129.58 MiB allocated in private pools (e.g., CUDA Graphs), and 54.79 MiB is reserved by PyTorch but unallocated.";
    let told = explain(shared);
    assert!(told.contradictions[0].contains("107.1"), "{told:#?}");
    assert!(told.bar.unwrap().total_bytes > 107 << 30);
    let underflow = "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 6.00 GiB of which 0 bytes is free. Including non-PyTorch memory, this process has 17179869184.00 GiB memory in use. Of the allocated memory 5.10 GiB is allocated by PyTorch, and 19.00 MiB is reserved by PyTorch but unallocated.";
    let told = explain(underflow);
    assert_eq!((bytes(&told, "process_in_use"), told.contradictions.len()), (None, 1), "{told:#?}");
}

#[test]
fn messages_without_numbers_are_known_by_their_words() {
    for (text, kind) in [
        (
            "RuntimeError: cuda runtime error (2) : out of memory at /pytorch/aten/src/THC/generic/THCStorage.cu:58",
            "legacy",
        ),
        (
            "THCudaCheck FAIL file=/pytorch/torch/lib/THC/generic/THCStorage.cu line=58 error=2 : out of memory",
            "legacy",
        ),
        (
            "RuntimeError: CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported at some other API call",
            "driver",
        ),
        ("RuntimeError: CUDA driver error: out of memory", "driver"),
        (
            "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
            "cublas",
        ),
        ("RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED", "cudnn"),
        ("node2:24881:25568 [2] include/alloc.h:185 NCCL WARN Failed to CUDA calloc 10485760 bytes", "nccl"),
        ("triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 147456", "triton"),
        (
            "RuntimeError: level_zero backend failed with error: 39 (UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)",
            "xpu",
        ),
        ("torch.OutOfMemoryError: CUDA out of memory.", "unknown"),
    ] {
        let told = explain(text);
        assert_eq!((told.recognised, told.kind), (true, kind), "{text}");
        assert!(told.numbers.is_empty() && !told.advice.is_empty() && told.verdict == CannotTell);
    }
}

#[test]
fn what_is_no_message_is_told_what_it_looks_like() {
    for (text, words) in [
        ("", "nothing"),
        (" \n\t\r\n", "nothing"),
        ("Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: x", "a traceback without"),
        ("/data/run/snapshot.pickle", "the path of a file"),
        ("| NVIDIA-SMI 550.54  Driver Version: 550.54  CUDA Version: 12.4 |", "nvidia-smi"),
        (
            "slurmstepd: error: Detected 1 oom_kill event in StepId=1.batch.",
            "a process that the system ended",
        ),
        ("./run.sh: line 3: 1234 Killed", "a process that the system ended"),
        (
            "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 1073741824 bytes.",
            "another framework",
        ),
        ("ResourceExhaustedError: OOM when allocating tensor with shape[64,512]", "another framework"),
        ("hello", "text without"),
    ] {
        let told = explain(text);
        let help = told.help.expect("help");
        assert!(!told.recognised && told.kind == "none" && told.messages == 0, "{text}");
        assert!(help.looks_like.contains(words), "{text}: {}", help.looks_like);
        assert!(help.example.contains("Tried to allocate"));
    }
}

/// A log of 100 MB is read in the time that finding its last message takes.
#[test]
fn a_huge_log_is_no_work() {
    let line = "step 12345 loss 0.123 lr 1e-4 CUDA out of memory. Tried to al\n";
    let mut log = line.repeat((50 << 20) / line.len());
    log.push_str(CASES[12].0);
    log.push_str(&line.replace("Tried", "tired").repeat((50 << 20) / line.len()));
    let start = std::time::Instant::now();
    let told = explain(&log);
    assert_eq!(bytes(&told, "requested"), Some(270 << 20));
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    /// Pieces of messages in any order, and any characters between them, never stop it.
    #[test]
    fn any_text_is_explained(parts in prop::collection::vec(piece(), 0..24)) {
        let told = explain(&parts.concat());
        prop_assert!(told.recognised != told.help.is_some());
        prop_assert!(serde_json::to_string(&told).is_ok());
        if let Some(bar) = told.bar {
            prop_assert_eq!(bar.parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.bytes)), bar.total_bytes);
        }
    }
}

fn piece() -> impl Strategy<Value = String> {
    let words = CASES
        .iter()
        .flat_map(|case| case.0.split_inclusive(['.', ';', ',']))
        .map(str::to_owned)
        .collect::<Vec<_>>();
    prop_oneof![
        prop::sample::select(words),
        "\\PC{0,12}",
        "[0-9.,]{1,30} ?[KMGT]?i?B",
        "(\r\n|\n|\u{1b}\\[3?[0-9]?m|\\[rank[0-9]\\]: |Process [0-9]{1,25} has )",
        any::<String>(),
    ]
}
