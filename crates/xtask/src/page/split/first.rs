//! The first part: the module as it was, with stubs for what has moved, and exports for the second part.

use std::convert::Infallible;

use anyhow::Result;
use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{CodeSection, ExportKind, ExportSection, Function, Instruction, Module, TableSection};
use wasmparser::{CodeSectionReader, ExportSectionReader, Parser, TableSectionReader};

use super::source::Source;
use super::{Kind, Plan};

pub fn write(source: &Source<'_>, plan: &Plan) -> Result<Vec<u8>> {
    let mut module = Module::new();
    First { source, plan }.parse_core_module(&mut module, Parser::new(0), source.bytes)?;
    Ok(module.finish())
}

struct First<'a> {
    source: &'a Source<'a>,
    plan: &'a Plan,
}

impl First<'_> {
    /// Calls the function that has moved, through its slot.
    fn stub(&self, index: u32, slot: u32) -> Function {
        let type_index = self.source.functions[index as usize];
        let params = self.source.types[type_index as usize].params().len() as u32;
        let mut stub = Function::new([]);
        for param in 0..params {
            stub.instruction(&Instruction::LocalGet(param));
        }
        stub.instruction(&Instruction::I32Const(slot as i32));
        stub.instruction(&Instruction::CallIndirect { type_index, table_index: 0 });
        stub.instruction(&Instruction::End);
        stub
    }
}

impl Reencode for First<'_> {
    type Error = Infallible;

    fn parse_table_section(
        &mut self,
        tables: &mut TableSection,
        section: TableSectionReader<'_>,
    ) -> Result<(), Error> {
        for (index, table) in section.into_iter().enumerate() {
            let mut table = table?;
            if index == 0 {
                let len = u64::from(self.plan.table_len);
                table.ty.initial = len;
                table.ty.maximum = table.ty.maximum.map(|maximum| maximum.max(len));
            }
            self.parse_table(tables, table)?;
        }
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: ExportSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_export_section(self, exports, section)?;
        let there = |name: &str| self.source.exports.iter().any(|export| export.0 == name);
        for (&(kind, index), name) in self.plan.shared.iter().filter(|(_, name)| !there(name)) {
            let kind = match kind {
                Kind::Function => ExportKind::Func,
                Kind::Table => ExportKind::Table,
                Kind::Memory => ExportKind::Memory,
                Kind::Global => ExportKind::Global,
            };
            exports.export(name, kind, index);
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        _section: CodeSectionReader<'_>,
    ) -> Result<(), Error> {
        for (index, body) in self.source.defined() {
            match (self.plan.moved[index as usize], self.plan.stubs.get(&index)) {
                (false, _) => _ = code.raw(body.as_bytes()),
                (true, Some(&slot)) => _ = code.function(&self.stub(index, slot)),
                (true, None) => {
                    let mut nothing = Function::new([]);
                    nothing.instruction(&Instruction::Unreachable).instruction(&Instruction::End);
                    code.function(&nothing);
                }
            }
        }
        Ok(())
    }

    fn parse_custom_section(
        &mut self,
        module: &mut Module,
        section: wasmparser::CustomSectionReader<'_>,
    ) -> Result<(), Error> {
        module.section(&wasm_encoder::CustomSection {
            name: section.name().into(),
            data: section.data().into(),
        });
        Ok(())
    }
}
