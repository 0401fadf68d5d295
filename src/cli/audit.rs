//! `recallscope audit`: which answer keys are probably wrong.

use std::process::ExitCode;
use std::sync::Arc;

use crate::audit::audit;
use crate::report::{self, AuditReport, Format};
use crate::tokens::GemmaCounter;
use crate::workspace::Workspace;

use super::InputArgs;
use super::output::{print, warn};

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
}

pub(super) fn run(args: AuditArgs) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::open(&args.inputs.into(), Arc::new(GemmaCounter))?;
    warn(&workspace.warnings);
    let audit = audit(&workspace);
    let text = match args.format {
        Format::Json => report::json(&AuditReport::new(&audit, args.limit))?,
        Format::Csv => report::audit_signals_table(&audit, args.limit).to_csv(),
        Format::Markdown => report::audit_table(&audit, args.limit).to_markdown(),
        Format::Table => report::audit_table(&audit, args.limit).to_text(),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
