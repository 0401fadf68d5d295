"""The rules of recallscope's LongMemEval importer in plain Python: what benches/import.rs is held against.

Usage: import_longmemeval.py FILE [OUT]. Prints the seconds that reading (and writing) took, then questions, events and facts.
"""

import json
import sys
import time


def conversation(entry):
    sessions = list(zip(entry["haystack_session_ids"], entry["haystack_dates"], entry["haystack_sessions"]))
    sessions.sort(key=lambda session: session[1])
    events, flagged = [], {}
    wanted = set(entry["answer_session_ids"])
    for session, date, turns in sessions:
        for place, turn in enumerate(turns):
            name = f"{session}_turn_{place:03}"
            if turn.get("has_answer"):
                flagged.setdefault(session, []).append(name)
            events.append({
                "turn": len(events) + 1, "text": f"{turn['role']}: {turn['content']}", "op": "remember",
                "attribute": name, "id": name, "speaker": turn["role"], "at": date,
            })
    required, stale = [], []
    if not entry["question_id"].endswith("_abs"):
        evidence = [flagged.get(session, []) for session, _, _ in sessions if session in wanted]
        for place, names in enumerate(evidence):
            earlier = entry["question_type"] == "knowledge-update" and place + 1 < len(evidence)
            (stale if earlier else required).extend({"event": name} for name in names)
    question = {
        "id": entry["question_id"], "question": entry["question"], "required": required, "stale": stale, "forgotten": [],
        "category": entry["question_type"], "answer": str(entry["answer"]), "asked_at": entry["question_date"],
    }
    return {"user": entry["question_id"], "events": events, "questions": [question]}


def main():
    start = time.perf_counter()
    with open(sys.argv[1], encoding="utf-8") as file:
        conversations = [conversation(entry) for entry in json.load(file)]
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            json.dump({"conversations": conversations, "facts_quota": 4000}, file, ensure_ascii=False)
    seconds = time.perf_counter() - start
    events = sum(len(conversation["events"]) for conversation in conversations)
    facts = sum(len(q["required"]) + len(q["stale"]) for c in conversations for q in c["questions"])
    print(f"{seconds:.4f} {len(conversations)} {events} {facts}")


main()
