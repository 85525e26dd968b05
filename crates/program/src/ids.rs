//! Typed row numbers. An id is meaningful only with the table it was made for:
//! [`InstructionId`], [`BlockId`] and [`VariableId`] belong to one [`crate::Body`],
//! all others to one [`crate::Program`].

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Default)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
            /// # Panics
            /// When a table outgrows `u32`; the reader refuses such input first.
            #[inline]
            pub fn from_index(index: usize) -> Self {
                debug_assert!(index <= u32::MAX as usize);
                $name(index as u32)
            }
        }

        impl From<usize> for $name {
            #[inline]
            fn from(index: usize) -> Self {
                $name::from_index(index)
            }
        }

        impl From<$name> for usize {
            #[inline]
            fn from(id: $name) -> usize {
                id.index()
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(formatter, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )*};
}

id! {
    /// An interned string; row 0 is the empty one.
    Name,
    TypeId,
    ConstantId,
    GlobalId,
    FunctionId,
    AliasId,
    UnitId,
    FileId,
    /// Row 0 is the unknown place.
    PlaceId,
    BlockId,
    InstructionId,
    VariableId,
}
