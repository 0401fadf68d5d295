//! The program: the command line goes in, an exit code comes out.

use std::process::ExitCode;

fn main() -> ExitCode {
    recallscope::cli::main()
}
