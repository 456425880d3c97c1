//! The value stack with its marks. Every access is checked; what is missing is an error with the opcode's name.

use crate::cursor::Halt;
use crate::{ErrorKind, Limits, Value};

pub(crate) struct Stack {
    values: Vec<Value>,
    marks: Vec<usize>,
    limits: Limits,
}

impl Stack {
    pub(crate) fn new(limits: Limits) -> Self {
        Stack { values: Vec::new(), marks: Vec::new(), limits }
    }

    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    #[inline]
    pub(crate) fn push(&mut self, value: Value) -> Result<(), Halt> {
        if self.values.len() == self.values.capacity() {
            self.grow()?;
        }
        self.values.push(value);
        Ok(())
    }

    /// More room, up to the limit: so that one comparison for each value is enough.
    #[cold]
    fn grow(&mut self) -> Result<(), Halt> {
        let len = self.values.len();
        let most = self.limits.max_stack;
        if len >= most {
            return Err(too_many("values on the stack", most));
        }
        self.values.reserve_exact(most.min(2 * len + 64) - len);
        Ok(())
    }

    #[inline]
    pub(crate) fn mark(&mut self) -> Result<(), Halt> {
        if self.marks.len() >= self.limits.max_marks {
            return Err(too_many("open marks", self.limits.max_marks));
        }
        self.marks.push(self.values.len());
        Ok(())
    }

    #[inline]
    pub(crate) fn top(&self, opcode: &'static str) -> Result<Value, Halt> {
        let floor = self.marks.last().copied().unwrap_or(0);
        match self.values.last() {
            Some(&value) if self.values.len() > floor => Ok(value),
            _ => Err(ErrorKind::StackUnderflow { opcode }.into()),
        }
    }

    pub(crate) fn pop(&mut self, opcode: &'static str) -> Result<Value, Halt> {
        let value = self.top(opcode)?;
        self.values.pop();
        Ok(value)
    }

    /// The last `n` values above the last mark.
    pub(crate) fn last(&self, n: usize, opcode: &'static str) -> Result<&[Value], Halt> {
        let floor = self.marks.last().copied().unwrap_or(0);
        let from = self.values.len().checked_sub(n).filter(|from| *from >= floor);
        from.and_then(|from| self.values.get(from..))
            .ok_or_else(|| ErrorKind::StackUnderflow { opcode }.into())
    }

    pub(crate) fn drop_last(&mut self, n: usize) {
        self.values.truncate(self.values.len().saturating_sub(n));
    }

    /// The values above the last mark, and the value below it.
    #[inline]
    pub(crate) fn since_mark(&self, opcode: &'static str) -> Result<(Option<Value>, &[Value]), Halt> {
        let mark = *self.marks.last().ok_or(ErrorKind::NoMark { opcode })?;
        let floor = self.marks.len().checked_sub(2).and_then(|i| self.marks.get(i).copied()).unwrap_or(0);
        let below = mark.checked_sub(1).filter(|at| *at >= floor).and_then(|at| self.values.get(at).copied());
        Ok((below, self.values.get(mark..).unwrap_or_default()))
    }

    #[inline]
    pub(crate) fn drop_to_mark(&mut self) {
        if let Some(mark) = self.marks.pop() {
            self.values.truncate(mark);
        }
    }

    pub(crate) fn pop_mark_or_value(&mut self, opcode: &'static str) -> Result<(), Halt> {
        if self.marks.last() == Some(&self.values.len()) {
            self.marks.pop();
            return Ok(());
        }
        self.pop(opcode).map(|_| ())
    }
}

fn too_many(what: &'static str, limit: usize) -> Halt {
    ErrorKind::Refused { what, limit: limit as u64, found: None }.into()
}
