//! Parses arguments, runs one command, prints, and sets the exit code.

use clap::Parser;
use knockon::arguments::Arguments;
use knockon::error_text::error_text;
use knockon::exit_code;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let wants_help = !error.use_stderr();
            let _ = error.print();
            return ExitCode::from(if wants_help {
                exit_code::FINISHED
            } else {
                exit_code::ERROR
            });
        }
    };
    match knockon::commands::run(arguments) {
        Ok(outcome) => match knockon::pager::print(&outcome.text) {
            // A reader that has seen enough (`| head`) is no error.
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                let _ = writeln!(
                    std::io::stderr(),
                    "knockon: cannot write the result: {error}"
                );
                ExitCode::from(exit_code::ERROR)
            }
            _ => ExitCode::from(outcome.code),
        },
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "knockon: {}", error_text(&error));
            ExitCode::from(exit_code::ERROR)
        }
    }
}
