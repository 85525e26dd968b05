//! Source places: `DILocation`, scopes, files, and what stands in them.
//!
//! Each node is decoded when an instruction refers to it and remembered by its
//! number. A location's file is its scope's; a scope that names none has its
//! parent's.

use super::cursor::{Cursor, text_of};
use super::fault::Read;
use super::metadata::{Field, Fields, node};
use super::reader::Reader;
use hashbrown::HashMap;
use knockon_program::{FileId, Name, Place, PlaceId, SourceFile};
use rustc_hash::FxBuildHasher;

/// Scopes nest as the source does; the bound keeps cyclic metadata finite.
const SCOPE_LIMIT: usize = 1000;

pub(crate) struct DebugInfo {
    /// Place + 1 by node number; 0 is not decoded yet.
    places: Vec<u32>,
    /// File + 1 by scope number; 0 is not decoded yet.
    files_of_scopes: Vec<u32>,
    files_by_node: HashMap<u64, FileId, FxBuildHasher>,
    files_by_path: HashMap<Name, FileId, FxBuildHasher>,
    chain: Vec<(u64, Location)>,
}

/// A `DILocation` as written.
#[derive(Clone, Copy, Default)]
struct Location {
    line: u32,
    column: u32,
    scope: Option<u64>,
    inlined_at: Option<u64>,
}

/// What a declaration-like node says.
pub(crate) struct Declared<'t> {
    pub(crate) name: Option<&'t [u8]>,
    pub(crate) argument: u32,
    pub(crate) place: PlaceId,
}

const NO_FILE: FileId = FileId(u32::MAX);

impl DebugInfo {
    pub(crate) fn new(nodes: usize) -> DebugInfo {
        DebugInfo {
            places: vec![0; nodes],
            files_of_scopes: vec![0; nodes],
            files_by_node: HashMap::default(),
            files_by_path: HashMap::default(),
            chain: Vec::new(),
        }
    }
}

fn location(fields: Fields<'_>) -> Location {
    let mut location = Location::default();
    for field in fields {
        match field {
            (b"line", Field::Number(line)) => location.line = line,
            (b"column", Field::Number(column)) => location.column = column,
            (b"scope", Field::Node(scope)) => location.scope = Some(scope),
            (b"inlinedAt", Field::Node(outer)) => location.inlined_at = Some(outer),
            _ => {}
        }
    }
    location
}

impl<'t> Reader<'t> {
    /// The metadata behind an instruction; the place that `!dbg` gives it.
    #[inline]
    pub(crate) fn attachments(&mut self) -> Read<PlaceId> {
        let mut place = PlaceId(0);
        loop {
            self.cursor.skip_blanks();
            if self.cursor.peek() != b',' {
                return Ok(place);
            }
            self.cursor.at += 1;
            self.cursor.skip_blanks();
            if self.cursor.peek() != b'!' {
                return Err(self.cursor.fault("expected metadata behind the comma"));
            }
            self.cursor.at += 1;
            let kind = self.cursor.word();
            self.cursor.skip_blanks();
            if kind == b"dbg" {
                place = self.location()?;
            } else {
                self.skip_metadata()?;
            }
        }
    }

    /// A location at the cursor: `!5` or `!DILocation(…)`.
    #[inline]
    pub(crate) fn location(&mut self) -> Read<PlaceId> {
        let start = self.cursor;
        self.cursor.at += 1;
        if start.peek() == b'!'
            && let Some(node) = self.cursor.digits()
        {
            return Ok(self.place_of(node));
        }
        self.cursor = start;
        self.skip_metadata()?;
        match Fields::open(start) {
            Some((b"DILocation", fields)) => {
                let location = location(fields);
                let outer = location
                    .inlined_at
                    .map_or(PlaceId(0), |outer| self.place_of(outer));
                Ok(self.intern_location(location, outer))
            }
            _ => Ok(PlaceId(0)),
        }
    }

