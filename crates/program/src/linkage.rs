//! How a symbol meets symbols of the same name in other units.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub enum Linkage {
    #[default]
    External,
    AvailableExternally,
    LinkOnce,
    LinkOnceOdr,
    Weak,
    WeakOdr,
    Common,
    Appending,
    Internal,
    Private,
    ExternalWeak,
}

impl Linkage {
    /// Invisible outside its unit.
    pub fn is_local(self) -> bool {
        matches!(self, Linkage::Internal | Linkage::Private)
    }

    /// What runs, or is read, may be something else than what stands here, also in a linked program: a
    /// definition of a library may take its place. Those of which all definitions must be the same
    /// (`odr`) are not among them.
    pub fn gives_way(self) -> bool {
        matches!(
            self,
            Linkage::LinkOnce | Linkage::Weak | Linkage::Common | Linkage::ExternalWeak
        )
    }

    /// A definition that gives way to a strong one of the same name.
    pub fn is_weak_definition(self) -> bool {
        matches!(
            self,
            Linkage::LinkOnce
                | Linkage::LinkOnceOdr
                | Linkage::Weak
                | Linkage::WeakOdr
                | Linkage::Common
                | Linkage::AvailableExternally
        )
    }
}
