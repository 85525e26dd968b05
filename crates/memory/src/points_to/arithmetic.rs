//! Where does pointer arithmetic lead?

use super::location_set::LocationSet;
use super::objects::{ANY, LocationId, ObjectId, ObjectKind};
use super::solver::{NodeId, Solver};
use smallvec::{SmallVec, smallvec};

/// One step of pointer arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    By(i64),
    /// To any offset of the object.
    Anywhere,
    /// Some multiple of `stride`, below `count` of them if that is known.
    Multiple {
        stride: u64,
        count: Option<u64>,
    },
}

impl Solver<'_> {
    /// The pointer moved by the steps.
    pub fn moved(&mut self, pointer: NodeId, steps: Vec<Step>) -> NodeId {
        let number = self.steps_number(steps);
        let pointer = self.find(pointer);
        let known = self.moves[pointer.0 as usize].iter();
        if let Some((_, node)) = known.clone().find(|row| row.0 == number) {
            return *node;
        }
        let node = self.node();
        self.moves[pointer.0 as usize].push((number, node));
        self.renew(pointer);
        node
    }

    pub(super) fn steps_number(&mut self, steps: Vec<Step>) -> u32 {
        if let Some(known) = self.step_numbers.get(&steps) {
            return *known;
        }
        let number = self.steps.len() as u32;
        self.steps.push(steps.clone());
        self.step_numbers.insert(steps, number);
        number
    }

    pub(super) fn arithmetic(&mut self, fresh: &LocationSet, steps: u32, to: NodeId) {
        let mut moved = LocationSet::default();
        let number = steps as usize;
        let steps = std::mem::take(&mut self.steps[number]);
        for location in fresh.iter() {
            let (object, offset) = self.objects.resolve(LocationId(location));
            let row = self.objects.get(object);
            if row.collapsed {
                // There is no arithmetic on functions.
                if !matches!(row.kind, ObjectKind::Function(_)) || steps.contains(&Step::Anywhere) {
                    moved.insert(self.objects.location(object, 0).0);
                }
                continue;
            }
            for offset in self.offsets_after(object, offset, &steps) {
                moved.insert(self.objects.location(object, offset).0);
            }
            if self.objects.is_overfull(object) {
                self.collapse(object);
            }
        }
        self.steps[number] = steps;
        let to = self.find(to);
        self.add_all(to, &moved);
    }

    pub(super) fn offsets_after(
        &mut self,
        object: ObjectId,
        offset: u32,
        steps: &[Step],
    ) -> SmallVec<[u32; 4]> {
        let mut offsets: SmallVec<[u32; 4]> = smallvec![offset];
        for step in steps {
            let mut next = SmallVec::with_capacity(offsets.len());
            for offset in offsets {
                match *step {
                    Step::Anywhere => next.push(ANY),
                    Step::By(distance) => {
                        next.extend(self.objects.move_by(object, offset, distance));
                    }
                    Step::Multiple { stride, count } => {
                        let stepped =
                            self.objects
                                .step(self.program, object, offset, stride, count);
                        for result in stepped {
                            if result.folded {
                                self.refold(object);
                            }
                            next.push(result.offset);
                        }
                    }
                }
            }
            offsets = next;
        }
        offsets
    }
}

/// Steps on a cycle: their sum may be taken any number of times. `None` if nothing changes.
pub(super) fn multiples(steps: &[Step]) -> Option<Vec<Step>> {
    let constant: i64 = steps
        .iter()
        .map(|step| match step {
            Step::By(distance) => *distance,
            Step::Multiple { .. } | Step::Anywhere => 0,
        })
        .fold(0, i64::wrapping_add);
    if constant == 0 {
        return None;
    }
    let mut multiple = vec![Step::Multiple {
        stride: constant.unsigned_abs(),
        count: None,
    }];
    multiple.extend(steps.iter().filter(|step| !matches!(step, Step::By(_))));
    Some(multiple)
}
