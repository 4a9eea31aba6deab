#!/usr/bin/env python3
"""A gate for Stripe refunds: performs each once and can say, after any crash, what became of it.

Standard library only. It speaks docs/subject-protocol.md on descriptors 3 and 4, HTTP to the service,
and remembers in SQLite. `--unsound` takes one rule away: every attempt gets a fresh key.

It relies on a service that makes nothing twice under one key (`stripe.keyed`); where nothing dedupes,
whatever it lost track of goes to a person. It can't check premises and refuses what depends on any.
One decision at a time a process; run several processes on one ledger for more.
"""
from __future__ import annotations

import contextlib
import fcntl
import hashlib
import http.client
import json
import os
import queue
import re
import secrets
import socket
import sqlite3
import sys
import threading
import time
import urllib.parse
from typing import Any, Callable, Iterator, NamedTuple, Optional

FRESH_KEYS = "--unsound" in sys.argv[1:]
MOST_TRIES = 6
POINTS = ["before_wal", "after_wal_before_call", "after_call_before_commit", "after_commit_before_ack"]
# What the caller is told in each state: outcome, disposition, final.
SAYS = {
    "recorded": ("absent", "settled", False),  # nothing was ever sent
    "blocked": ("refused", "settled", False),  # may not be sent; a later lawful submit may be
    "in-flight": ("unknown", "working", False),  # a request may be on its way
    "not-done": ("absent", "settled", False),  # every attempt provably did nothing
    "done": ("happened", "settled", True),
    "refused": ("refused", "settled", True),  # by the service's own rules, for good
    "surfaced": ("unknown", "surfaced", False),  # a person has to look
}
# Replies that prove that their own attempt had no effect; they say nothing of other attempts.
NO_EFFECT = ("refused", "mendable", "withheld")


