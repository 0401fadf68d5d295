//! Decisions: taken, revised, withdrawn, kept on disk whatever happens, and held against a workspace.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{clock, decide_more, decided, proposal, workspace};
use recallscope::source::Source;
use recallscope::triage::disk::{Disk, RealDisk};
use recallscope::triage::export::{self, EntryState};
use recallscope::triage::{
    AnswerChoice, DecideError, DecisionAction, DecisionVerdict, Dispute, Proposal, Ruling, Scores, Standing, Subject,
    Triage, TriageError, TriageFile, decide,
};
use recallscope::workspace::Workspace;

use DecisionVerdict::{Ambiguous, AnswerRight, AnswerWrong, KeyRight, KeyTooNarrow, KeyWrong};

const DESK: usize = 5;

fn states(triage: &Triage, workspace: &Workspace) -> Vec<EntryState> {
    let standing = Standing::of(triage, workspace);
    export::entries(&standing).iter().map(|entry| entry.state).collect()
}

fn append(file: &TriageFile, workspace: &Workspace, proposal: &Proposal) -> Triage {
    file.append(|triage| decide(workspace, triage, proposal, &clock())).unwrap()
}

#[test]
fn an_author_revises_and_withdraws_and_the_history_stays() {
    let workspace = workspace();
    let mut triage = decided(&workspace, "bob/2", KeyWrong, "ada", |_| {});
    decide_more(&workspace, &mut triage, "Who approves my desk order?", KeyRight, "ada", |_| {});
    assert_eq!(states(&triage, &workspace), [EntryState::Past, EntryState::Stands]);
    assert_eq!(triage.decisions[1].action, DecisionAction::Revise);
    assert_eq!(triage.decisions[1].previous.decision, Some(KeyWrong));
    assert!(Standing::of(&triage, &workspace).dispute(DESK).is_none());
    decide_more(&workspace, &mut triage, "bob/2", KeyRight, "ada", |proposal| proposal.withdraw = true);
    assert_eq!(states(&triage, &workspace), [EntryState::Past, EntryState::Past, EntryState::Withdrawal]);
    assert_eq!(Standing::of(&triage, &workspace).on_key(DESK), None);
    // Decided anew, it is a first word again.
    decide_more(&workspace, &mut triage, "bob/2", KeyWrong, "ada", |_| {});
    assert_eq!(triage.decisions[3].action, DecisionAction::Decide);
    assert_eq!(Standing::of(&triage, &workspace).on_key(DESK), Some(Ruling::Stands(3)));
}

#[test]
fn a_decision_keeps_what_stood_before_and_what_it_rests_on() {
    let workspace = workspace();
    let mut triage = decided(&workspace, "bob/2", KeyTooNarrow, "ada", |proposal| {
        proposal.patterns = vec![("Priya".into(), "priya|manager".into())];
    });
    let first = &triage.decisions[0];
    assert_eq!(first.previous.key.as_ref().unwrap().patterns().collect::<Vec<_>>(), [("Priya", r"\bpriya\b")]);
    let evidence: Vec<_> = first.evidence.iter().map(|line| (line.turn, line.text.as_str())).collect();
    assert_eq!(evidence, [(4, "I need a standing desk."), (23, "My manager is Priya.")]);
    // A further pattern builds on the author's own correction.
    decide_more(&workspace, &mut triage, "bob/2", KeyTooNarrow, "ada", |proposal| {
        proposal.patterns = vec![("forgotten".into(), "rua nova".into())];
        proposal.evidence = vec![7];
    });
    let second = &triage.decisions[1];
    let patterns: Vec<_> = second.patterns.as_ref().unwrap().text.patterns().collect();
    assert_eq!(patterns, [("Priya", "priya|manager"), ("forgotten", "rua nova")]);
    assert_eq!(second.previous.key.as_ref().unwrap().patterns().count(), 1);
    assert_eq!(second.evidence[0].text, "My home address is 12 Rua Nova.");
    decide_more(&workspace, &mut triage, "bob/2", Ambiguous, "ada", |_| {});
    assert_eq!(triage.decisions[2].previous.facts.as_ref().unwrap().required.len(), 2);
    decide_more(&workspace, &mut triage, "bob/2", AnswerRight, "ada", |proposal| {
        proposal.answers = Some(AnswerChoice::parse("managed-all/1"));
    });
    assert_eq!(triage.decisions[3].previous.grade.as_ref().unwrap().reason, "missing: Priya");
}

