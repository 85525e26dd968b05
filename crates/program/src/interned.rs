//! A table whose rows are unique, so that equal ids mean equal content.
//!
//! The hash index is not stored in the cache: it is rebuilt at the first
//! insertion after loading, and a program that is only read never pays for it.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "T: Serialize", deserialize = "T: Deserialize<'de>"))]
pub struct Interned<T, Id> {
    rows: Vec<T>,
    #[serde(skip)]
    index: HashTable<u32>,
    #[serde(skip)]
    id: PhantomData<Id>,
}

impl<T, Id> Default for Interned<T, Id> {
    fn default() -> Self {
        Interned {
            rows: Vec::new(),
            index: HashTable::new(),
            id: PhantomData,
        }
    }
}

pub(crate) fn hash_of<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

impl<T: Eq + Hash, Id: From<usize> + Into<usize>> Interned<T, Id> {
    pub fn intern(&mut self, value: T) -> Id {
        self.ensure_index();
        let hash = hash_of(&value);
        let rows = &self.rows;
        if let Some(&found) = self.index.find(hash, |&row| rows[row as usize] == value) {
            return Id::from(found as usize);
        }
        let row = self.rows.len();
        self.rows.push(value);
        let rows = &self.rows;
        self.index
            .insert_unique(hash, row as u32, |&row| hash_of(&rows[row as usize]));
        Id::from(row)
    }

    fn ensure_index(&mut self) {
        if self.index.is_empty() && !self.rows.is_empty() {
            let rows = &self.rows;
            self.index
                .reserve(rows.len(), |&row| hash_of(&rows[row as usize]));
            for row in 0..rows.len() {
                self.index
                    .insert_unique(hash_of(&rows[row]), row as u32, |&row| {
                        hash_of(&rows[row as usize])
                    });
            }
        }
    }

    /// Gives a row another value. Rows stay unique only if no other row has that value.
    pub fn replace(&mut self, id: Id, value: T) {
        self.rows[id.into()] = value;
        self.index.clear();
    }

    pub fn get(&self, id: Id) -> &T {
        &self.rows[id.into()]
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn rows(&self) -> &[T] {
        &self.rows
    }
}
