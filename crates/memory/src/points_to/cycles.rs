//! Which nodes lie on common cycles, in an order where successors come first? Tarjan's algorithm
//! without recursion, over edges that are asked for.

/// All nodes, each component in one stretch and after those it reaches, and the component of each
/// node. Linear in nodes and edges.
pub fn components(
    count: usize,
    successors: impl Fn(usize, &mut dyn FnMut(u32)),
) -> (Vec<u32>, Vec<u32>) {
    const UNSEEN: u32 = u32::MAX;
    let mut number = vec![UNSEEN; count];
    let mut low = vec![0u32; count];
    let mut component = vec![UNSEEN; count];
    let mut order = Vec::with_capacity(count);
    let mut stack: Vec<u32> = Vec::new();
    let mut next_number = 0u32;
    let mut components = 0u32;
    // The edges of all nodes under way, one after the other.
    let mut edges: Vec<u32> = Vec::new();
    let mut work: Vec<(u32, usize, usize)> = Vec::new();
    for start in 0..count {
        if number[start] != UNSEEN {
            continue;
        }
        let mut entered = Some(start as u32);
        loop {
            if let Some(node) = entered.take() {
                number[node as usize] = next_number;
                low[node as usize] = next_number;
                next_number += 1;
                stack.push(node);
                let first = edges.len();
                successors(node as usize, &mut |to| edges.push(to));
                work.push((node, first, first));
            }
            let Some((node, first, at)) = work.last_mut() else {
                break;
            };
            let (node, first) = (*node, *first);
            if *at < edges.len() {
                let to = edges[*at];
                *at += 1;
                if number[to as usize] == UNSEEN {
                    entered = Some(to);
                } else if component[to as usize] == UNSEEN {
                    low[node as usize] = low[node as usize].min(number[to as usize]);
                }
                continue;
            }
            work.pop();
            edges.truncate(first);
            if let Some((parent, ..)) = work.last() {
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
