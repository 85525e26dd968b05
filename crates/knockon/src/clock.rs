//! How long the steps of a command take.

use std::time::Instant;

/// `--timings`: seconds appear only when asked for.
pub struct Clock {
    on: bool,
    last: Instant,
}

impl Clock {
    pub fn new(on: bool) -> Clock {
        Clock {
            on,
            last: Instant::now(),
        }
    }

    pub fn step(&mut self, name: &str) {
        if self.on {
            use std::io::Write;
            let _ = writeln!(
                std::io::stderr(),
                "{:>9.3} s  {name}",
                self.last.elapsed().as_secs_f64()
            );
        }
        self.last = Instant::now();
    }
}
