"""The canonical cycle on SimPy: one process for each app.

`main.py open` has only the timeouts that the answer depends on.
"""

import json
import sys
import time

import simpy

LIMIT = 5_000_000_000  # Of didEnterBackground, and from the warning to the end of the grant.
WARNING = 25_000_000_000  # The grant of 30 s, less the warning 5 s before its end.
BITS = (1 << 64) - 1


class Fleet:
    def __init__(self, apps, tables, is_open):
        self.is_open = is_open
        self.suspensions = self.expirations = self.checksum = 0
        self.environment = simpy.Environment(initial_time=0)
        self.foreground, self.work, self.suspended = tables
        for app in range(apps):
            self.environment.process(self.run(app))

    def run(self, app):
        environment = self.environment
        cycle = 0
        index = self.index(app, cycle)
        while True:
            yield environment.timeout(self.suspended[index])
            yield environment.timeout(self.foreground[index])
            if not self.is_open:
                environment.timeout(LIMIT)  # SimPy cannot cancel it: nothing waits for it.
            warning = environment.timeout(WARNING)
            warning.work = environment.timeout(self.work[index])
            warning.callbacks.append(self.expire)
            yield warning | warning.work
            if not self.is_open:
                yield environment.timeout(0)
            now = environment.now
            self.checksum = (31 * self.checksum + now + app) & BITS
            self.suspensions += 1
            cycle += 1
            index = self.index(app, cycle)

    def expire(self, warning):
        """Counts a warning, unless its work is done: SimPy cannot cancel a timeout."""
        if not warning.work.processed:
            self.expirations += 1
            if not self.is_open:
                self.environment.timeout(LIMIT)

    @staticmethod
    def index(app, cycle):
        mixed = ((app << 32 | cycle) * 0x9E37_79B9_7F4A_7C15) & BITS
        return (mixed ^ mixed >> 29) >> 33 & 4095

    def go_on(self, cycles):
        """Steps, because run(until=event) would go on to the end of the event's instant."""
        goal = self.suspensions + cycles
        step = self.environment.step
        while self.suspensions < goal:
            step()


def main():
    with open(json.loads(input())["plan"]) as plan:
        header = json.loads(next(plan))
        tables = [next(iter(json.loads(line).values())) for line in plan]
    fleet = Fleet(header["apps"], tables, sys.argv[1:] == ["open"])
    ready = {"ready": True, "version": f"SimPy {simpy.__version__}", "rounding": "none"}
    print(json.dumps(ready), flush=True)
    expirations = 0
    for line in sys.stdin:
        request = json.loads(line)
        if "segment" in request:
            expirations = fleet.expirations
            began = time.monotonic_ns()
            fleet.go_on(header["cycles"])
            ended = time.monotonic_ns()
            answer = {"segment": request["segment"], "began": began, "ended": ended}
        elif "answer" in request:
            answer = {
                "answer": request["answer"],
                "suspensions": header["cycles"],
                "expirations": fleet.expirations - expirations,
                "checksum": str(fleet.checksum),
            }
        else:
            return
        print(json.dumps(answer), flush=True)


main()