#[test]
fn what_is_not_a_decision_is_refused_in_words() {
    let workspace = workspace();
    let refused = |verdict, change: &dyn Fn(&mut Proposal)| {
        let mut proposal = proposal("bob/2", verdict, "ada");
        change(&mut proposal);
        decide(&workspace, &Triage::default(), &proposal, &clock()).unwrap_err().to_string()
    };
    assert_eq!(refused(KeyWrong, &|p| p.reason = " ".into()), "found an empty reason, expected why it was decided");
    assert!(refused(KeyWrong, &|p| p.question = "bob/8".into()).contains("did you mean \"bob/"));
    assert!(refused(AnswerRight, &|_| {}).contains("STRATEGY/SEED"));
    assert!(refused(KeyWrong, &|p| p.answers = Some(AnswerChoice::All)).contains("expected none"));
    assert!(refused(KeyRight, &|p| p.patterns = vec![("a".into(), "b".into())]).contains("finds no fault in the key"));
    assert_eq!(
        refused(KeyWrong, &|p| p.patterns = vec![("a".into(), "b[".into())]),
        "found the pattern \"b[\" for \"a\", expected a regular expression: column 2: unclosed character class"
    );
    assert_eq!(
        refused(AnswerWrong, &|p| p.answers = Some(AnswerChoice::parse("managed-all/99"))),
        "found no answer under the strategy \"managed-all\" with the seed 99 to \"Who approves my desk order?\" in the \
         recordings, expected at least one"
    );
    assert!(
        refused(KeyWrong, &|p| p.evidence = vec![3]).contains("the turn 3 as evidence, expected a turn at which bob")
    );
    assert!(refused(KeyWrong, &|p| p.withdraw = true).contains("expected one to withdraw"));
}

#[test]
fn two_authors_that_disagree_are_a_conflict_and_neither_is_applied() {
    let workspace = workspace();
    let mut triage = decided(&workspace, "bob/2", KeyWrong, "ada", |proposal| {
        proposal.patterns = vec![("Priya".into(), "notes".into())];
    });
    decide_more(&workspace, &mut triage, "bob/2", KeyRight, "bo", |_| {});
    let standing = Standing::of(&triage, &workspace);
    assert_eq!(standing.conflicts.len(), 1);
    assert_eq!(standing.conflicts[0].decisions, [0, 1]);
    assert!(matches!(standing.dispute(DESK), Some(Dispute::Conflict(_))));
    assert!(standing.corrected(DESK).is_none());
    assert_eq!(states(&triage, &workspace), [EntryState::Conflict; 2]);
    let remarks = export::remarks(&standing);
    assert_eq!(
        remarks,
        [
            "bob/2: key: conflict, none is applied: ada says \u{201c}key wrong\u{201d}, bo says \u{201c}key right\u{201d}"
        ]
    );
    let scores = Scores::of(&workspace, &standing);
    assert_eq!(scores.moved, []);
    assert_eq!(scores.corrected, scores.as_recorded);
    assert_eq!((scores.undisputed[0].pass, scores.undisputed[0].answers), (40, 45));
    assert_eq!(scores.set_aside.len(), 1);
    // When one of them comes round, it is over.
    decide_more(&workspace, &mut triage, "bob/2", KeyWrong, "bo", |_| {});
    let standing = Standing::of(&triage, &workspace);
    assert_eq!(standing.conflicts, []);
    assert!(standing.corrected(DESK).is_some(), "the one that corrects the key speaks for both");
    // The same verdict with two corrections is a conflict again.
    decide_more(&workspace, &mut triage, "bob/2", KeyWrong, "bo", |p| p.patterns = vec![("Priya".into(), "x".into())]);
    assert_eq!(Standing::of(&triage, &workspace).conflicts.len(), 1);
    // On another subject nobody disagrees.
    decide_more(&workspace, &mut triage, "bob/1", KeyRight, "bo", |_| {});
    assert_eq!(Standing::of(&triage, &workspace).conflicts.len(), 1);
}

#[test]
fn authors_may_disagree_about_answers_that_they_select_in_different_ways() {
    let workspace = workspace();
    let mut triage = decided(&workspace, "bob/2", AnswerRight, "ada", |p| p.answers = Some(AnswerChoice::All));
    decide_more(&workspace, &mut triage, "bob/2", AnswerWrong, "bo", |proposal| {
        proposal.answers = Some(AnswerChoice::parse("append-all/1"));
    });
    let standing = Standing::of(&triage, &workspace);
    assert_eq!(standing.conflicts.len(), 1);
    let scores = Scores::of(&workspace, &standing);
    assert_eq!(scores.corrected.iter().map(|score| score.pass).collect::<Vec<_>>(), [45, 35, 29]);
    assert_eq!(scores.moved.len(), 14);
    assert_eq!(scores.answers_set_aside, 15);
    // An author's later and narrower word counts before the earlier one.
    decide_more(&workspace, &mut triage, "bob/2", AnswerWrong, "ada", |proposal| {
        proposal.answers = Some(AnswerChoice::parse("append-all/1"));
    });
    let standing = Standing::of(&triage, &workspace);
    assert_eq!(standing.conflicts, []);
    assert_eq!(Scores::of(&workspace, &standing).corrected[2].pass, 29);
}

