//! The interpreter against clang: what programs print and how they end, which behaviour is
//! undefined, and what each node of a run observes.

mod interpreter {
    mod agreement;
    mod compiled;
    mod observations;
    mod traces;
    mod undefined;
}
