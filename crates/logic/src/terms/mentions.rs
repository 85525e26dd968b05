//! **Question.** Does a term mention one of some others?
//!
//! **Rules.** Arguments are older than what is made of them, so what is older than all that is looked
//! for mentions none of it: what came before a loop is not walked for what varies in it.
//!
//! **Cost.** Each term once for all that is asked of one [`Mentions`].

use super::{TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

pub struct Mentions {
    wanted: FxHashSet<TermId>,
    oldest: Option<TermId>,
    known: FxHashMap<TermId, bool>,
}

impl Mentions {
    pub fn of(wanted: &[TermId]) -> Mentions {
        Mentions {
            wanted: wanted.iter().copied().collect(),
            oldest: wanted.iter().copied().min(),
            known: FxHashMap::default(),
        }
    }

    pub fn is_in(&mut self, terms: &Terms, term: TermId) -> bool {
        let Some(oldest) = self.oldest else {
            return false;
        };
        let mut work = vec![term];
        while let Some(next) = work.last().copied() {
            let said = match self.known.get(&next) {
                Some(said) => Some(*said),
                None if next < oldest => Some(false),
                None if self.wanted.contains(&next) => Some(true),
                None => {
                    let arguments = &terms.get(next).arguments;
                    let open = arguments.iter().find(|part| {
                        **part >= oldest && !matches!(self.known.get(part), Some(false))
                    });
                    match open {
                        Some(part) if self.known.contains_key(part) => Some(true),
                        Some(part) => {
                            work.push(*part);
                            None
                        }
                        None => Some(false),
                    }
                }
            };
            if let Some(said) = said {
                self.known.insert(next, said);
                work.pop();
            }
        }
        self.known[&term]
    }
}

impl Terms {
    /// Whether a term mentions one of some others.
    pub fn mentions(&self, term: TermId, wanted: &[TermId]) -> bool {
        Mentions::of(wanted).is_in(self, term)
    }
}
