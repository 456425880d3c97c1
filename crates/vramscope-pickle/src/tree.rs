//! The plainest builder: everything in an arena. For tests, small files and as an example.

use crate::{Build, Refusal, Value};

/// Keeps the whole pickle as flat tables. Handles index them.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    texts: Vec<Vec<u8>>,
    containers: Vec<Vec<Value>>,
    /// Items that lists may get again.
    remembered: Vec<Vec<Value>>,
}

impl Tree {
    /// The bytes of a text.
    pub fn text_bytes(&self, text: u32) -> &[u8] {
        self.texts.get(text as usize).map_or(&[], Vec::as_slice)
    }

    /// The items of a list or tuple; of a dict, key, value, key, value.
    pub fn items(&self, container: u32) -> &[Value] {
        self.containers.get(container as usize).map_or(&[], Vec::as_slice)
    }

    /// How many texts and containers there are.
    pub fn len(&self) -> usize {
        self.texts.len() + self.containers.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn add(&mut self, items: Vec<Value>) -> Result<u32, Refusal> {
        self.containers.push(items);
        Ok(self.containers.len() as u32 - 1)
    }

    fn extend(&mut self, container: u32, items: &[Value]) -> Result<(), Refusal> {
        if let Some(known) = self.containers.get_mut(container as usize) {
            known.extend_from_slice(items);
        }
        Ok(())
    }
}

impl Build for Tree {
    fn text(&mut self, utf8: &[u8]) -> Result<u32, Refusal> {
        self.texts.push(utf8.to_vec());
        Ok(self.texts.len() as u32 - 1)
    }

    fn list(&mut self) -> Result<u32, Refusal> {
        self.add(Vec::new())
    }

    fn dict(&mut self) -> Result<u32, Refusal> {
        self.add(Vec::new())
    }

    fn tuple(&mut self, items: &[Value]) -> Result<u32, Refusal> {
        self.add(items.to_vec())
    }

    fn extend_list(&mut self, list: u32, items: &[Value]) -> Result<(), Refusal> {
        self.extend(list, items)
    }

    fn extend_dict(&mut self, dict: u32, pairs: &[Value]) -> Result<(), Refusal> {
        self.extend(dict, pairs)
    }

    fn remember(&mut self, list: u32) -> Option<u32> {
        self.remembered.push(self.items(list).to_vec());
        Some(self.remembered.len() as u32 - 1)
    }

    fn list_again(&mut self, token: u32) -> Result<u32, Refusal> {
        self.add(self.remembered.get(token as usize).cloned().unwrap_or_default())
    }

    fn show(&self, text: u32) -> String {
        String::from_utf8_lossy(self.text_bytes(text)).into_owned()
    }
}
