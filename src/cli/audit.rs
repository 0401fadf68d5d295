//! `recallscope audit`: which answer keys are probably wrong.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::audit::{Doubt, Known, audit};
use crate::open::Inputs;
use crate::report::{self, AuditReport, Format};
use crate::source::Source;

use super::commands::{open, written};
use super::output::print;
use super::{InputArgs, TokenArgs};

/// What may be typed after `audit`.
#[derive(clap::Args)]
pub(super) struct AuditArgs {
    #[command(flatten)]
    inputs: InputArgs,
    /// How to print the queue
    #[arg(long, default_value = "table")]
    format: Format,
    /// Print only the first N questions
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Print how well the queue finds the questions of this list, whose keys or evidence are known to be wrong: objects with
    /// `question_id` and `error_type`
    #[arg(long, value_name = "FILE", hide = true)]
    known: Option<PathBuf>,
    #[command(flatten)]
    tokens: TokenArgs,
}

pub(super) fn run(args: AuditArgs) -> anyhow::Result<ExitCode> {
    let inputs = Inputs::from(args.inputs);
    let workspace = open(&inputs, &args.tokens)?;
    let audit = audit(&workspace);
    if let Some(known) = &args.known {
        let known = Known::load(&Source::read(known)?)?;
        let found = |doubt| known.measure(&audit, &workspace.evaluation, doubt);
        print(&format!(
            "wrong keys: {}\nwrong evidence, by the signals that doubt it: {}\n",
            found(Doubt::Key),
            found(Doubt::Evidence)
        ))?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = match args.format {
        Format::Json => report::json(&AuditReport::new(&audit, args.limit))?,
        Format::Csv => report::audit_signals_table(&audit, args.limit).to_csv(),
        format => written(&report::audit_table(&audit, args.limit), format),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
