"""BM25 over a case file by the same rules as the strategy `bm25`, in plain Python: one index a conversation, all questions.

Prints the seconds from parsed cases to the last ranking, and a sum of the first places to hold against ours.
"""
import json
import math
import re
import sys
import time

cases = json.load(open(sys.argv[1]))
started = time.perf_counter()
WORD = re.compile(r"[^\W_]+")
check = 0
for conversation in cases["conversations"]:
    current = {}
    for place, event in enumerate(conversation["events"]):
        if event["op"] == "forget":
            current.pop(event["attribute"], None)
        else:
            if event["op"] == "correct":
                current[event["attribute"]] = []
            current.setdefault(event["attribute"], []).append((place, event["text"]))
    # Newest first, as the store gives them.
    records = sorted((record for kept in current.values() for record in kept), reverse=True)
    postings, lengths = {}, []
    for index, (_, text) in enumerate(records):
        words = WORD.findall(text.lower())
        lengths.append(len(words))
        for word in words:
            counts = postings.setdefault(word, {})
            counts[index] = counts.get(index, 0) + 1
    number = len(records)
    average = sum(lengths) / max(number, 1)
    for question in conversation["questions"]:
        scores = {}
        for word in dict.fromkeys(WORD.findall(question["question"].lower())):
            counts = postings.get(word, {})
            weight = max(math.log((number - len(counts) + 0.5) / (len(counts) + 0.5)), 1e-6)
            for index, count in counts.items():
                part = weight * ((count * 2.2) / (count + 1.2 * (1 - 0.75 + 0.75 * lengths[index] / average)))
                scores[index] = scores.get(index, 0.0) + part
        ranking = sorted(scores, key=lambda index: (-scores[index], index))
        if ranking:
            check += records[ranking[0]][0]
print(json.dumps({"seconds": time.perf_counter() - started, "check": check}))
