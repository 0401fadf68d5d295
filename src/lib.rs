//! recallscope shows why an agent's memory failed a question.
//!
//! Data flows one way:
//!
//! ```text
//! case files ─ load ─▶ CaseSet ─ apply events ─▶ stores ─ rank ─▶ candidates ─ fill quota ─▶ blocks ─ grade ─┐
//! recordings ─ load ─▶ Recording ─────────────────── grade with answer keys ─▶ verdicts ────────────────────┤
//!                                                                                                            ▼
//!                                                                        Workspace (immutable, shared) ─▶ reports, panes
//! decisions  ─ load ─▶ Triage ───── held against the Workspace ─▶ Standing ─▶ causes, three totals ─▶ reports, panes
//! ```
//!
//! * [`case`]: events, questions and the facts they need; [`source`] reads files and says where they are wrong; [`open`]
//!   knows which file is what.
//! * [`import`]: benchmarks and the answers of other systems, recognised and made into case sets, recordings and block runs.
//! * [`memory`]: two SQLite stores, and the history of every row in them.
//! * [`governed`]: a store that decides what becomes durable, who reads it, what was believed when, and what is gone.
//! * [`abilities`]: probes that show which abilities a memory has, and which it only seems to have.
//! * [`select`]: strategies rank what a store lets a question read; the facts quota cuts. [`embed`]: vectors from a server of
//!   the user's; [`command`]: a program of the user's that ranks; both before the evaluation, with [`progress`].
//! * [`grade`]: blocks by facts, answers by keys, judges and published answers. [`agreement`]: how far graders agree.
//!   [`breakdown`]: totals by category.
//!   [`recording`]: what a model said.
//! * [`evaluate`], [`replay`], [`workspace`]: the whole run, kept together. [`explain`]: why each record went in or stayed out.
//! * [`audit`]: which answer keys are probably wrong, with proof.
//! * [`compare`]: strategies side by side, and the questions on which two differ.
//! * [`rank`]: how well strategies rank, and whether two of them differ by more than chance.
//! * [`provenance`]: whether the recorded answers were made from these blocks.
//! * [`triage`]: why each answer failed, what people decided about it, and what the totals are then.
//! * [`layers`]: a number for each layer of a memory, formation, retrieval, use and lifecycle.
//! * [`tokens`]: exact token counts. [`request`]: what was sent to the model. [`report`]: the same values as JSON, CSV and tables.
//! * [`tui`]: the explorer. Nothing else knows a terminal.

pub mod abilities;
pub mod agreement;
pub mod audit;
pub mod breakdown;
pub mod bundled;
pub mod case;
pub mod cli;
pub mod command;
pub mod compare;
pub mod deferred;
pub mod diagnosis;
pub mod embed;
pub mod evaluate;
pub mod explain;
pub mod governed;
pub mod grade;
pub mod import;
pub mod layers;
pub mod memory;
pub mod open;
pub mod progress;
pub mod provenance;
pub mod rank;
pub mod recording;
pub mod replay;
pub mod report;
pub mod request;
pub mod select;
pub mod source;
pub mod text;
pub mod tokens;
pub mod triage;
pub mod tui;
pub mod workspace;
