//! Which objects are there, and which offsets of an object are told apart?
//!
//! An *object* is a global, a local variable, what one call allocates, a function, or something of
//! the outside. A *location* is an object and a byte offset in it, or an object and *any* offset.
//! Memory is kept by *word*: eight bytes, the granularity at which pointers are stored, whatever
//! type an access has, so unions, `memcpy` and copies byte by byte need no special case.
//!
//! Elements of an array are told apart while every index is constant (a vtable's slots). A variable
//! index *folds* the array: offsets are taken modulo the element size from then on. Folding only
//! ever joins locations, so it may happen at any time. The one assumption is that pointer
//! arithmetic stays inside the array it starts in; where no array fits the stride, the result is
//! *any* offset.
//!
//! Cost: one hash lookup for a location; a fold visits the object's words.

use knockon_program::{FunctionId, GlobalId, InstructionId, Program, Type, TypeId, TypeLayouts};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocationId(pub u32);

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ObjectKind {
    /// All that code outside of the program can reach.
    Outside,
    Global(GlobalId),
    /// All constants without pointers in them, strings above all: loads from them give no pointer
    /// and stores are undefined, so one object stands for them all.
    ConstantData,
    /// Objects that are no longer told apart, since some value may point to very many.
    Mixed,
    /// An `alloca`.
    Local(FunctionId, InstructionId),
    /// What a call allocates.
    Heap(FunctionId, InstructionId),
    Function(FunctionId),
    /// The copy that a function gets of an argument passed by value in memory.
    ByValue(FunctionId, u32),
    /// The arguments behind `...`.
    Variadic(FunctionId),
    /// The array `argv`, or `envp`.
    ArgumentVector,
    ArgumentString,
    /// An object of the C library.
    Library(&'static str),
}

/// The number that stands for any offset.
pub const ANY: u32 = u32::MAX;

/// Objects with more words than this are one word.
const MOST_WORDS: usize = 1024;

/// Memory that is written and has more offsets than this is one word: it comes from an allocator
/// that all of the program shares, and its offsets belong to many types.
const MOST_OFFSETS: u32 = 128;

#[derive(Clone, Debug)]
pub struct Object {
    pub kind: ObjectKind,
    /// The type of its content, where it has one.
    pub content: Option<TypeId>,
    /// In bytes; `None`: not known.
    pub size: Option<u32>,
    /// Offsets are not told apart at all.
    pub collapsed: bool,
    /// Outermost first; starts are canonical under the folds before them.
    pub folds: SmallVec<[Fold; 1]>,
    /// The word numbers that exist, with their nodes.
    pub words: Vec<(u32, u32)>,
    /// Nothing is ever stored in it: a constant.
    pub is_constant: bool,
    /// The object that took it over.
    pub part_of: Option<ObjectId>,
    /// How many offsets pointers may have.
    offsets: u32,
    /// The location at its begin, once there is one.
    begin: Option<LocationId>,
}

/// From `start` to `end`, offsets count modulo `stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    pub start: u32,
    pub stride: u32,
    pub end: u32,
}

impl Fold {
    fn apply(self, offset: u32) -> u32 {
        match self.start <= offset && offset < self.end {
            true => self.start + (offset - self.start) % self.stride,
            false => offset,
        }
    }
}

impl Object {
    /// Whether no pointer is ever in it.
    pub fn holds_nothing(&self) -> bool {
        matches!(
            self.kind,
            ObjectKind::ConstantData | ObjectKind::Function(_)
        )
    }

    pub fn canonical(&self, offset: u32) -> u32 {
        if self.collapsed {
            return 0;
        }
        if offset == ANY {
            return ANY;
        }
        self.folds
            .iter()
            .fold(offset, |offset, fold| fold.apply(offset))
    }
}

/// What a step of pointer arithmetic gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stepped {
    pub offset: u32,
    /// The folds of the object changed: its words must be joined anew.
    pub folded: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Objects {
    pub rows: Vec<Object>,
    by_kind: FxHashMap<ObjectKind, ObjectId>,
    /// Object and offset of each location.
    pub locations: Vec<(ObjectId, u32)>,
    by_offset: FxHashMap<(ObjectId, u32), LocationId>,
    pub layouts: TypeLayouts,
}