class Channel:
    """Descriptors 3 and 4. A thread does nothing but read, so that a dead harness ends us even in the
    middle of a call; the main thread does all the work, so that it standing still is all standing still."""

    def __init__(self) -> None:
        self.inbox: queue.SimpleQueue[dict] = queue.SimpleQueue()
        self.clock_offset_ms = 0
        self.armed: list[dict] = []
        self._go = threading.Event()
        self._reached: dict[str, int] = {}
        os.set_blocking(3, True)
        os.set_blocking(4, True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        rest = b""
        try:
            while chunk := os.read(3, 65536):
                *lines, rest = (rest + chunk).split(b"\n")
                for message in map(json.loads, lines):
                    if message["type"] == "go":
                        self._go.set()
                    elif message["type"] == "clock":
                        self.clock_offset_ms = message["offsetMs"]  # time waits in no queue
                    else:
                        self.inbox.put(message)
        finally:
            os._exit(0)  # whoever started us is gone

    def say(self, kind: str, **fields: Any) -> None:
        data = json.dumps({"type": kind, **fields}).encode() + b"\n"
        while data:
            data = data[os.write(4, data) :]

    def at(self, point: str, intent: sqlite3.Row) -> None:
        """Never called in a transaction: a kill here must find what is written, and no lock held."""
        occurrence = self._reached[point] = self._reached.get(point, 0) + 1
        if {"point": point, "occurrence": occurrence} in self.armed:
            where = {"intent": intent["request_id"], "attempt": intent["attempts"]}
            self._go.clear()
            self.say("at", point=point, **where, occurrence=occurrence)
            self._go.wait()

    def now_ms(self) -> int:
        return int(time.time() * 1000) + self.clock_offset_ms


# --- The service and the authority ------------------------------------------------------------


def call_once(endpoint: dict, timeout_ms: int, method: str, path: str, **rest: Any) -> tuple[int, Any, bytes]:
    """One request on a connection of its own: no proxy, no redirect, no retry. Raises OSError or
    HTTPException without a whole answer in time. A socket's own timeout counts silence only, so an
    answer that trickles would never end: the connection is cut when the time is up."""
    deadline = time.monotonic() + timeout_ms / 1000
    kind = http.client.HTTPSConnection if endpoint["protocol"] == "https" else http.client.HTTPConnection
    connection = kind(endpoint["host"], endpoint["port"], timeout=timeout_ms / 1000)
    try:
        connection.connect()
        watchdog = threading.Timer(max(0, deadline - time.monotonic()), cut, [connection.sock])
        watchdog.start()
        try:
            connection.request(method, path, **rest)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            watchdog.cancel()
            watchdog.join()
    finally:
        connection.close()


def cut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


class Reply(NamedTuple):
    """landed; refused (for good), mendable (a person can lift it) and withheld (never sent), which
    prove that nothing happened; in-flight, stored-error and unknown, which prove nothing."""

    kind: str
    detail: str
    entity_id: Optional[str] = None


def post_refund(start: dict, payload: dict, key: str) -> Reply:
    target = start["target"]
    form = {
        "payment_intent": payload["paymentIntent"],
        "amount": payload["amountMinor"],
        "metadata[decision_key]": key,  # the stamp, by which an answer is known as ours
    }
    headers = {
        "Authorization": f"Bearer {target['credentials']['apiKey']}",
        "Content-Type": "application/x-www-form-urlencoded",
        "Idempotency-Key": key,
        "Connection": "close",
    }
    body, timeout_ms = urllib.parse.urlencode(form), start["declaration"]["clientTimeoutMs"]
    try:
        answer = call_once(target["endpoint"], timeout_ms, "POST", "/v1/refunds", body=body, headers=headers)
        return read_answer(*answer, key)
    except (OSError, http.client.HTTPException, ValueError, RecursionError) as error:
        # Nothing says how far the request got, or whether it is still on its way.
        return Reply("unknown", f"no answer that can be read: {error!r}")


def read_answer(status: int, headers: Any, body: bytes, key: str) -> Reply:
    """Only the service's own voice is definite: a gateway's 403 says nothing of what is behind it."""
    answer = json.loads(body)
    if not isinstance(answer, dict):
        return Reply("unknown", f"status {status} with a body that is no object")
    if status == 200 and answer.get("object") == "refund" and isinstance(answer.get("id"), str):
        metadata = answer.get("metadata")
        if isinstance(metadata, dict) and metadata.get("decision_key") == key:
            return Reply("landed", "the service answered with our stamp", answer["id"])
        return Reply("unknown", "the answer speaks of a refund without our stamp")
    error = answer.get("error")
    if not isinstance(error, dict) or not str(error.get("type")).endswith("_error"):
        return Reply("unknown", f"status {status}, neither a refund nor the service's own error")
    said = f"{status} {error['type']} {error.get('code') or ''}: {error.get('message')}"
    if status in (401, 403, 429) or (status == 400 and error.get("code") == "rate_limit"):
        return Reply("mendable", said)
    if status in (400, 402, 404):
        return Reply("refused", said)
    if status == 409:
        return Reply("in-flight", said)
    is_stored = status >= 500 and headers.get("Idempotent-Replayed") == "true"
    return Reply("stored-error" if is_stored else "unknown", said)


def check_lease(url: str, lease: str) -> tuple[Optional[str], Optional[int]]:
    """Why nothing may be sent, or None and when the lease ends. Who can't be asked has not said yes."""
    place = urllib.parse.urlsplit(url)
    endpoint = {"protocol": place.scheme, "host": place.hostname, "port": place.port}
    try:
        path = f"{place.path}/leases/{urllib.parse.quote(lease, safe='')}"
        status, _, body = call_once(endpoint, 1000, "GET", path)
        state = json.loads(body)
        if status == 200 and state["kind"] == "live":
            if state.get("caps"):
                return "this gate can't add up what was spent under a lease with caps", None
            return None, state["expiresAtMs"]
        return f"the lease is dead: {state.get('reason')}", None
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError, AttributeError) as error:
        return f"the authority could not be asked: {error!r}", None


# --- The ledger -------------------------------------------------------------------------------


