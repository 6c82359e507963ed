"""Checks an exported log: python3 verify.py FILE. Written from docs/fairness.md; needs only Python 3.11."""

import hashlib
import hmac
import json
import re
import sys
from collections import Counter
from itertools import count, islice


def need(true, what):
    if not true:
        raise ValueError(what)
    return true


def a(kind, x):
    return x if type(x) is kind else need(False, f"{x!r} is no {kind.__name__}")


def whole(x):
    return x if a(int, x) >= 0 else need(False, f"{x} is below 0")


def pack(*parts):
    texts = [part if isinstance(part, bytes) else part.encode() for part in parts]
    return b"".join(len(text).to_bytes(8, "big") + text for text in texts)


def sha(*parts):
    return hashlib.sha256(pack(*parts)).hexdigest()


def numbers(secret, table, stretch, counter, nonce):  # send a stop, get the next number below it
    request = pack("sortes/1/request", table, stretch, counter.to_bytes(8, "big"), nonce)
    key, value = hmac.digest(secret, request, "sha256"), None
    pool = (byte for i in count() for byte in hmac.digest(key, i.to_bytes(8, "big"), "sha256"))
    while True:
        stop = yield value
        size = ((stop - 1).bit_length() + 7) // 8
        value = 256**size
        while value >= 256**size // stop * stop:
            value = int.from_bytes(bytes(islice(pool, size)), "big")
        value %= stop