#[test]
fn a_decision_about_a_question_that_is_gone_is_kept_and_reported() {
    let workspace = workspace();
    let folder = tempfile::tempdir().unwrap();
    let file = TriageFile::at(folder.path().join("triage.json"));
    let mut triage = decided(&workspace, "bob/2", KeyWrong, "ada", |_| {});
    triage.decisions[0].question = "zoe/1".into();
    triage.decisions[0].asked = "Who is Zoe?".into();
    let gone = triage.decisions.clone();
    file.append(|_| Ok(gone)).unwrap();
    let triage = append(&file, &workspace, &proposal("bob/1", KeyRight, "bo"));
    assert_eq!(states(&triage, &workspace), [EntryState::UnknownQuestion, EntryState::Stands]);
    let standing = Standing::of(&triage, &workspace);
    assert_eq!(standing.unknown, [0]);
    assert!(export::remarks(&standing)[0].contains("zoe/1: the case set does not have this question"));
    assert!(std::fs::read_to_string(file.path()).unwrap().contains("zoe/1"));
    assert_eq!(Scores::of(&workspace, &standing).set_aside, []);
    // It can be taken back all the same.
    let withdrawal = Proposal { withdraw: true, ..proposal("zoe/1", KeyWrong, "ada") };
    let triage = append(&file, &workspace, &withdrawal);
    assert_eq!(triage.decisions[2].action, DecisionAction::Withdraw);
    assert_eq!(triage.decisions[2].asked, "Who is Zoe?");
    // And an answer that no recording has.
    let mut other =
        decided(&workspace, "bob/2", AnswerRight, "ada", |p| p.answers = Some(AnswerChoice::parse("append-all/1")));
    let Subject::Answer(selector) = &mut other.decisions[0].subject else { panic!() };
    selector.text = "Omar does.".into();
    let standing = Standing::of(&other, &workspace);
    assert_eq!(standing.unmatched, [0]);
    assert_eq!(states(&other, &workspace), [EntryState::UnknownAnswer]);
}

#[test]
fn a_question_is_found_by_its_words_when_its_number_moved_but_a_repaired_copy_is_not_it() {
    let workspace = workspace();
    let mut triage = decided(&workspace, "bob/2", KeyWrong, "ada", |_| {});
    let found = |triage: &Triage| Standing::of(triage, &workspace).unknown.is_empty();
    triage.decisions[0].question = "bob/9".into();
    assert!(found(&triage), "numbered, the same user, the same words");
    triage.decisions[0].question = "bob/1".into();
    assert!(found(&triage), "another question has the number now");
    triage.decisions[0].question = "bob/2/repaired".into();
    assert!(!found(&triage));
    triage.decisions[0].question = "alice/2".into();
    assert!(!found(&triage), "another user");
    triage.decisions[0].question = "bob/2".into();
    triage.decisions[0].asked = "Who approves my holiday?".into();
    assert!(!found(&triage), "the number is there, the words are others");
    triage.decisions[0].asked = String::new();
    assert!(found(&triage));
}

#[test]
fn a_broken_file_is_named_with_line_and_column_and_left_alone() {
    let workspace = workspace();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("triage.json");
    let file = TriageFile::at(&path);
    append(&file, &workspace, &proposal("bob/2", KeyWrong, "ada"));
    let good = std::fs::read_to_string(&path).unwrap();
    let name = path.display().to_string();
    for (from, to, expected) in [
        ("\"author\"", "\"author", ":9:15: this is not JSON: found `a`, expected `:`"),
        ("\"key wrong\"", "\"key rwong\"", ":6:16: [0].verdict: unknown variant `key rwong`"),
        ("\"because\"", "\"  \"", ":8:15: found an empty reason, expected why it was decided"),
        ("\"2026-11-30T12:00:00Z\"", "\"yesterday\"", ":10:13: found the time \"yesterday\", expected RFC 3339"),
        ("\"key\",", "\"case\",", ":5:16: found the subject `case`, expected `key` for the verdict \"key wrong\""),
    ] {
        let broken = good.replacen(from, to, 1);
        std::fs::write(&path, &broken).unwrap();
        let error = file.load().unwrap_err().to_string();
        assert!(error.starts_with(&format!("{name}{expected}")), "{error}\n{broken}");
        let refused = file.append(|triage| decide(&workspace, triage, &proposal("bob/2", KeyRight, "bo"), &clock()));
        assert!(matches!(refused, Err(TriageError::Input(_))));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), broken);
    }
    let pattern =
        good.replacen("    \"previous\"", "    \"patterns\": {\"must\": {\"a\": \"x(\"}},\n    \"previous\"", 1);
    let error = Triage::parse(&Source::new("t.json", pattern)).unwrap_err().to_string();
    assert_eq!(
        error,
        "t.json:15:32: found the pattern \"x(\", expected a regular expression: column 2: unclosed group"
    );
}