class Ledger:
    SCHEMA = """
    CREATE TABLE IF NOT EXISTS intents (
      key TEXT PRIMARY KEY, request_id TEXT NOT NULL, payload TEXT NOT NULL, payload_hash TEXT NOT NULL,
      state TEXT NOT NULL, lease TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
      tries INTEGER NOT NULL DEFAULT 0, entity_id TEXT, evidence TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS attempts (
      key TEXT NOT NULL REFERENCES intents, number INTEGER NOT NULL, at_ms INTEGER NOT NULL,
      reply TEXT, detail TEXT, PRIMARY KEY (key, number));
    CREATE INDEX IF NOT EXISTS attempts_by_time ON attempts (at_ms);
    """

    def __init__(self, folder: str) -> None:
        self._locks = os.path.join(folder, "locks")
        os.makedirs(self._locks, exist_ok=True)
        # SQLite does not wait when two processes switch to WAL at the same time, so they take turns.
        with self.owned("opening", wait_ms=5000) as ours:
            if not ours:
                raise RuntimeError("another process has been opening this ledger for five seconds")
            self._db = sqlite3.connect(os.path.join(folder, "gate.db"), timeout=5, isolation_level=None)
            self._db.row_factory = sqlite3.Row
            mode = self._db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            # FULL: what is committed is on the disk, not merely in the system's cache.
            self._db.execute("PRAGMA synchronous = FULL")
            level = self._db.execute("PRAGMA synchronous").fetchone()[0]
            if (mode, level) != ("wal", 2):
                raise RuntimeError(f"expected a ledger in wal mode at level 2, got {mode} and {level}")
            self._db.executescript(self.SCHEMA)

    @contextlib.contextmanager
    def owned(self, key: str, wait_ms: int) -> Iterator[bool]:
        """Whether this process alone may act on `key`. The kernel drops the lock when its holder dies
        and never before: a paused owner still owns, and no clock decides. Decisions share a few files,
        and none is ever removed: a file gone while it is held would let a second owner in. Network
        disks keep no such lock."""
        name = key if key == "opening" else key[:3]
        file = os.open(os.path.join(self._locks, name), os.O_RDWR | os.O_CREAT, 0o600)
        until = time.monotonic() + wait_ms / 1000
        try:
            while not (ours := try_lock(file)) and time.monotonic() < until:
                time.sleep(0.01)
            yield ours
        finally:
            os.close(file)

    @contextlib.contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One transaction, durable when it ends."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise

    def find(self, key: str) -> Any:
        return self._db.execute("SELECT * FROM intents WHERE key = ?", (key,)).fetchone()

    def attempts(self, key: str) -> list[sqlite3.Row]:
        return self._db.execute("SELECT * FROM attempts WHERE key = ? ORDER BY number", (key,)).fetchall()

    def unsettled(self) -> list[sqlite3.Row]:
        return self._db.execute("SELECT * FROM intents WHERE state IN ('in-flight', 'surfaced')").fetchall()

    def latest_attempt_ms(self) -> int:
        return self._db.execute("SELECT max(at_ms) FROM attempts").fetchone()[0] or 0

    def set_state(self, key: str, state: str, evidence: str) -> None:
        with self.write() as db:
            db.execute("UPDATE intents SET state = ?, evidence = ? WHERE key = ?", (state, evidence, key))


def try_lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False


# --- The gate ---------------------------------------------------------------------------------


class InvalidRequest(Exception):
    """Can never be carried out, found before anything was recorded."""


def decision_key(start: dict, request: dict) -> str:
    """What makes two requests the same decision, and the key that goes on the wire: the payment. Not
    the amount, or a changed amount would be a second refund; not the caller's name for its message, or
    asking again would be. Change this, and a ledger in use has forgotten everything."""
    payment = request.get("paymentIntent")
    if not isinstance(payment, str) or not re.fullmatch(r"pi_\w+", payment):
        raise InvalidRequest(f"expected paymentIntent to be an id that begins with pi_, got {payment!r}")
    account = start["target"]["credentials"].get("account", "default")
    return hashlib.sha256(json.dumps(["v1", "stripe", account, "refund", payment]).encode()).hexdigest()


def freeze(request: dict) -> tuple[str, str]:
    """The payload and its hash. An amount is never rounded, guessed or defaulted."""
    amount = request.get("amountMinor")
    if set(request) != {"operation", "paymentIntent", "amountMinor", "currency"}:
        raise InvalidRequest(f"expected operation, paymentIntent, amountMinor, currency, got {list(request)}")
    if request["operation"] != "refund" or type(amount) is not int or amount <= 0:
        raise InvalidRequest(f"expected a refund of a positive integer in minor units, got {amount!r}")
    payload = json.dumps(request, sort_keys=True)
    return payload, hashlib.sha256(payload.encode()).hexdigest()


def outcome(row: Optional[sqlite3.Row], **instead: Any) -> dict:
    what, disposition, final = SAYS[row["state"] if row else "recorded"]
    said = {"outcome": what, "disposition": disposition, "final": final, "receipt": None}
    if row is None:
        about = {"state": None, "entityId": None, "attempts": 0, "evidence": "no record of it"}
    else:
        about = {"state": row["state"], "entityId": row["entity_id"], "attempts": row["attempts"]}
        about["evidence"] = row["evidence"]
    return {**said, **about, **instead}


