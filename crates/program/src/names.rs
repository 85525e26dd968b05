//! Interned strings: one text buffer and the end of each string in it.
//!
//! Loading from the cache is two copies; the hash index is rebuilt only when a
//! string is looked up or added.

use crate::Name;
use crate::interned::hash_of;
use hashbrown::HashTable;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Names {
    text: String,
    ends: Vec<u32>,
    #[serde(skip)]
    index: HashTable<u32>,
}

impl Names {
    pub fn intern(&mut self, text: &str) -> Name {
        self.ensure_index();
        let hash = hash_of(text);
        if let Some(&found) = self
            .index
            .find(hash, |&row| slice(&self.text, &self.ends, row) == text)
        {
            return Name(found);
        }
        let row = self.ends.len() as u32;
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        let (text, ends) = (&self.text, &self.ends);
        self.index
            .insert_unique(hash, row, |&row| hash_of(slice(text, ends, row)));
        Name(row)
    }

    /// The name of this text, if it was ever interned. Without the index this
    /// is one scan; callers that look up many names intern them instead.
    pub fn find(&self, text: &str) -> Option<Name> {
        if self.index.is_empty() {
            (0..self.ends.len() as u32)
                .find(|&row| slice(&self.text, &self.ends, row) == text)
                .map(Name)
        } else {
            self.index
                .find(hash_of(text), |&row| {
                    slice(&self.text, &self.ends, row) == text
                })
                .map(|&row| Name(row))
        }
    }

    pub fn text(&self, name: Name) -> &str {
        slice(&self.text, &self.ends, name.0)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn ensure_index(&mut self) {
        if self.index.is_empty() && !self.ends.is_empty() {
            let (text, ends) = (&self.text, &self.ends);
            self.index
                .reserve(ends.len(), |&row| hash_of(slice(text, ends, row)));
            for row in 0..ends.len() as u32 {
                self.index
                    .insert_unique(hash_of(slice(text, ends, row)), row, |&row| {
                        hash_of(slice(text, ends, row))
                    });
            }
        }
    }
}

fn slice<'a>(text: &'a str, ends: &[u32], row: u32) -> &'a str {
    let row = row as usize;
    let start = if row == 0 { 0 } else { ends[row - 1] as usize };
    &text[start..ends[row] as usize]
}
