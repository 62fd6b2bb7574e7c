"""A contestant with one mistake, made in segment 1: `python3 wrong.py WAY`.

deadlines/1: lose, twice, cancelled, tooGreat, afterEnd, early, late
fleet/1: checksum, extraExpiration
both: right, cannot, answeredTwice, otherSegment, noJSON, silence, crash, exitBeforeEnd, exitCode
"""

import heapq
import json
import os
import signal
import sys
import time

WAY = sys.argv[1] if len(sys.argv) > 1 else "right"
BITS = (1 << 64) - 1


class Deadlines:
    def __init__(self, header, lines):
        self.timers = [json.loads(line) for line in lines]
        instants = [(timer["due"], 1, timer["k"]) for timer in self.timers]
        instants += [(timer["cancel"], 0, timer["k"]) for timer in self.timers if "cancel" in timer]
        self.instants = sorted(instants)
        self.fired = []

    def run(self, start):
        self.fired, cancelled = [], set()
        for at, fires, k in self.instants:
            while (wait := start + at - time.monotonic_ns()) > 0:
                time.sleep(wait / 1e9)
            now = time.monotonic_ns()
            if not fires:
                cancelled.add(k)
            elif k not in cancelled:
                self.fired.append([k, now - start - at])

    def answer(self, way):
        """Its answer; the mistakes are made with a timer in the middle."""
        fired = list(self.fired)
        middle = len(fired) // 2
        k = fired[middle][0]
        if way == "lose":
            del fired[middle]
        elif way == "twice":
            fired.append(fired[middle])
        elif way in ("cancelled", "tooGreat"):
            late = 1_000 if way == "cancelled" else (1 << 63) - 1
            fired.append([next(t["k"] for t in self.timers if "cancel" in t), late])
        elif way == "afterEnd":
            fired[middle] = [k, 60_000_000_000]
        elif way == "early":
            fired[middle] = [k, -1]
        return {"late": fired}


class Fleet:
    def __init__(self, header, lines):
        self.apps, self.cycles = header["apps"], header["cycles"]
        self.tables = [next(iter(json.loads(line).values())) for line in lines]
        self.cycle = [0] * self.apps
        self.grants = [0] * self.apps  # The number of each app's grant; 0 if it has none.
        self.queue, self.count, self.checksum, self.expirations = [], 0, 0, 0
        for app in range(self.apps):
            self.plan(self.draw(2, app), "toFront", app)

    def draw(self, table, app):
        mixed = ((app << 32 | self.cycle[app]) * 0x9E37_79B9_7F4A_7C15) & BITS
        return self.tables[table][(mixed ^ mixed >> 29) >> 33 & 4095]

    def plan(self, at, step, app, grant=0):
        self.count += 1
        heapq.heappush(self.queue, (at, self.count, step, app, grant))

    def run(self, start):
        suspensions = self.expirations = 0
        while suspensions < self.cycles:
            now, _, step, app, grant = heapq.heappop(self.queue)
            if step == "toFront":
                self.plan(now + self.draw(0, app), "home", app)
            elif step == "home":
                grant = self.grants[app] = self.count + 1
                self.plan(now + 25_000_000_000, "warning", app, grant)
                self.plan(now + self.draw(1, app), "workDone", app, grant)
            elif step == "suspension":
                suspensions += 1
                self.checksum = (31 * self.checksum + now + app) & BITS
                self.cycle[app] += 1
                self.plan(now + self.draw(2, app), "toFront", app)
            elif self.grants[app] == grant:
                self.grants[app] = 0
                self.expirations += step == "warning"
                self.plan(now, "suspension", app)

    def answer(self, way):
        return {
            "suspensions": self.cycles,
            "expirations": self.expirations + (way == "extraExpiration"),
            "checksum": str(self.checksum ^ (way == "checksum")),
        }


def say(answer):
    print(json.dumps(answer, separators=(",", ":")), flush=True)


def segment(workload, number, start, way):
    if way == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    if way == "silence":
        time.sleep(3_600)
    if way == "noJSON":
        print("all timers fired", flush=True)
        return
    if way == "late":
        say({"segment": number, "late": 1_000_000})
        return
    began = time.monotonic_ns()
    workload.run(start)
    number += way == "otherSegment"
    for _ in range(2 if way == "answeredTwice" else 1):
        say({"segment": number, "began": began, "ended": time.monotonic_ns()})


def main():
    begin = json.loads(input())
    if WAY == "cannot":
        say({"cannot": "this contestant knows no timers"})
        return
    kind = {"deadlines/1": Deadlines, "fleet/1": Fleet}[begin["workload"]]
    with open(begin["plan"]) as plan:
        workload = kind(json.loads(next(plan)), plan)
    say({"ready": True, "version": f"wrong {WAY}", "rounding": "none"})
    for line in sys.stdin:
        request = json.loads(line)
        number = request.get("segment", request.get("answer"))
        way = WAY if number == 1 else "right"
        if "segment" in request:
            segment(workload, number, request.get("start"), way)
        elif "answer" in request:
            if way == "exitBeforeEnd":
                return
            say({"answer": number, **workload.answer(way)})
        else:
            sys.exit(3 if WAY == "exitCode" else 0)


main()