impl Objects {
    pub fn new(program: &Program) -> Objects {
        Objects {
            layouts: TypeLayouts::new(program),
            ..Objects::default()
        }
    }

    pub fn get(&self, object: ObjectId) -> &Object {
        &self.rows[object.0 as usize]
    }

    pub fn get_mut(&mut self, object: ObjectId) -> &mut Object {
        &mut self.rows[object.0 as usize]
    }

    pub fn find(&self, kind: ObjectKind) -> Option<ObjectId> {
        let object = *self.by_kind.get(&kind)?;
        Some(self.get(object).part_of.unwrap_or(object))
    }

    /// Whether it may be taken over by [`ObjectKind::Mixed`].
    pub fn can_be_mixed(&self, object: ObjectId) -> bool {
        let row = self.get(object);
        let kind = matches!(
            row.kind,
            ObjectKind::Global(_)
                | ObjectKind::Local(..)
                | ObjectKind::Heap(..)
                | ObjectKind::ByValue(..)
                | ObjectKind::Variadic(_)
        );
        kind && !row.is_constant && row.part_of.is_none()
    }

    /// The object of this kind, made when it is new.
    pub fn add(&mut self, kind: ObjectKind, content: Option<TypeId>) -> ObjectId {
        if let Some(known) = self.find(kind) {
            return known;
        }
        let id = ObjectId(self.rows.len() as u32);
        let size = content.map(|content| self.layouts.size_of(content));
        // An object too large for offsets of 32 bits is not told apart.
        let large = size.is_some_and(|size| size >= u64::from(ANY / 2));
        let one = matches!(
            kind,
            ObjectKind::Outside
                | ObjectKind::ConstantData
                | ObjectKind::Mixed
                | ObjectKind::Function(_)
                | ObjectKind::Variadic(_)
                | ObjectKind::ArgumentVector
                | ObjectKind::ArgumentString
                | ObjectKind::Library(_)
        );
        self.rows.push(Object {
            kind,
            content: content.filter(|_| !large),
            size: size.filter(|_| !large).map(|size| size as u32),
            collapsed: large || one,
            folds: SmallVec::new(),
            words: Vec::new(),
            is_constant: false,
            part_of: None,
            offsets: 0,
            begin: None,
        });
        self.by_kind.insert(kind, id);
        id
    }

    /// Makes an object of this kind part of another.
    pub fn add_to(&mut self, kind: ObjectKind, object: ObjectId) {
        self.by_kind.insert(kind, object);
    }

    pub fn location(&mut self, object: ObjectId, offset: u32) -> LocationId {
        let row = self.get(object);
        let offset = row.canonical(offset);
        if offset == 0
            && let Some(begin) = row.begin
        {
            return begin;
        }
        let next = LocationId(self.locations.len() as u32);
        let found = *self.by_offset.entry((object, offset)).or_insert(next);
        if found == next {
            self.locations.push((object, offset));
            let row = self.get_mut(object);
            row.offsets += 1;
            if offset == 0 {
                row.begin = Some(found);
            }
        }
        found
    }

    /// The object and the canonical offset of a location, which may have been folded since.
    pub fn resolve(&self, location: LocationId) -> (ObjectId, u32) {
        let (object, offset) = self.locations[location.0 as usize];
        match self.get(object).part_of {
            Some(whole) => (whole, 0),
            None => (object, self.get(object).canonical(offset)),
        }
    }

    /// `offset + distance` in an object. A pointer that leaves its object is undefined, so nothing
    /// is known of where it points to; one that leaves an array of unknown length within it is in
    /// another element.
    pub fn move_by(&self, object: ObjectId, offset: u32, distance: i64) -> Option<u32> {
        let row = self.get(object);
        if row.collapsed || offset == ANY {
            return Some(row.canonical(offset));
        }
        let moved = i64::from(offset) + distance;
        let most = row.size.map_or(i64::from(u16::MAX) * 16, i64::from);
        if (0..=most).contains(&moved) {
            return Some(row.canonical(moved as u32));
        }
        // Inside a folded array the element is not known: step within it.
        let inside = |fold: &&Fold| fold.start <= offset && offset < fold.end;
        if let Some(fold) = row.folds.iter().find(inside) {
            let from_start = moved - i64::from(fold.start);
            let wrapped = from_start.rem_euclid(i64::from(fold.stride));
            return Some(row.canonical(fold.start + wrapped as u32));
        }
        row.size.is_none().then_some(ANY)
    }