class Gate:
    def __init__(self, start: dict, channel: Channel) -> None:
        self.start, self.channel, self.ledger = start, channel, Ledger(start["ledger"])
        self.timeout_ms = start["declaration"]["clientTimeoutMs"]

    def submit(self, message: dict) -> dict:
        if "distinct" in message["request"]:
            why = "this gate tells no second decision apart; nothing was sent"
            return outcome(None, outcome="refused", disposition="settled", entityId=None, evidence=why)
        key = decision_key(self.start, message["request"])
        payload, payload_hash = freeze(message["request"])
        with self.ledger.owned(key, wait_ms=2 * self.timeout_ms) as ours:
            if ours:
                with self.ledger.write() as db:
                    db.execute(
                        "INSERT OR IGNORE INTO intents (key, request_id, payload, payload_hash, state, lease,"
                        " evidence) VALUES (?, ?, ?, ?, 'recorded', ?, 'recorded; nothing was sent')",
                        (key, message["requestId"], payload, payload_hash, message["lease"]),
                    )
            row = self.ledger.find(key)
            # The payload was frozen when it was first recorded; another one is refused in every state.
            if row and row["payload_hash"] != payload_hash:
                why = "this payment was recorded with another payload; nothing was sent"
                return outcome(row, outcome="refused", disposition="settled", entityId=None, evidence=why)
            if not ours:
                why = "owned, alive: another process is at work on it"
                return outcome(row, outcome="unknown", disposition="working", final=False, evidence=why)
            if row["state"] not in ("done", "refused"):
                self.carry_out(key, message["lease"], message["premises"])
                self.channel.at("after_commit_before_ack", self.ledger.find(key))
            return outcome(self.ledger.find(key))

    def carry_out(self, key: str, lease: str, premises: list) -> None:
        self.learn(key, lease, premises)
        if self.ledger.find(key)["state"] not in ("recorded", "blocked", "not-done"):
            return
        # Nothing can have happened yet: from here on it is a first call.
        why, ends_ms = self.permission(lease, premises)
        if why is None:
            self.channel.at("before_wal", self.ledger.find(key))
            why = self.attempt(key, lease, ends_ms, self.channel.at)
        if why is not None:
            self.ledger.set_state(key, "blocked", f"nothing was sent: {why}")
        self.learn(key, lease, premises)

    def recover(self) -> None:
        """Learns what became of attempts that lost their process. What was never attempted is left
        alone: only a caller may start a refund."""
        for row in self.ledger.unsettled():
            with self.ledger.owned(row["key"], wait_ms=0) as ours:
                if ours:  # otherwise somebody is alive and at work on it
                    self.learn(row["key"], self.ledger.find(row["key"])["lease"], [])

    def ask(self, request: dict) -> dict:
        return outcome(self.ledger.find(decision_key(self.start, request)))

    def learn(self, key: str, lease: str, premises: list) -> None:
        """Sends the same key again until the answer is known: inside its window that makes the refund
        or finds it. Otherwise hands it to a person. Never a guess, never another key."""
        row = self.ledger.find(key)
        # Who asks again after the means ran out is owed one more look, not six.
        limit = max(MOST_TRIES, row["tries"] + 1) if row["state"] == "surfaced" else MOST_TRIES
        pause_ms = 0
        while (row := self.ledger.find(key))["state"] in ("in-flight", "surfaced"):
            attempts = self.ledger.attempts(key)
            why, ends_ms = None, None
            if self.start["declaration"]["dedupe"] is None:
                why = "the service would take it for another refund"
            elif any(attempt["reply"] in ("stored-error", "refused") for attempt in attempts):
                why = "the key only brings back the same failure"
            elif row["tries"] >= limit:
                why = f"sent {row['tries']} times without a definite answer"
            else:
                why, ends_ms = self.permission(lease, premises)
            if why is None:
                if attempts[-1]["reply"] == "in-flight":  # the service is at work on this key
                    pause_ms = max(pause_ms, self.timeout_ms // 4)
                time.sleep(pause_ms / 1000)
                pause_ms = min(max(20, 2 * pause_ms), self.timeout_ms)
                why = self.attempt(key, lease, ends_ms, lambda point, intent: None)
            if why is not None:
                last = attempts[-1]["detail"] or "its sender died before an answer was recorded"
                evidence = f"attempt {len(attempts)}: {last}; not sent again: {why}"
                self.ledger.set_state(key, "surfaced", evidence)
                return

    def attempt(self, key: str, lease: str, lease_ends_ms: Optional[int], at: Callable) -> Optional[str]:
        """Recorded, sent, read, settled, in this order: what is on the wire is in the ledger. Says why
        when nothing was recorded."""
        with self.ledger.write() as db:
            why = self.why_not_now(key, lease_ends_ms)
            if why is not None:
                return why
            db.execute(
                "UPDATE intents SET state = 'in-flight', attempts = attempts + 1, tries = tries + 1,"
                " lease = ?, evidence = 'an attempt is in flight' WHERE key = ?",
                (lease, key),
            )
            row = self.ledger.find(key)
            started = (key, row["attempts"], self.channel.now_ms())
            db.execute("INSERT INTO attempts (key, number, at_ms) VALUES (?, ?, ?)", started)
        at("after_wal_before_call", row)
        # Asked again: the process may have been stopped for a day since it wrote that down.
        why = self.why_not_now(key, lease_ends_ms)
        if why is None:
            # UNSOUND with the flag: under a fresh key the service takes a repeat for another refund.
            rail_key = secrets.token_hex(32) if FRESH_KEYS else row["key"]
            reply = post_refund(self.start, json.loads(row["payload"]), rail_key)
        else:
            reply = Reply("withheld", f"nothing was sent: {why}")
        at("after_call_before_commit", row)
        self.settle(row, reply)
        return None

    def settle(self, row: sqlite3.Row, reply: Reply) -> None:
        """A refusal settles only its own attempt: an earlier one may have landed all the same."""
        key, number = row["key"], row["attempts"]
        with self.ledger.write() as db:
            ended = (reply.kind, reply.detail, key, number)
            db.execute("UPDATE attempts SET reply = ?, detail = ? WHERE key = ? AND number = ?", ended)
            state = "in-flight"
            if reply.kind == "landed":
                state = "done"
            elif all(attempt["reply"] in NO_EFFECT for attempt in self.ledger.attempts(key)):
                state = "refused" if reply.kind == "refused" else "not-done"
            tries = 0 if state == "not-done" else row["tries"]
            db.execute(
                "UPDATE intents SET state = ?, entity_id = ?, evidence = ?, tries = ? WHERE key = ?",
                (state, reply.entity_id, f"attempt {number}: {reply.detail}", tries, key),
            )

    def permission(self, lease: str, premises: list) -> tuple[Optional[str], Optional[int]]:
        if premises:
            return "this gate can't check premises, and sends nothing that depends on them", None
        return check_lease(self.start["authority"]["url"], lease)

    def why_not_now(self, key: str, lease_ends_ms: Optional[int]) -> Optional[str]:
        """By the clock; asked in the transaction that records an attempt, and again before the write."""
        latest_ms = self.ledger.latest_attempt_ms()  # first: other processes write meanwhile
        now_ms = self.channel.now_ms()
        if lease_ends_ms is not None and now_ms >= lease_ends_ms:
            return "the lease has ended"
        # An attempt that provably did nothing left nothing behind that a window could protect.
        open_since = [row["at_ms"] for row in self.ledger.attempts(key) if row["reply"] not in NO_EFFECT]
        dedupe = self.start["declaration"]["dedupe"]
        if not open_since or dedupe is None or dedupe["windowMs"] == "forever":
            return None
        if now_ms < latest_ms:
            return "the clock went back, so the age of the key is not known"
        margin_ms = min(dedupe["windowMs"] // 24, 3_600_000)  # two clocks may disagree
        if now_ms - open_since[0] >= dedupe["windowMs"] - margin_ms:
            return "the service may have forgotten the key"
        return None


def main() -> None:
    channel = Channel()
    gate: Any = None
    while True:  # one message after the other, so submits wait for a recovery under way
        message = channel.inbox.get()
        kind, number = message["type"], message.get("id")
        if kind == "start":
            channel.clock_offset_ms, channel.armed = message["clockOffsetMs"], message["armed"]
            gate = Gate(message, channel)
            name = "python-unsound" if FRESH_KEYS else "python-sound"
            can = {"points": POINTS, "resolve": False, "leavesOut": ["premises", "caps", "distinct"]}
            channel.say("ready", pid=os.getpid(), name=name, version="1", capabilities=can)
        elif kind == "recover":
            gate.recover()
            channel.say("done", re=number)
        elif kind in ("submit", "ask"):
            try:
                said = gate.submit(message) if kind == "submit" else gate.ask(message["request"])
            except InvalidRequest as error:
                said = outcome(None, outcome="refused", final=True, evidence=str(error))
            channel.say("outcome", re=number, **said)
        elif kind == "stop":
            sys.exit(0)


if __name__ == "__main__":
    main()
