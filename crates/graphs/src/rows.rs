//! Question: how are many short lists stored so that a graph of millions of
//! nodes costs two arrays?
//!
//! Source: compressed sparse rows, as in any sparse matrix library. Row `i` is
//! `items[starts[i]..starts[i + 1]]`. `Rows<N>` with `N` a node id is a directed
//! graph.
//!
//! Why right: a counting sort by row keeps the order in which the pairs of one
//! row were given, so a row means what its builder pushed.
//!
//! Cost: linear in rows and items, to build and to reverse.

/// A node number: any of the program's ids, or one of this crate's.
pub trait NodeId: Copy + Eq + Ord + From<usize> + Into<usize> {}

impl<T: Copy + Eq + Ord + From<usize> + Into<usize>> NodeId for T {}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Rows {
            starts: vec![0],
            items: Vec::new(),
        }
    }
}

impl<T: Copy> Rows<T> {
    pub fn with_capacity(rows: usize, items: usize) -> Rows<T> {
        let mut starts = Vec::with_capacity(rows + 1);
        starts.push(0);
        Rows {
            starts,
            items: Vec::with_capacity(items),
        }
    }

    /// One row for each number below `row_count`, from pairs in any order.
    pub fn from_pairs<R: Copy + Into<usize>>(row_count: usize, pairs: &[(R, T)]) -> Rows<T> {
        let mut starts = vec![0u32; row_count + 1];
        for (row, _) in pairs {
            starts[(*row).into() + 1] += 1;
        }
        for row in 0..row_count {
            starts[row + 1] += starts[row];
        }
        let Some((_, filler)) = pairs.first() else {
            return Rows {
                starts,
                items: Vec::new(),
            };
        };
        let mut items = vec![*filler; pairs.len()];
        let mut next = starts.clone();
        for (row, item) in pairs {
            let at = &mut next[(*row).into()];
            items[*at as usize] = *item;
            *at += 1;
        }
        Rows { starts, items }
    }

    /// Appends one row.
    pub fn push_row(&mut self, row: impl IntoIterator<Item = T>) {
        self.items.extend(row);
        self.starts.push(self.items.len() as u32);
    }

    pub fn of(&self, row: impl Into<usize>) -> &[T] {
        &self.items[self.range(row)]
    }

    /// Where a row lies among all items.
    pub fn range(&self, row: impl Into<usize>) -> std::ops::Range<usize> {
        let row = row.into();
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    pub fn row_count(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn item_count(&self) -> usize {
        self.items.len()
    }
}

impl<N: NodeId> Rows<N> {
    pub fn node_ids(&self) -> impl DoubleEndedIterator<Item = N> + use<N> {
        (0..self.row_count()).map(N::from)
    }

    /// The same graph with every edge turned round; rows are in ascending order.
    pub fn reversed(&self) -> Rows<N> {
        let mut starts = vec![0u32; self.row_count() + 1];
        for target in &self.items {
            starts[(*target).into() + 1] += 1;
        }
        for row in 0..self.row_count() {
            starts[row + 1] += starts[row];
        }
        let mut items = vec![N::from(0); self.items.len()];
        let mut next = starts.clone();
        for source in 0..self.row_count() {
            for target in self.of(source) {
                let at = &mut next[(*target).into()];
                items[*at as usize] = N::from(source);
                *at += 1;
            }
        }
        Rows { starts, items }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use knockon_program::BlockId;

    #[test]
    fn pairs_of_one_row_keep_their_order() {
        let rows = Rows::from_pairs(3, &[(2usize, 'x'), (0, 'a'), (2, 'y'), (0, 'b')]);
        assert_eq!(rows.of(0usize), ['a', 'b']);
        assert_eq!(rows.of(1usize), []);
        assert_eq!(rows.of(2usize), ['x', 'y']);
    }

    #[test]
    fn reversing_twice_sorts_the_rows_and_keeps_the_edges() {
        let edges = [(0usize, BlockId(2)), (0, BlockId(1)), (2, BlockId(0))];
        let graph = Rows::from_pairs(3, &edges);
        let again = graph.reversed().reversed();
        assert_eq!(again.of(0usize), [BlockId(1), BlockId(2)]);
        assert_eq!(again.of(2usize), [BlockId(0)]);
    }

    #[test]
    fn no_pairs_make_empty_rows() {
        let rows = Rows::<u8>::from_pairs::<usize>(2, &[]);
        assert_eq!(rows.row_count(), 2);
        assert_eq!(rows.of(1usize), []);
    }
}
