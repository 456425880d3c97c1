//! What one frame says of the work it belongs to. Each different frame is looked at once.

use vramscope_core::model::{Frame, FrameKind, Strings};
use vramscope_core::replay::Phase;

use super::Flags;

/// One frame, judged by its file and function.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FrameFacts {
    /// The phase that this function runs in.
    pub(super) phase: Option<Phase>,
    pub(super) flags: Flags,
    /// Forward of DDP makes its buckets, if no frame further in says something else.
    pub(super) makes_buckets_if_innermost: bool,
    /// A function named `backward`: the user's or torch's.
    pub(super) backward: bool,
    /// At the outer end of a stack without native frames: the engine's thread called it.
    pub(super) called_by_engine: bool,
    /// Code of the backward engine.
    pub(super) engine: bool,
}

/// Functions of `module.py` that place a model on a device or load it.
const BUILDING: [&str; 12] = [
    "_apply",
    "to",
    "cuda",
    "half",
    "float",
    "bfloat16",
    "to_empty",
    "load_state_dict",
    "_load_from_state_dict",
    "reset_parameters",
    "register_buffer",
    "convert",
];

const GATHERING: [&str; 6] = [
    "foreach_all_gather",
    "alloc_all_gather_outputs",
    "init_all_gather_outputs",
    "all_gather_copy_in",
    "unshard",
    "foreach_all_gather_copy_out",
];

pub(super) fn frame_facts(frame: &Frame, strings: &Strings) -> FrameFacts {
    let name = strings.get(frame.name);
    if frame.kind(strings) == FrameKind::Cpp {
        return native(&name);
    }
    let file = strings.get(frame.file).replace('\\', "/");
    python(&file, &name)
}

fn python(file: &str, name: &str) -> FrameFacts {
    let mut facts = FrameFacts { flags: Flags::PYTHON, ..FrameFacts::default() };
    facts.backward = matches!(name, "backward" | "_backward_impl");
    facts.called_by_engine = file.contains("/torch/")
        && name != "<module>"
        && !file.contains("/multiprocessing/")
        && (matches!(name, "apply" | "unpack_hook" | "backward") || name.contains("callback"));
    facts.phase = python_phase(file, name, &mut facts.flags);
    facts.makes_buckets_if_innermost = is_ddp(file) && name == "_pre_forward";
    if file.contains("cache_utils") || file.contains("kv_cache") || name.contains("past_key") {
        facts.flags |= Flags::KV_CACHE;
    }
    if file.contains("benchmark") || file.contains("triton_heuristics") {
        facts.flags |= Flags::AUTOTUNE;
    }
    if name == "empty_cache" {
        facts.flags |= Flags::EMPTY_CACHE;
    }
    facts
}

fn python_phase(file: &str, name: &str, flags: &mut Flags) -> Option<Phase> {
    let module = file.ends_with("/torch/nn/modules/module.py");
    if file.contains("/torch/optim/") || (is_optimizer_file(file) && is_optimizer_function(name)) {
        if file.contains("lr_scheduler") {
            return None;
        }
        if matches!(name, "_init_group" | "init_state") {
            *flags |= Flags::OPTIMIZER_INIT;
        }
        return Some(if name == "zero_grad" { Phase::ZeroGrad } else { Phase::Optimizer });
    }
    if file.ends_with("/torch/amp/grad_scaler.py") {
        let scales_the_loss = matches!(name, "scale" | "_lazy_init_scale_growth_tracker");
        return Some(if scales_the_loss { Phase::Forward } else { Phase::Optimizer });
    }
    if file.ends_with("/nn/utils/clip_grad.py") {
        return Some(Phase::Optimizer);
    }
    let in_autograd = file.contains("/torch/autograd/")
        && matches!(name, "backward" | "grad" | "_make_grads" | "_engine_run_backward");
    if in_autograd || (file.ends_with("/torch/_tensor.py") && name == "backward") {
        return Some(Phase::Backward);
    }
    if module && name == "zero_grad" {
        return Some(Phase::ZeroGrad);
    }
    if (module && BUILDING.contains(&name)) || is_loading(file, name) {
        return Some(Phase::Build);
    }
    if file.contains("/torch/distributed/fsdp/") {
        return sharding(name, flags);
    }
    if is_ddp(file)
        && matches!(name, "__init__" | "_ddp_init_helper" | "_sync_module_states" | "_pre_forward")
    {
        if name == "_ddp_init_helper" {
            *flags |= Flags::BUCKET;
        }
        return Some(Phase::Build);
    }
    let called = module && matches!(name, "_call_impl" | "_wrapped_call_impl" | "inner");
    if called || file.ends_with("/torch/nn/functional.py") || name == "forward" {
        *flags |= Flags::FORWARD;
        return Some(Phase::Forward);
    }
    if file.ends_with("/torch/utils/checkpoint.py")
        && matches!(name, "recompute_fn" | "unpack_hook" | "backward")
    {
        *flags |= Flags::RECOMPUTE;
    }
    None
}

