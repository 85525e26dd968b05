//! Where in the source an instruction comes from.

use crate::{FileId, Name, PlaceId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceFile {
    /// Joined with its directory and normalised (`a/./b/../c` is `a/c`).
    pub path: Name,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    pub file: FileId,
    /// 1-based; 0 for code that the compiler made.
    pub line: u32,
    /// 1-based; 0 when unknown.
    pub column: u32,
    /// The call that this code was inlined into, or the unknown place.
    pub inlined_at: PlaceId,
}

impl Place {
    pub const UNKNOWN: Place = Place {
        file: FileId(u32::MAX),
        line: 0,
        column: 0,
        inlined_at: PlaceId(0),
    };

    pub fn is_known(self) -> bool {
        self.file != FileId(u32::MAX) && self.line != 0
    }
}