    #[inline]
    fn place_of(&mut self, node: u64) -> PlaceId {
        match self.debug.places.get(node as usize) {
            Some(&known) if known != 0 => PlaceId(known - 1),
            _ => self.decode_place(node),
        }
    }

    /// Walks out through the calls that the location was inlined into, then
    /// interns from the outermost in.
    fn decode_place(&mut self, first: u64) -> PlaceId {
        let text = self.cursor.text;
        let mut chain = std::mem::take(&mut self.debug.chain);
        chain.clear();
        let mut outer = PlaceId(0);
        let mut next = Some(first);
        while let Some(number) = next {
            let Some(memo) = self.debug.places.get_mut(number as usize) else {
                break;
            };
            if *memo != 0 {
                outer = PlaceId(*memo - 1);
                break;
            }
            // Until it is known, the unknown place: a cyclic chain ends here.
            *memo = 1;
            let Some((b"DILocation", fields)) = node(text, &self.outline, number) else {
                break;
            };
            let location = location(fields);
            chain.push((number, location));
            next = location.inlined_at;
        }
        for &(number, location) in chain.iter().rev() {
            outer = self.intern_location(location, outer);
            self.debug.places[number as usize] = outer.0 + 1;
        }
        self.debug.chain = chain;
        outer
    }

    fn intern_location(&mut self, location: Location, inlined_at: PlaceId) -> PlaceId {
        let file = location
            .scope
            .map_or(NO_FILE, |scope| self.file_of_scope(scope));
        self.program.places.intern(Place {
            file,
            line: location.line,
            column: location.column,
            inlined_at,
        })
    }

    /// The file of a scope, or of the nearest scope around it that names one.
    fn file_of_scope(&mut self, scope: u64) -> FileId {
        if let Some(&known) = self.debug.files_of_scopes.get(scope as usize)
            && known != 0
        {
            return FileId(known.wrapping_sub(2));
        }
        let mut file = NO_FILE;
        let mut current = scope;
        for _ in 0..SCOPE_LIMIT {
            let Some((kind, fields)) = node(self.cursor.text, &self.outline, current) else {
                break;
            };
            if kind == b"DIFile" {
                file = self.file(current);
                break;
            }
            let mut parent = None;
            let mut own = None;
            for field in fields {
                match field {
                    (b"file", Field::Node(node)) => own = Some(node),
                    (b"scope", Field::Node(node)) => parent = Some(node),
                    _ => {}
                }
            }
            if let Some(own) = own {
                file = self.file(own);
                break;
            }
            match parent {
                Some(parent) => current = parent,
                None => break,
            }
        }
        if let Some(memo) = self.debug.files_of_scopes.get_mut(scope as usize) {
            *memo = file.0.wrapping_add(2);
        }
        file
    }

    /// A `DIFile`, its path joined with its directory.
    fn file(&mut self, number: u64) -> FileId {
        if let Some(&known) = self.debug.files_by_node.get(&number) {
            return known;
        }
        let Some((b"DIFile", fields)) = node(self.cursor.text, &self.outline, number) else {
            return NO_FILE;
        };
        let (mut name, mut directory) = (String::new(), String::new());
        for field in fields {
            match field {
                (b"filename", Field::Text(raw)) => name = text_of(raw).into_owned(),
                (b"directory", Field::Text(raw)) => directory = text_of(raw).into_owned(),
                _ => {}
            }
        }
        let path = self.program.names.intern(&joined_path(&directory, &name));
        let next = FileId::from_index(self.program.files.len());
        let file = *self.debug.files_by_path.entry(path).or_insert(next);
        if file == next {
            self.program.files.push(SourceFile { path });
        }
        self.debug.files_by_node.insert(number, file);
        file
    }