    /// `offset` plus some multiple of `stride`; `count` elements if the array's length is known.
    pub fn step(
        &mut self,
        program: &Program,
        object: ObjectId,
        offset: u32,
        stride: u64,
        count: Option<u64>,
    ) -> SmallVec<[Stepped; 2]> {
        let row = self.get(object);
        let unchanged = |offset| Stepped {
            offset,
            folded: false,
        };
        if row.collapsed || offset == ANY || stride == 0 {
            return SmallVec::from_slice(&[unchanged(row.canonical(offset))]);
        }
        let Ok(stride) = u32::try_from(stride) else {
            return SmallVec::from_slice(&[unchanged(ANY)]);
        };
        let mut results: SmallVec<[Stepped; 2]> = SmallVec::new();
        let mut folds: SmallVec<[Fold; 2]> = SmallVec::new();
        for at_end in [false, true] {
            let Some(from) = offset.checked_sub(u32::from(at_end)) else {
                continue;
            };
            let walk = match row.content {
                Some(content) => array_at(program, &self.layouts, content, from, stride, count),
                None => match fitting_fold(row, from, stride, count) {
                    Some(fold) => Walk::Over(fold),
                    None => Walk::Unclear,
                },
            };
            match (walk, at_end) {
                (Walk::Over(fold), false) => folds.push(fold),
                // At the end of one array may begin the next: a pointer there may mean both.
                (Walk::Over(fold), true) if fold.end == offset => folds.push(fold),
                (Walk::Unclear, true) if row.content.is_none() => {}
                (Walk::Unclear, _) => return SmallVec::from_slice(&[unchanged(ANY)]),
                (Walk::Nothing | Walk::Over(_), _) => {}
            }
        }
        let Some(last) = folds.last() else {
            return SmallVec::from_slice(&[unchanged(ANY)]);
        };
        let ended = last.end == offset;
        results.push(unchanged(offset));
        if ended {
            results.push(unchanged(last.start));
        }
        for fold in folds {
            if fold.end - fold.start > fold.stride {
                results[0].folded |= add_fold(&mut self.rows[object.0 as usize].folds, fold);
            }
        }
        for result in &mut results {
            result.offset = self.get(object).canonical(result.offset);
        }
        results
    }

    /// Whether the object has too many words to tell them apart.
    pub fn is_overfull(&self, object: ObjectId) -> bool {
        let row = self.get(object);
        let shared = !row.is_constant && row.offsets > MOST_OFFSETS;
        !row.collapsed && (row.words.len() > MOST_WORDS || shared)
    }
}

/// Adds a fold, outermost (largest stride) first, and moves those inside it to its first element.
/// Says whether anything changed.
fn add_fold(folds: &mut SmallVec<[Fold; 1]>, new: Fold) -> bool {
    let same = |fold: &Fold| fold.start == new.start && fold.stride == new.stride;
    if folds.iter().any(|fold| same(fold) && fold.end >= new.end) {
        return false;
    }
    folds.retain(|fold| !same(fold));
    let at = folds
        .iter()
        .position(|fold| fold.stride < new.stride)
        .unwrap_or(folds.len());
    folds.insert(at, new);
    for inner in at + 1..folds.len() {
        let fold = folds[inner];
        let start = new.apply(fold.start);
        let length = fold.end - fold.start;
        folds[inner] = Fold {
            start,
            end: start.saturating_add(length),
            ..fold
        };
    }
    let mut kept: SmallVec<[Fold; 1]> = SmallVec::new();
    for fold in folds.drain(..) {
        if !kept.contains(&fold) {
            kept.push(fold);
        }
    }
    *folds = kept;
    true
}

/// What pointer arithmetic may walk over.
enum Walk {
    Over(Fold),
    /// There is something that fits the stride, but it may be another walk.
    Unclear,
    Nothing,
}

