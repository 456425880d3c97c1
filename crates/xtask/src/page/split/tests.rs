//! Small modules, whole and in two, must say the same. Node runs them: the build needs it anyway.

use std::fs;
use std::process::Command;

use wasm_encoder::{
    CodeSection, ConstExpr, ElementSection, Elements, EntityType, ExportKind, ExportSection, Function,
    FunctionSection, GlobalSection, GlobalType, ImportSection, InstructionSink, MemArg, MemorySection,
    MemoryType, Module, NameMap, NameSection, RefType, TableSection, TableType, TypeSection, ValType,
};

use super::*;

const IMPORTED: [&str; 1] = ["js"];
const DEFINED: [&str; 8] = [
    "stay::run",     // exported, calls more::mixed
    "more::mixed",   // moves; uses the stack, calls back, calls out
    "core::twice",   // only more::mixed calls it: moves with it
    "stay::half",    // exported, called from the second part
    "more::in_slot", // moves; called through the table only
    "stay::by_slot", // exported, calls through the table
    "stay::stack",   // exported, the stack pointer
    "stay::in_slot",
];
const DOUBLE: u32 = 0;
const MIXED: u32 = 2;
const TWICE: u32 = 3;
const HALF: u32 = 4;
const STACK: u32 = 7;

fn function(write: impl FnOnce(&mut InstructionSink<'_>)) -> Function {
    let mut function = Function::new([]);
    write(&mut function.instructions());
    function.instructions().end();
    function
}

fn code() -> CodeSection {
    let at = MemArg { offset: 0, align: 3, memory_index: 0 };
    let mut code = CodeSection::new();
    code.function(&function(|f| {
        _ = f.local_get(0).local_get(1).call(MIXED).f64_const(0.25.into()).f64_add()
    }));
    code.function(&function(|f| {
        f.global_get(0).i32_const(16).i32_sub().global_set(0);
        f.global_get(0).local_get(1).call(HALF).f64_store(at);
        f.global_get(0).f64_load(at).local_get(0).call(DOUBLE).call(TWICE).f64_convert_i64_s().f64_add();
        f.call(STACK).f64_convert_i32_s().f64_add();
        f.global_get(0).i32_const(16).i32_add().global_set(0);
    }));
    code.function(&function(|f| _ = f.local_get(0).local_get(0).i64_add()));
    code.function(&function(|f| _ = f.local_get(0).f64_const(0.5.into()).f64_mul()));
    code.function(&function(|f| _ = f.local_get(0).i32_const(3).i32_mul().call(STACK).i32_add()));
    code.function(&function(|f| _ = f.local_get(1).local_get(0).call_indirect(0, 3)));
    code.function(&function(|f| _ = f.global_get(0)));
    code.function(&function(|f| _ = f.local_get(0).i32_const(1).i32_add()));
    code
}

fn types() -> TypeSection {
    use ValType::{F64, I32, I64};
    let mut types = TypeSection::new();
    for (params, result) in [
        (vec![I64, F64], F64),
        (vec![I64], I64),
        (vec![I32, I32], I32),
        (vec![I32], I32),
        (vec![F64], F64),
        (vec![], I32),
    ] {
        types.ty().function(params, [result]);
    }
    types
}

fn names() -> NameSection {
    let mut map = NameMap::new();
    for (index, name) in (0..).zip(IMPORTED.iter().chain(&DEFINED)) {
        map.append(index, name);
    }
    let mut names = NameSection::new();
    names.functions(&map);
    names
}

fn sample() -> Vec<u8> {
    let mut imports = ImportSection::new();
    imports.import("js", "double", EntityType::Function(1));
    let mut functions = FunctionSection::new();
    for of in [0, 0, 1, 4, 3, 2, 5, 3] {
        functions.function(of);
    }
    let (mut tables, mut memories, mut globals) =
        (TableSection::new(), MemorySection::new(), GlobalSection::new());
    let element_type = RefType::FUNCREF;
    tables.table(TableType { element_type, table64: false, minimum: 2, maximum: Some(2), shared: false });
    memories.memory(MemoryType {
        minimum: 1,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let pointer = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
    globals.global(pointer, &ConstExpr::i32_const(1024));
    let mut exports = ExportSection::new();
    exports.export("memory", ExportKind::Memory, 0);
    for (name, index) in [("run", 1), ("half", HALF), ("by_slot", 6), ("stack", STACK)] {
        exports.export(name, ExportKind::Func, index);
    }
    let mut elements = ElementSection::new();
    elements.active(None, &ConstExpr::i32_const(0), Elements::Functions(vec![8, 5].into()));
    let mut module = Module::new();
    module.section(&types()).section(&imports).section(&functions).section(&tables).section(&memories);
    module.section(&globals).section(&exports).section(&elements).section(&code()).section(&names());
    module.finish()
}

const SIDES: Sides =
    Sides { belongs: |name| name.contains("more::"), may_wait: |_| true, may_be_equal_bytes: 0 };

#[test]
fn what_belongs_moves_with_what_only_it_calls() {
    let module = sample();
    let source = Source::read(&module).unwrap();
    let moved = choose::moved(&source, SIDES);
    let names = source.names.iter().zip(&moved).filter(|(_, moved)| **moved).map(|(name, _)| *name);
    assert_eq!(names.collect::<Vec<_>>(), ["more::mixed", "core::twice", "more::in_slot"]);
    let plan = Plan::new(&source, SIDES).unwrap();
    assert_eq!(plan.stubs, [(MIXED, 2)].into(), "only what is called by what stays, beyond the old slots");
    assert_eq!(plan.table_len, 3);
    // The memory and two functions were exported before; the table, the stack pointer and what comes from outside are now.
    let shared: Vec<&str> = plan.shared.values().map(String::as_str).collect();
    assert_eq!(shared, ["0", "half", "stack", "1", "memory", "2"]);
}

/// The compiler may give what the first part needs the name of something equal in the second.
#[test]
fn what_the_first_part_cannot_wait_for_stays() {
    let module = sample();
    let source = Source::read(&module).unwrap();
    let stays = |sides: Sides| {
        let moved = choose::moved(&source, sides);
        let names = source.names.iter().zip(moved).filter(|(_, moved)| !moved);
        names.map(|(name, _)| *name).collect::<Vec<_>>()
    };
    let called = stays(Sides { may_wait: |_| false, ..SIDES });
    assert!(called.contains(&"more::mixed") && !called.contains(&"more::in_slot"), "{called:?}");
    let small = stays(Sides { may_be_equal_bytes: usize::MAX, ..SIDES });
    assert!(small.contains(&"more::in_slot") && !small.contains(&"more::mixed"), "{small:?}");
}

#[test]
fn the_names_of_functions_stay_in_the_first_part() {
    let parts = split(&sample(), SIDES).unwrap();
    assert_eq!(Source::read(&parts.first).unwrap().names[1..], DEFINED);
    assert!(parts.more.windows(6).all(|bytes| bytes != b"more::"));
}

#[test]
fn a_module_without_such_names_is_refused() {
    assert!(split(&sample(), Sides { belongs: |name| name.contains("other::"), ..SIDES }).is_err());
    assert!(split(&super::super::names::strip(&sample()).unwrap(), SIDES).is_err());
    let module = sample();
    assert!(split(&module[..module.len() / 2], SIDES).is_err());
}

/// Calls the module whole, its first part alone, and both parts.
const SCRIPT: &str = "
const [whole, first, more] = process.argv.slice(1).map((file) => new WebAssembly.Module(require('fs').readFileSync(file)));
const start = (module) => new WebAssembly.Instance(module, { js: { double: (x) => 2n * x } }).exports;
const said = (call) => { try { return String(call()); } catch (error) { return error.constructor.name; } };
const calls = (f) => [() => f.run(3n, 5), () => f.run(-(2n ** 40n), 0.5), () => f.by_slot(0, 7), () => f.by_slot(1, 7), () => f.by_slot(2, 7), f.stack].map(said).join(' ');
const f = start(first);
const alone = calls(f);
new WebAssembly.Instance(more, { f });
console.log([calls(start(whole)), alone, calls(f)].join('\\n'));
";

#[test]
fn both_parts_say_what_the_whole_said() {
    let folder = std::env::temp_dir().join(format!("vramscope-split-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let parts = split(&sample(), SIDES).unwrap();
    let files = [("whole", sample()), ("first", parts.first), ("more", parts.more)].map(|(name, bytes)| {
        let file = folder.join(name);
        fs::write(&file, bytes).unwrap();
        file
    });
    let node = Command::new("node").arg("-e").arg(SCRIPT).args(files).output().expect("node runs");
    fs::remove_dir_all(folder).unwrap();
    let said = String::from_utf8(node.stdout).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    let [whole, alone, both] = lines[..] else { panic!("{said}{}", String::from_utf8_lossy(&node.stderr)) };
    assert_eq!(whole, "1022.75 -4398046510095.5 8 1045 RuntimeError 1024");
    assert_eq!(both, whole);
    assert_eq!(
        alone, "RuntimeError RuntimeError 8 RuntimeError RuntimeError 1024",
        "a call that comes too early traps"
    );
}