#[test]
fn the_file_diffs_well_and_keeps_what_it_does_not_know() {
    let workspace = workspace();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("triage.json");
    let file = TriageFile::at(&path);
    append(&file, &workspace, &proposal("bob/2", KeyWrong, "ada"));
    let first = std::fs::read_to_string(&path).unwrap();
    let expected = r#"[
  {
    "question": "bob/2",
    "asked": "Who approves my desk order?",
    "subject": "key",
    "verdict": "key wrong",
    "action": "decide",
    "reason": "because",
    "author": "ada",
    "time": "2026-11-30T12:00:00Z",
    "evidence": [
      {"turn": 4, "text": "I need a standing desk."},
      {"turn": 23, "text": "My manager is Priya."}
    ],
    "previous": {"key": {"must": {"Priya": "\\bpriya\\b"}, "stale": null, "forgotten": null}}
  }
]
"#;
    assert_eq!(first, expected);
    // Somebody's own field, spacing and time zone stay as they are.
    let edited =
        first.replace("    \"author\"", "    \"ticket\":   17,\n    \"author\"").replace("12:00:00Z", "13:00:00+01:00");
    std::fs::write(&path, &edited).unwrap();
    let triage = append(&file, &workspace, &proposal("bob/2", KeyRight, "bo"));
    let second = std::fs::read_to_string(&path).unwrap();
    assert!(second.starts_with(edited.trim_end().strip_suffix(']').unwrap().trim_end()));
    assert!(second.ends_with("  }\n]\n"));
    assert_eq!(triage.decisions[0].time, clock().0);
    assert!(triage.warnings[0].to_string().contains("unknown field `ticket`"));
    // What was written is read back as it was.
    assert_eq!(file.load().unwrap().decisions, triage.decisions);
}

#[test]
fn an_empty_file_is_an_empty_list_and_nothing_to_add_writes_nothing() {
    let workspace = workspace();
    let folder = tempfile::tempdir().unwrap();
    for text in ["", "\n", "[]", "[ ]\n"] {
        let path = folder.path().join("triage.json");
        std::fs::write(&path, text).unwrap();
        let file = TriageFile::at(&path);
        file.append(|_| Ok(Vec::new())).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        append(&file, &workspace, &proposal("bob/2", KeyWrong, "ada"));
        assert_eq!(file.load().unwrap().decisions.len(), 1);
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("[\n  {\n"), "{text:?}");
    }
}

/// A disk that stops for good after so many steps; each byte is a step. As after a kill, nothing is tidied up.
struct Dying {
    disk: RealDisk,
    steps: usize,
}

impl Dying {
    fn step(&mut self) -> io::Result<()> {
        self.steps = self.steps.checked_sub(1).ok_or_else(|| io::Error::other("killed"))?;
        Ok(())
    }
}

impl Disk for Dying {
    fn create(&mut self, path: &Path, like: &Path) -> io::Result<()> {
        self.step()?;
        self.disk.create(path, like)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = bytes.len().min(self.steps);
        self.disk.write(&bytes[..written])?;
        self.steps -= written;
        if written < bytes.len() { Err(io::Error::other("killed")) } else { Ok(()) }
    }

