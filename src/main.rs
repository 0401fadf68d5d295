//! The program: the command line goes in, an exit code comes out.

use std::process::ExitCode;

/// Opening files allocates many small texts on all cores at once, at which this allocator is quicker than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    recallscope::cli::main()
}
