//! Functions: declared or defined.

use crate::{Body, Linkage, Name, PlaceId, TypeId, UnitId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Function {
    /// The linkage name.
    pub name: Name,
    /// The name in the source, from debug info, or the empty name.
    pub source_name: Name,
    pub unit: UnitId,
    pub linkage: Linkage,
    /// A [`crate::Type::Function`].
    pub type_id: TypeId,
    pub parameters: Box<[Parameter]>,
    pub attributes: FunctionAttributes,
    /// What else decides what its code does: attributes as one text, in a fixed order, or the empty
    /// name.
    pub meaning: Meaning,
    /// Where it is defined (its `DISubprogram`), or the unknown place.
    pub place: PlaceId,
    /// `None` for a declaration. Boxed: most rows of a program with many
    /// headers are declarations.
    pub body: Option<Box<Body>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    pub name: Name,
    pub type_id: TypeId,
    pub attributes: ParameterAttributes,
    /// The pointee of `byval`, `sret`, `byref`, `inalloca`; meaningful only
    /// with the attribute.
    pub pointee: TypeId,
}

/// How the code of a function is to be understood: two bodies that are equal instruction for
/// instruction do the same only if their meanings are equal, too. Texts are compared and never read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Meaning {
    /// Of arithmetic on floats and vectors, and of the operations of the machine that need not be
    /// there: what the machine has, whether products may be fused, denormal numbers, …
    pub arithmetic: Name,
    /// Of all of it.
    pub code: Name,
}

/// A set of function attributes that callers or control flow depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FunctionAttributes(pub u16);

impl FunctionAttributes {
    pub const NO_RETURN: FunctionAttributes = FunctionAttributes(1);
    pub const NO_UNWIND: FunctionAttributes = FunctionAttributes(1 << 1);
    pub const WILL_RETURN: FunctionAttributes = FunctionAttributes(1 << 2);
    pub const RETURNS_TWICE: FunctionAttributes = FunctionAttributes(1 << 3);
    /// `memory(none)` or the older `readnone`.
    pub const READ_NONE: FunctionAttributes = FunctionAttributes(1 << 4);
    /// `memory(read)` or the older `readonly`.
    pub const READ_ONLY: FunctionAttributes = FunctionAttributes(1 << 5);
    pub const ALWAYS_INLINE: FunctionAttributes = FunctionAttributes(1 << 6);
    pub const NAKED: FunctionAttributes = FunctionAttributes(1 << 7);
    /// How a result that is narrower than a register is widened.
    pub const RETURNS_ZERO_EXTENDED: FunctionAttributes = FunctionAttributes(1 << 8);
    pub const RETURNS_SIGN_EXTENDED: FunctionAttributes = FunctionAttributes(1 << 9);

    /// Called by a convention other than C's, of this number: 1 to 63, in the upper bits.
    pub const fn convention(number: u16) -> FunctionAttributes {
        FunctionAttributes(number << 10)
    }

    pub fn has(self, other: FunctionAttributes) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn with(self, other: FunctionAttributes) -> FunctionAttributes {
        FunctionAttributes(self.0 | other.0)
    }
}

/// A set of parameter attributes; others are not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ParameterAttributes(pub u16);

impl ParameterAttributes {
    /// The callee receives a copy of the pointee.
    pub const BY_VALUE: ParameterAttributes = ParameterAttributes(1);
    /// The callee writes its result to the pointee.
    pub const STRUCT_RETURN: ParameterAttributes = ParameterAttributes(1 << 1);
    pub const ZERO_EXTENDED: ParameterAttributes = ParameterAttributes(1 << 2);
    pub const SIGN_EXTENDED: ParameterAttributes = ParameterAttributes(1 << 3);
    pub const NO_UNDEF: ParameterAttributes = ParameterAttributes(1 << 4);
    pub const NON_NULL: ParameterAttributes = ParameterAttributes(1 << 5);
    pub const BY_REFERENCE: ParameterAttributes = ParameterAttributes(1 << 6);
    pub const IN_ALLOCA: ParameterAttributes = ParameterAttributes(1 << 7);
    /// What is accessed through it is accessed through nothing else: `restrict`.
    pub const NO_ALIAS: ParameterAttributes = ParameterAttributes(1 << 8);
    /// Passed in a register where it would not be otherwise.
    pub const IN_REGISTER: ParameterAttributes = ParameterAttributes(1 << 9);

    pub fn has(self, other: ParameterAttributes) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn with(self, other: ParameterAttributes) -> ParameterAttributes {
        ParameterAttributes(self.0 | other.0)
    }
}
