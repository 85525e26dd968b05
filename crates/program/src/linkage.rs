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
