//! Which nodes lie on common cycles, in an order where successors come first? Tarjan's algorithm
//! without recursion, over edges in compressed rows.

use knockon_graphs::Rows;

const UNSEEN: u32 = u32::MAX;

/// All nodes, each component in one stretch and after those it reaches, and the component of each
/// node. Linear in nodes and edges.
pub fn components(edges: &Rows<u32>) -> (Vec<u32>, Vec<u32>) {
    let count = edges.row_count();
    let mut number = vec![UNSEEN; count];
    let mut low = vec![0u32; count];
    let mut component = vec![UNSEEN; count];
    let mut order: Vec<u32> = Vec::with_capacity(count);
    let mut stack: Vec<u32> = Vec::new();
    let mut next_number = 0u32;
    let mut components = 0u32;
    // Nodes under way, each with the edges it has yet to follow.
    let mut work: Vec<(u32, std::slice::Iter<'_, u32>)> = Vec::new();
    for start in 0..count {
        if number[start] != UNSEEN {
            continue;
        }
        let mut entered = Some(start as u32);
        loop {
            if let Some(node) = entered.take() {
                let row = edges.of(node as usize);
                number[node as usize] = next_number;
                // Most nodes lead nowhere: each is a component that is complete.
                if row.is_empty() {
                    component[node as usize] = components;
                    components += 1;
                    order.push(node);
                } else {
                    low[node as usize] = next_number;
                    stack.push(node);
                    work.push((node, row.iter()));
                }
                next_number += 1;
            }
            let Some((node, rest)) = work.last_mut() else {
                break;
            };
            let node = *node;
            if let Some(&to) = rest.next() {
                if number[to as usize] == UNSEEN {
                    entered = Some(to);
                } else if component[to as usize] == UNSEEN {
                    low[node as usize] = low[node as usize].min(number[to as usize]);
                }
                continue;
            }
            work.pop();
            if let Some((parent, _)) = work.last() {
                let parent = *parent as usize;
                low[parent] = low[parent].min(low[node as usize]);
            }
            if low[node as usize] == number[node as usize] {
                while let Some(member) = stack.pop() {
                    component[member as usize] = components;
                    order.push(member);
                    if member == node {
                        break;
                    }
                }
                components += 1;
            }
        }
    }
    (order, component)
}
