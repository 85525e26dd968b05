//! Regions, mod/ref sets and memory SSA of small C programs.

mod regions {
    mod against_runs;
    mod apart;
    mod compiled;
    mod effects_of_calls;
    mod fixtures;
    mod random_programs;
    mod together;
    mod versions;
}
