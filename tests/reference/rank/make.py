"""Measures rankings with published programs: what `tests/rank_reference.rs` holds ours against.

    pip install ir_measures==0.4.3 ranx==0.3.21
    RECALLSCOPE_TREC_OUT=OUT RECALLSCOPE_SLICE=SLICE RECALLSCOPE_LOCOMO=LOCOMO \
        cargo nextest run --test rank_reference --run-ignored only
    python tests/reference/rank/make.py OUT

Of LoCoMo (CC BY-NC) only numbers are kept; of the slice (MIT) the rankings too, cut at 60.
"""

import collections
import importlib.metadata
import json
import pathlib
import sys

import ir_measures
import ranx

KS = [1, 3, 5, 10, 20]
# Our name of a measure: theirs in ir_measures and in ranx; with a cutoff, and over the whole ranking.
NAMES = {
    "recall": ("R", "recall"),
    "any": ("Success", "hit_rate"),
    "precision": ("P", "precision"),
    "mrr": ("RR", "mrr"),
    "ndcg": ("nDCG", "ndcg"),
}
# What ir_measures has without a cutoff.
WHOLE = {"mrr", "ndcg"}


def read(path, columns):
    rows = collections.defaultdict(dict)
    for line in path.open():
        fields = line.split()
        question, document, value = (fields[i] for i in columns)
        rows[question][document] = float(value)
    return rows


def measured(qrels, run):
    """By question, the values by column; a question that ranks nothing is 0 everywhere."""
    values = {question: {} for question in qrels}
    whole = {question: dict(run.get(question, {})) for question in qrels}
    ours = {}
    for name, (theirs, _) in NAMES.items():
        for k in KS:
            ours[ir_measures.parse_measure(f"{theirs}@{k}")] = f"ir_measures {name}@{k}"
        if name in WHOLE:
            ours[ir_measures.parse_measure(theirs)] = f"ir_measures {name}"
    relevant = {question: {document: 1 for document in documents} for question, documents in qrels.items()}
    for column in ours.values():
        for own in values.values():
            own[column] = 0.0
    for metric in ir_measures.iter_calc(list(ours), relevant, {q: d for q, d in whole.items() if d}):
        values[metric.query_id][ours[metric.measure]] = float(metric.value)
    columns = {theirs + (f"@{k}" if k else ""): name + (f"@{k}" if k else "")
               for name, (_, theirs) in NAMES.items() for k in [*KS, None] if not (name == "any" and k is None)}
    scored = ranx.Run({question: documents or {"nothing": 0.0} for question, documents in whole.items()})
    ranx.evaluate(ranx.Qrels(relevant), scored, list(columns), make_comparable=True)
    for theirs, name in columns.items():
        for question, value in scored.scores[theirs].items():
            values[question][f"ranx {name}"] = float(value)
    return values


def reference(folder, keep):
    qrels = read(folder / "qrels.txt", (0, 2, 3))
    questions = sorted(qrels)
    sample = questions if keep else questions[::31]
    out = {"versions": {name: importlib.metadata.version(name) for name in ("ir_measures", "pytrec_eval-terrier", "ranx")}}
    if keep:
        out["qrels"] = {question: sorted(qrels[question]) for question in questions}
    out["runs"] = {}
    for path in sorted(folder.glob("*.run")):
        run = read(path, (0, 2, 4))
        ranking = {question: sorted(run.get(question, {}), key=lambda d: -run[question][d]) for question in questions}
        if keep:
            ranking = {question: documents[:60] for question, documents in ranking.items()}
            run = {question: {d: float(len(documents) - i) for i, d in enumerate(documents)} for question, documents in ranking.items()}
        values = measured(qrels, run)
        columns = sorted(next(iter(values.values())))
        row = {
            "columns": columns,
            "means": {column: sum(own[column] for own in values.values()) / len(values) for column in columns},
            "values": {question: [values[question][column] for column in columns] for question in sample},
        }
        if keep:
            row["ranking"] = ranking
        out["runs"][path.stem] = row
    return out


def main():
    source, target = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parent
    for name, keep in (("slice", True), ("locomo", False)):
        (target / f"{name}.json").write_text(json.dumps(reference(source / name, keep)) + "\n")


main()
