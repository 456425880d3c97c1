//! The module as wasm-bindgen wrote it: its parts, and what each function uses.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail, ensure};
use wasm_encoder::reencode::{self, Reencode};
use wasmparser::{
    ConstExpr, ElementItems, ElementKind, FuncType, FunctionBody, GlobalType, KnownCustom, MemoryType, Name,
    Operator, Parser, Payload, TableType, TypeRef,
};

use super::{Item, Kind};

#[derive(Default)]
pub struct Source<'a> {
    pub bytes: &'a [u8],
    pub types: Vec<FuncType>,
    /// The type of each function, imported ones first.
    pub functions: Vec<u32>,
    pub tables: Vec<TableType>,
    pub memories: Vec<MemoryType>,
    pub globals: Vec<GlobalType>,
    pub exports: Vec<(&'a str, Item)>,
    pub start: Option<u32>,
    /// Functions in the table, by slot.
    pub slots: Vec<(u32, u32)>,
    /// Of each defined function.
    pub bodies: Vec<FunctionBody<'a>>,
    /// Of each function; empty where it has none.
    pub names: Vec<&'a str>,
    uses: Vec<BTreeSet<Item>>,
}

impl<'a> Source<'a> {
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut source = Self { bytes, ..Self::default() };
        for payload in Parser::new(0).parse_all(bytes) {
            source.take(payload?)?;
        }
        source.names.resize(source.functions.len(), "");
        source.uses = source.bodies.iter().map(used).collect::<Result<_>>()?;
        Ok(source)
    }

    /// Bytes of a function's code; 0 of an imported one.
    pub fn body_bytes(&self, index: u32) -> usize {
        let defined = (index as usize).checked_sub(self.imported());
        defined.and_then(|at| self.bodies.get(at)).map_or(0, |body| body.range().len())
    }

    fn take(&mut self, payload: Payload<'a>) -> Result<()> {
        match payload {
            Payload::TypeSection(section) => {
                for group in section.into_iter_err_on_gc_types() {
                    self.types.push(group?);
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    self.import(import?.ty)?;
                }
            }
            Payload::FunctionSection(section) => {
                for function in section {
                    self.functions.push(function?);
                }
            }
            Payload::TableSection(section) => {
                for table in section {
                    self.tables.push(table?.ty);
                }
            }
            Payload::MemorySection(section) => {
                for memory in section {
                    self.memories.push(memory?);
                }
            }
            Payload::GlobalSection(section) => {
                for global in section {
                    self.globals.push(global?.ty);
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export?;
                    let kind = Kind::of(export.kind).context("an export of a kind that is not known")?;
                    self.exports.push((export.name, (kind, export.index)));
                }
            }
            Payload::StartSection { func, .. } => self.start = Some(func),
            Payload::ElementSection(section) => {
                for element in section {
                    let element = element?;
                    self.element(element.kind, element.items)?;
                }
            }
            Payload::CodeSectionEntry(body) => self.bodies.push(body),
            Payload::CustomSection(section) => {
                if let KnownCustom::Name(names) = section.as_known() {
                    for name in names {
                        self.name(name?)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn import(&mut self, import: TypeRef) -> Result<()> {
        match import {
            TypeRef::Func(index) => self.functions.push(index),
            TypeRef::Table(table) => self.tables.push(table),
            TypeRef::Memory(memory) => self.memories.push(memory),
            TypeRef::Global(global) => self.globals.push(global),
            _ => bail!("an import of a kind that is not known"),
        }
        Ok(())
    }

    fn element(&mut self, kind: ElementKind<'a>, items: ElementItems<'a>) -> Result<()> {
        let (
            ElementKind::Active { table_index: None | Some(0), offset_expr },
            ElementItems::Functions(items),
        ) = (kind, items)
        else {
            bail!("only lists of functions for the first table can be split")
        };
        for (slot, function) in (constant(&offset_expr)?..).zip(items) {
            self.slots.push((slot, function?));
        }
        Ok(())
    }

    fn name(&mut self, name: Name<'a>) -> Result<()> {
        if let Name::Function(functions) = name {
            self.names.resize(self.functions.len(), "");
            for function in functions {
                let function = function?;
                let place = self.names.get_mut(function.index as usize);
                *place.context("a name of no function")? = function.name;
            }
        }
        Ok(())
    }

    /// How many functions come from outside; their indices come first.
    pub fn imported(&self) -> usize {
        self.functions.len() - self.bodies.len()
    }

    /// Each defined function, and what it uses.
    pub fn uses(&self) -> impl Iterator<Item = (u32, &BTreeSet<Item>)> {
        (self.imported() as u32..).zip(&self.uses)
    }

    /// Each defined function, and its body.
    pub fn defined(&self) -> impl Iterator<Item = (u32, &FunctionBody<'a>)> {
        (self.imported() as u32..).zip(&self.bodies)
    }

    /// The length of the table of functions.
    pub fn table_len(&self) -> Result<u32> {
        let table = self.tables.first().context("the module has no table")?;
        ensure!(table.element_type.is_func_ref(), "the first table is not that of the functions");
        Ok(u32::try_from(table.initial)?)
    }
}

fn constant(expression: &ConstExpr<'_>) -> Result<u32> {
    match expression.get_operators_reader().read()? {
        Operator::I32Const { value } => Ok(value as u32),
        _ => bail!("a place in the table that is not constant"),
    }
}

fn used(body: &FunctionBody<'_>) -> Result<BTreeSet<Item>> {
    let mut collector = Collector::default();
    let mut reader = body.get_operators_reader()?;
    while !reader.eof() {
        collector.parse_instruction(&mut reader)?;
    }
    Ok(collector.items)
}

/// Goes through a function as if to write it anew, and notes each index.
#[derive(Default)]
struct Collector {
    items: BTreeSet<Item>,
}

impl Collector {
    fn note(&mut self, kind: Kind, index: u32) -> Result<u32, reencode::Error> {
        self.items.insert((kind, index));
        Ok(index)
    }
}

impl Reencode for Collector {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, index: u32) -> Result<u32, reencode::Error> {
        self.note(Kind::Function, index)
    }

    fn table_index(&mut self, index: u32) -> Result<u32, reencode::Error> {
        self.note(Kind::Table, index)
    }

    fn memory_index(&mut self, index: u32) -> Result<u32, reencode::Error> {
        self.note(Kind::Memory, index)
    }

    fn global_index(&mut self, index: u32) -> Result<u32, reencode::Error> {
        self.note(Kind::Global, index)
    }
}