/// The outermost array around `offset` in a type whose elements divide the stride; or, as an array
/// of one, the struct around it that has the stride's size.
///
/// Unclear where the type does not tell what is walked over. Inside a union other members may be
/// arrays. A pointer to a struct is one to its first member too, so a walk without a known length
/// over an array that comes first may be one over the struct; and a walk in steps below a word
/// may be one over the bytes of anything.
fn array_at(
    program: &Program,
    layouts: &TypeLayouts,
    content: TypeId,
    offset: u32,
    stride: u32,
    count: Option<u64>,
) -> Walk {
    let (mut at, mut type_id) = (0u64, content);
    let offset = u64::from(offset);
    let many = count.is_some_and(|count| count > 1);
    let total = layouts.size_of(content);
    // A larger struct begins where the current part does.
    let mut comes_first = false;
    loop {
        let size = layouts.size_of(type_id);
        if size == 0 || offset >= at + size {
            return Walk::Nothing;
        }
        let whole = at == 0 && size == total;
        let one = !many && !is_array(program, type_id) && size == u64::from(stride);
        if one && (whole || is_struct(program, type_id) && size > 8) {
            return Walk::over(at, size, at + size);
        }
        match program.type_of(type_id) {
            Type::Array { element, .. } => {
                let element_size = layouts.size_of(*element);
                if element_size == 0 {
                    return Walk::Nothing;
                }
                let covers = count.is_none_or(|count| count.saturating_mul(stride.into()) <= size);
                if u64::from(stride).is_multiple_of(element_size) && covers {
                    let told = element_size >= 8 && (count.is_some() || !comes_first);
                    return match whole || told {
                        true => Walk::over(at, element_size, at + size),
                        false => Walk::Unclear,
                    };
                }
                comes_first = false;
                at += (offset - at) / element_size * element_size;
                type_id = *element;
            }
            Type::Struct { fields, .. } if is_struct(program, type_id) => {
                let offsets = layouts.field_offsets(type_id);
                let after = offsets.partition_point(|start| at + start <= offset);
                let found = after.checked_sub(1).and_then(|number| {
                    let start = *offsets.get(number)?;
                    Some((start, *fields.get(number)?))
                });
                let Some((start, field)) = found else {
                    return Walk::Nothing;
                };
                comes_first = start == 0 && (comes_first || layouts.size_of(field) < size);
                at += start;
                type_id = field;
            }
            Type::Struct { .. } => return Walk::Unclear,
            _ => return Walk::Nothing,
        }
    }
}

/// A struct that is no union; clang calls those `union.…`.
fn is_struct(program: &Program, type_id: TypeId) -> bool {
    matches!(program.type_of(type_id), Type::Struct { name, .. }
        if !program.name(*name).starts_with("union."))
}

fn is_array(program: &Program, type_id: TypeId) -> bool {
    matches!(program.type_of(type_id), Type::Array { .. })
}

impl Walk {
    fn over(start: u64, stride: u64, end: u64) -> Walk {
        match (start.try_into(), stride.try_into(), end.try_into()) {
            (Ok(start), Ok(stride), Ok(end)) => Walk::Over(Fold { start, stride, end }),
            _ => Walk::Unclear,
        }
    }
}

/// For an object without a type: a fold it already has, or a new one that does not cut across
/// those.
fn fitting_fold(row: &Object, offset: u32, stride: u32, count: Option<u64>) -> Option<Fold> {
    let around = |fold: &&Fold| fold.start <= offset && offset < fold.end;
    if let Some(fold) = row
        .folds
        .iter()
        .filter(around)
        .find(|fold| stride.is_multiple_of(fold.stride))
    {
        return Some(*fold);
    }
    if !stride.is_multiple_of(8) {
        return None;
    }
    let end = match count {
        Some(count) if count > 1 => {
            let length = u32::try_from(count.checked_mul(u64::from(stride))?).ok()?;
            offset.checked_add(length)?
        }
        _ => u32::MAX,
    };
    let new = Fold {
        start: offset,
        stride,
        end,
    };
    let fits = |fold: &Fold| {
        let apart = fold.end <= new.start || new.end <= fold.start;
        let inside_one_element = |inner: &Fold, outer: &Fold| {
            inner.start >= outer.start
                && inner.end <= outer.end
                && (inner.start - outer.start) / outer.stride
                    == (inner.end - 1 - outer.start) / outer.stride
        };
        apart || inside_one_element(&new, fold) || inside_one_element(fold, &new)
    };
    row.folds.iter().all(fits).then_some(new)
}