    /// A node with a name, a file and a line: a subprogram, a global or local variable.
    pub(crate) fn declared(&mut self, number: u64) -> Option<Declared<'t>> {
        let (_, fields) = node(self.cursor.text, &self.outline, number)?;
        Some(self.declared_fields(fields))
    }

    pub(crate) fn declared_at(&mut self, cursor: Cursor<'t>) -> Option<Declared<'t>> {
        let (_, fields) = Fields::open(cursor)?;
        Some(self.declared_fields(fields))
    }

    fn declared_fields(&mut self, fields: Fields<'t>) -> Declared<'t> {
        let (mut name, mut file, mut scope, mut line, mut argument) = (None, None, None, 0, 0);
        for field in fields {
            match field {
                (b"name", Field::Text(raw)) => name = Some(raw),
                (b"file", Field::Node(node)) => file = Some(node),
                (b"scope", Field::Node(node)) => scope = Some(node),
                (b"line", Field::Number(number)) => line = number,
                (b"arg", Field::Number(number)) => argument = number,
                _ => {}
            }
        }
        let file = match (file, scope) {
            (Some(file), _) => self.file(file),
            (None, Some(scope)) => self.file_of_scope(scope),
            (None, None) => NO_FILE,
        };
        let place = if file == NO_FILE {
            PlaceId(0)
        } else {
            self.program.places.intern(Place {
                file,
                line,
                column: 0,
                inlined_at: PlaceId(0),
            })
        };
        Declared {
            name,
            argument,
            place,
        }
    }

    /// Source name and place of a function by its `DISubprogram`.
    pub(crate) fn subprogram_place(&mut self, number: u64) -> (Name, PlaceId) {
        match self.declared(number) {
            Some(declared) => (self.declared_name(&declared), declared.place),
            None => (Name(0), PlaceId(0)),
        }
    }

    /// Source name and place of a global by its `DIGlobalVariableExpression`.
    pub(crate) fn global_place(&mut self, number: u64) -> (Name, PlaceId) {
        let variable = match node(self.cursor.text, &self.outline, number) {
            Some((b"DIGlobalVariableExpression", mut fields)) => {
                fields.find_map(|field| match field {
                    (b"var", Field::Node(variable)) => Some(variable),
                    _ => None,
                })
            }
            _ => Some(number),
        };
        variable.map_or((Name(0), PlaceId(0)), |variable| {
            self.subprogram_place(variable)
        })
    }

    pub(crate) fn declared_name(&mut self, declared: &Declared<'_>) -> Name {
        match declared.name {
            Some(raw) => self.program.names.intern(&text_of(raw)),
            None => Name(0),
        }
    }
}

/// The file's path, joined with its directory if it is relative, and
/// normalised as text: no `.`, no `..` behind a name, no doubled slash.
fn joined_path(directory: &str, name: &str) -> String {
    let is_absolute = name.starts_with(['/', '\\']) || name.as_bytes().get(1) == Some(&b':');
    let joined = if is_absolute || directory.is_empty() {
        name.to_owned()
    } else {
        format!("{directory}/{name}")
    };
    let rooted = joined.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&last) if last != ".." => {
                    parts.pop();
                }
                _ if rooted => {}
                _ => parts.push(part),
            },
            _ => parts.push(part),
        }
    }
    let path = parts.join("/");
    if rooted { format!("/{path}") } else { path }
}

#[cfg(test)]
mod tests {
    use super::joined_path;

    #[test]
    fn paths_are_joined_and_normalised() {
        assert_eq!(joined_path("/a/b", "c.c"), "/a/b/c.c");
        assert_eq!(joined_path("/a/b", "/x/./y//z.h"), "/x/y/z.h");
        assert_eq!(joined_path("/a/b", "../c/./d.h"), "/a/c/d.h");
        assert_eq!(joined_path("", "../../d.h"), "../../d.h");
        assert_eq!(joined_path("/", "../d.h"), "/d.h");
        assert_eq!(joined_path(".", "d.h"), "d.h");
    }
}