    fn sync(&mut self) -> io::Result<()> {
        self.step()?;
        self.disk.sync()
    }

    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        self.step()?;
        self.disk.rename(from, to)
    }

    fn sync_folder(&mut self, folder: &Path) -> io::Result<()> {
        self.step()?;
        self.disk.sync_folder(folder)
    }

    fn remove(&mut self, _: &Path) {}
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_file_or_the_new_one() {
    let workspace = workspace();
    for had_one in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("triage.json");
        let file = TriageFile::at(&path);
        if had_one {
            append(&file, &workspace, &proposal("bob/2", KeyWrong, "ada"));
        }
        let old = std::fs::read(&path).ok();
        let (mut kept_old, mut kept_new, mut steps) = (0, 0, 0);
        loop {
            let mut disk = Dying { disk: RealDisk::default(), steps };
            let made = |triage: &Triage| decide(&workspace, triage, &proposal("bob/1", KeyRight, "bo"), &clock());
            let done = file.append_on(&mut disk, made).is_ok();
            let now = std::fs::read(&path).ok();
            let read = file.load().unwrap().decisions.len();
            if now == old {
                assert!(!done);
                assert_eq!(read, usize::from(had_one));
                kept_old += 1;
            } else {
                assert_eq!(read, usize::from(had_one) + 1);
                kept_new += 1;
            }
            if done {
                break;
            }
            // The next start goes on from there, whatever the kill left behind.
            if now != old {
                match &old {
                    Some(bytes) => std::fs::write(&path, bytes).unwrap(),
                    None => std::fs::remove_file(&path).unwrap(),
                }
            }
            steps += 1;
        }
        assert!(kept_old > 300, "one kill a byte");
        assert_eq!(kept_new, 2, "after the rename, before and after its folder is on the disk");
        append(&file, &workspace, &proposal("bob/3", KeyRight, "bo"));
        assert_eq!(file.load().unwrap().decisions.len(), usize::from(had_one) + 2);
        let mut names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [".triage.json.lock", "triage.json"], "nothing half is left");
    }
}

#[test]
fn two_writers_lose_nothing() {
    let workspace = workspace();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("triage.json");
    let done = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for author in ["ada", "bo", "cy", "di"] {
            let (workspace, path, done) = (&workspace, &path, &done);
            scope.spawn(move || {
                for number in 1..=10 {
                    let file = TriageFile::at(path);
                    let question = format!("{}/{}", ["alice", "bob", "chen"][number % 3], 1 + number % 3);
                    append(&file, workspace, &proposal(&question, KeyWrong, author));
                    done.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        // A reader in between sees whole lists only.
        scope.spawn(|| {
            let mut seen = 0;
            while done.load(Ordering::SeqCst) < 40 {
                let now = TriageFile::at(&path).load().unwrap().decisions.len();
                assert!(now >= seen, "the list only grows");
                seen = now;
            }
        });
    });
    let triage = TriageFile::at(&path).load().unwrap();
    assert_eq!(triage.decisions.len(), 40);
    for author in ["ada", "bo", "cy", "di"] {
        let own: Vec<_> = triage.decisions.iter().filter(|decision| decision.author == author).collect();
        assert_eq!(own.len(), 10);
        // Each saw what it had written before: the first word on a question is followed by revisions.
        assert_eq!(own.iter().filter(|decision| decision.action == DecisionAction::Decide).count(), 3);
    }
}

#[test]
fn two_processes_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("triage.json");
    let spawn = |author: &str, number: usize| {
        std::process::Command::new(env!("CARGO_BIN_EXE_recallscope"))
            .args([
                "decide",
                &format!("bob/{}", 1 + number % 3),
                "key-wrong",
                "--reason",
                "because",
                "--author",
                author,
            ])
            .arg("--triage")
            .arg(&path)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    for round in 0..4 {
        let children: Vec<_> = ["ada", "bo", "cy"].iter().map(|author| spawn(author, round)).collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
    }
    assert_eq!(TriageFile::at(&path).load().unwrap().decisions.len(), 12);
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_the_permissions_stay() {
    use std::os::unix::fs::PermissionsExt;
    let workspace = workspace();
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().join("real.json");
    let link = folder.path().join("link.json");
    append(&TriageFile::at(&real), &workspace, &proposal("bob/2", KeyWrong, "ada"));
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    append(&TriageFile::at(&link), &workspace, &proposal("bob/2", KeyWrong, "bo"));
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(TriageFile::at(&real).load().unwrap().decisions.len(), 2);
    assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_folder_that_is_not_there_is_said() {
    let workspace = workspace();
    let folder = tempfile::tempdir().unwrap();
    let file = TriageFile::at(folder.path().join("no").join("triage.json"));
    let refused = file.append(|triage| decide(&workspace, triage, &proposal("bob/2", KeyWrong, "ada"), &clock()));
    let error = refused.unwrap_err();
    assert!(error.to_string().contains("triage.json: cannot be locked: "), "{error}");
    let unknown = file.append(|_| Err(DecideError::NoReason));
    assert!(unknown.is_err());
}
