//! A set of parts of the world.

use knockon_library::World;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WorldSet(u16);

impl WorldSet {
    pub const EMPTY: WorldSet = WorldSet(0);
    pub const ALL: WorldSet = WorldSet((1 << World::PARTS.len()) - 1);

    pub fn contains(self, part: World) -> bool {
        self.0 & 1 << part as u16 != 0
    }

    pub fn insert(&mut self, part: World) {
        self.0 |= 1 << part as u16;
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// In the order of [`World`].
    pub fn iter(self) -> impl Iterator<Item = World> {
        World::PARTS
            .into_iter()
            .filter(move |part| self.contains(*part))
    }
}

impl std::ops::BitOrAssign for WorldSet {
    fn bitor_assign(&mut self, other: WorldSet) {
        self.0 |= other.0;
    }
}

impl Extend<World> for WorldSet {
    fn extend<T: IntoIterator<Item = World>>(&mut self, parts: T) {
        parts.into_iter().for_each(|part| self.insert(part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_full_set_lists_every_part_once() {
        let listed: Vec<World> = WorldSet::ALL.iter().collect();
        assert_eq!(listed, World::PARTS);
        let mut set = WorldSet::EMPTY;
        set.extend(World::PARTS);
        assert_eq!(set, WorldSet::ALL);
    }
}