class Log:
    def __init__(self):
        self.said, self.line, self.decks, self.stretches = set(), 0, {}, {}

    def check(self, data):
        """Raises at the first thing that is wrong. Then `said` has what else there is to say: (line, level) each."""
        events = sorted(self.read(data), key=lambda one: one[0])
        self.secrets = {e["stretch"]: e["secret"] for _, e in events if e["kind"] == "opened-secret"}
        acts = {"opened": self.opened, "committed": self.committed, "opened-secret": self.opened_secret}
        acts |= {"shuffled": self.shuffled, "throw": self.throw}
        for (at, hidden, self.line), e in events:
            need((at == 1 and not hidden) == (e["kind"] == "opened"), "a table is opened once, first of all")
            acts.get(e["kind"], bool)(e)

    def read(self, data):
        """Every event with its place: (its line or the one it came behind, its place behind that, what tells it)."""
        *lines, end, rest = data.split(b"\n")
        chain, hidden = bytes(32), {}
        for self.line, line in enumerate(lines, 1):
            raw = line[84:-1]
            chain = bytes.fromhex(sha("sortes/1/chain", chain, raw))
            need(line == b'{"chain":"%s","event":%s}' % (chain.hex().encode(), raw), "the chain is broken")
            e = json.loads(raw, parse_float=whole, parse_constant=whole)
            same = json.dumps(e, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
            need(same == raw and a(str, e["kind"]) is not None, "not canonical")
            yield (self.line, 0, self.line), e
            for one in a(list, e.get("events", [])) if e["kind"] == "revealed" else []:
                need(0 < whole(one["after"]) < self.line, "what was hidden belongs after an earlier line")
                row = hidden.setdefault(one["after"], [])
                need(whole(one.get("before", 0)) <= len(row), "what was hidden belongs before what was told")
                row.insert(len(row) - one.get("before", 0), (self.line, one["event"]))
        last = b'{"end":"%s","lines":%d}' % (chain.hex().encode(), len(lines))
        need(end == last and not rest, "the end is not the end of this chain")
        yield from (((at, i, line), e) for at, row in hidden.items() for i, (line, e) in enumerate(row, 1))

    def opened(self, e):
        self.table = a(str, e["table"])
        for name, cards in e.get("decks", {}).items():
            self.shuffled({"deck": name, "cards": cards})

    def shuffled(self, e):
        self.put_back(e) if "back" in e else self.full(e)

    def put_back(self, e):
        full, left, _ = self.decks[e["deck"]]
        need(Counter(a(list, e["back"])) <= full - left, "cards go back that had not been drawn")
        left.update(e["back"])

    def full(self, e):
        if "cards" in e:
            full = Counter({a(str, card): need(whole(n), "no card") for card, n in a(list, e["cards"])})
            need(len(full) == len(e["cards"]), "a card is listed twice")
            self.decks[e["deck"]] = full, full, []
        full, left, stays = self.decks[e["deck"]]
        out = Counter([*a(list, e.get("out", [])), *[card for card, _ in stays]])
        need(out <= full - left, "a shuffle leaves out cards that had not been drawn")
        left = Counter(full)
        left.subtract(out)
        self.decks[e["deck"]] = full, left, [(card, n - 1) for card, n in stays if n > 1]

    def committed(self, e):
        ids = [a(str, e["stretch"]), *[f"{e['stretch']}.{i + 1}" for i in range(len(e.get("seals", [])))]]
        for id, given in zip(ids, [e["commitment"], *a(list, e.get("seals", []))], strict=True):
            need(id not in self.stretches and re.fullmatch("[0-9a-f]{64}", given), "not a new commitment")
            s = {"line": self.line, "words": a(str, e["words"]), "given": given}
            self.stretches[id] = {**s, "now": (0, ""), "used": set()}

    def opened_secret(self, e):
        s, secret = self.stretches[e["stretch"]], bytes.fromhex(e["secret"])
        need("opened" not in s and len(secret) == 32 and secret.hex() == e["secret"], "no secret, or again")
        s["opened"] = sha("sortes/1/commitment", self.table, e["stretch"], s["words"], secret)
        need(s["opened"] == s["given"], "not the secret that was committed to")

    def throw(self, e):
        thrown = [g for g in a(list, e["groups"]) if g["kind"] != "shuffled"]
        derived = any(g["faces"] and g.get("by") != "hand" for g in thrown)
        draw = self.request(e["stretch"], whole(e["counter"]), a(str, e["nonce"])) if derived else None
        by_hand = any(g.get("by") == "hand" for g in thrown)
        self.said |= {
            (self.line, level) for level, true in (("filled", e.get("filled")), ("hand", by_hand)) if true
        }
        for g in e["groups"]:
            self.shuffled(g) if g["kind"] == "shuffled" else self.group(g, g.get("by") != "hand", draw)

    def request(self, id, counter, nonce):
        s = self.stretches[id]
        need("opened" not in s, "thrown after the secret was opened")
        if (counter, nonce) != s["now"] or not counter:
            need(counter == s["now"][0] + 1 and nonce not in s["used"], "counter or nonce used again")
            s["now"] = counter, nonce
            s["used"].add(nonce)
            self.said |= set() if id in self.secrets else {(s["line"], "not-yet-opened")}
            if id in self.secrets:
                s["draw"] = numbers(bytes.fromhex(self.secrets[id]), self.table, id, counter, nonce)
                next(s["draw"])
        return s.get("draw")

    def group(self, g, derived, draw):
        cards = {"cards": True, "dice": False}[g["kind"]]
        told = derived and ("drawn" in g or not cards)
        for face, pair in zip(a(list, g["faces"]), a(list, g["drawn"]) if told else g["faces"], strict=True):
            sides = list(self.decks[g["name"]][1].elements()) if cards else g["sides"]
            sides = range(sides, 0, -1) if type(sides) is int else a(list, sides)
            stop = len(sides)
            taken = self.decks[g["name"]][0] if cards and not derived else sides  # by hand: at its word
            need(type(face) in (str, int) and face in taken, f"{face} cannot come up")
            value = draw.send(stop) if draw and derived else whole(pair[1]) if told else None
            need(
                not told or [*map(whole, pair)] == [stop, value],
                f"{pair} is not the number that is derived",
            )
            need(value is None or sides[value] == face, f"{face} is not the face of its number")
            if cards:
                self.decks[g["name"]][1][face] -= 1
                self.decks[g["name"]][2].extend([(face, whole(g["stays"]))] if g.get("stays", 0) else [])


if __name__ == "__main__":
    log = Log()
    try:
        with open(sys.argv[1], "rb") as file:
            log.check(file.read())
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        sys.exit(f"line {log.line}: WRONG: {error!r}")
    print(*[f"line {line}: {level}" for line, level in sorted(log.said)], sep="\n")
    print("The log is whole, and every throw that can be derived is as it was derived.")
