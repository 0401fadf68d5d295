"""The ranking measures of `benches/rank.rs` in plain Python, by the same rules, and how many times longer that takes.

    RECALLSCOPE_TREC_OUT=FOLDER cargo bench --bench rank -- trec
    python benches/python/rank.py FOLDER

Measured here is the counting of rankings that are read already, ours with the ranking itself and near-duplicates: the ratio
says less than the truth.
"""

import collections
import json
import math
import pathlib
import random
import sys
import time

KS = [1, 3, 5, 10, 20]
RESAMPLES = 10_000


def read(path, columns):
    rows = collections.defaultdict(list)
    for line in path.open():
        fields = line.split()
        rows[fields[columns[0]]].append(fields[columns[1]])
    return rows


def measures(relevant, ranking):
    relevant = set(relevant)
    first, found, gained, hits, values = 0, set(), 0.0, 0, {}
    depths = iter(KS)
    depth = next(depths)
    for rank, document in enumerate(ranking, 1):
        if document in relevant:
            hits += 1
            first = first or rank
            if document not in found:
                found.add(document)
                gained += 1 / math.log2(rank + 1)
        if rank == depth:
            values[depth] = count(relevant, depth, first, found, gained, hits)
            depth = next(depths, None)
            if depth is None:
                break
    while depth is not None:
        values[depth] = count(relevant, depth, first, found, gained, hits)
        depth = next(depths, None)
    return values


def count(relevant, k, first, found, gained, hits):
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(relevant)) + 1))
    return {
        "recall": len(found) / len(relevant),
        "any": float(bool(found)),
        "all": float(len(found) == len(relevant)),
        "precision": hits / k,
        "mrr": 1 / first if first else 0.0,
        "ndcg": gained / ideal,
    }


def interval(differences, seed=1):
    draw = random.Random(seed)
    n = len(differences)
    means = sorted(sum(draw.choices(differences, k=n)) / n for _ in range(RESAMPLES))
    return means[RESAMPLES // 40 - 1], means[-RESAMPLES // 40 - 1]


def main():
    folder = pathlib.Path(sys.argv[1])
    ours = json.loads((folder / "ours.json").read_text())
    qrels = read(folder / "qrels.txt", (0, 2))
    runs = {path.stem: read(path, (0, 2)) for path in sorted(folder.glob("*.run"))}
    began = time.perf_counter()
    values = {
        name: {question: measures(relevant, run.get(question, [])) for question, relevant in qrels.items()}
        for name, run in runs.items()
    }
    took = time.perf_counter() - began
    print(f"{ours['questions']} questions, {len(runs)} strategies, counted: {took:.3f} s, ours {ours['ranked']:.3f} s "
          f"with the ranking, ratio {took / ours['ranked']:.1f}")
    one, other = values["managed-relevant"], values["managed-all"]
    differences = [one[question][10]["ndcg"] - other[question][10]["ndcg"] for question in qrels]
    began = time.perf_counter()
    interval(differences)
    took = time.perf_counter() - began
    mine = ours["intervals"] / (6 * 10)
    print(f"one interval of {len(differences)} differences: {took:.3f} s, ours {mine:.4f} s on average, ratio {took / mine:.0f}")


main()