fn is_optimizer_file(file: &str) -> bool {
    ["/optim/", "/optimizer/", "/optimizers/", "bitsandbytes/optim", "/apex/optimizers", "/muon"]
        .iter()
        .any(|part| file.contains(part))
}

fn is_optimizer_function(name: &str) -> bool {
    matches!(name, "step" | "zero_grad" | "_init_group" | "init_state")
}

fn is_ddp(file: &str) -> bool {
    file.contains("/nn/parallel/distributed.py")
}

/// Making layers, and reading weights.
fn is_loading(file: &str, name: &str) -> bool {
    (file.contains("/torch/nn/") && matches!(name, "__init__" | "reset_parameters"))
        || file.ends_with("/torch/nn/init.py")
        || file.ends_with("/torch/serialization.py")
        || file.contains("/safetensors/")
        || name == "from_pretrained"
}

fn sharding(name: &str, flags: &mut Flags) -> Option<Phase> {
    if name.contains("reduce") {
        *flags |= Flags::REDUCE;
    } else if GATHERING.contains(&name) {
        *flags |= Flags::ALL_GATHER;
    } else if matches!(name, "_init_sharded_param" | "_init_flat_param") {
        return Some(Phase::Build);
    }
    None
}

fn native(name: &str) -> FrameFacts {
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let mut facts = FrameFacts { flags: Flags::NATIVE, ..FrameFacts::default() };
    if has(&["torch::autograd::Engine::", "PythonEngine::", "THPEngine_run_backward"]) {
        facts.engine = true;
    } else if has(&[
        "Workspace",
        "run_conv_plan",
        "run_single_conv",
        "cudnnGetConv",
        "miopen",
        "cusolver",
        "cufft",
    ]) {
        facts.flags |= Flags::WORKSPACE;
    } else if has(&[
        "c10d::Reducer::initialize_buckets",
        "c10d::Reducer::rebuild_buckets",
        "c10d::Reducer::Reducer",
    ]) {
        facts.flags |= Flags::BUCKET;
    } else if has(&["PyInit_gc", "gc_collect", "PyGC_Collect", "_Py_RunGC", "_Py_HandlePending"]) {
        facts.flags |= Flags::COLLECTOR;
    } else if has(&["_foreach_", "_fused_adam", "_fused_sgd", "_fused_adagrad"]) {
        facts.flags |= Flags::NATIVE_OPTIMIZER;
    } else if has(&["autograd::VariableType::", "autogradNotImplementedFallback"]) {
        facts.flags |= Flags::NATIVE_FORWARD;
    }
    if moves_to_device(name) {
        facts.flags |= Flags::NATIVE_TO;
    }
    if name.contains("emptyCache") {
        facts.flags |= Flags::EMPTY_CACHE;
    }
    facts
}

/// `tensor.cuda()`, `tensor.to()` and the like as native functions; each word ends there.
fn moves_to_device(name: &str) -> bool {
    let ends =
        |rest: &str| rest.bytes().next().is_none_or(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'));
    let after = |word: &str| name.match_indices(word).any(|(at, _)| ends(&name[at + word.len()..]));
    after("dispatch_to")
        || (name.contains("THPVariable_")
            && ["cuda", "to", "copy_", "pin_memory", "float", "half", "bfloat16"].iter().any(|word| {
                name.split("THPVariable_").skip(1).any(|rest| rest.strip_prefix(word).is_some_and(ends))
            }))
}
