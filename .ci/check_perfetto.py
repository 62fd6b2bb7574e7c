"""Checks traces for Perfetto and figures in OpenMetrics's text format; see .ci/perfetto.

The expected slices are read from the JSON Lines of the same run, independently of Curfew."""

import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

from google.protobuf.message import DecodeError
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema

BEGIN, END, INSTANT, COUNTER = (
    schema.TrackEvent.TYPE_SLICE_BEGIN,
    schema.TrackEvent.TYPE_SLICE_END,
    schema.TrackEvent.TYPE_INSTANT,
    schema.TrackEvent.TYPE_COUNTER,
)


class Wrong(Exception):
    """A mistake in a trace."""


def need(holds, text):
    if not holds:
        raise Wrong(text)


class Slice:
    def __init__(self, category, name, app, start, notes):
        self.category, self.name, self.app, self.start, self.end, self.notes = category, name, app, start, None, notes


class Words(dict):
    """Interned words by number. A word must be defined before it is used."""

    def __missing__(self, number):
        raise Wrong(f"the word {number} is not defined")


class Decoded:
    """A trace, parsed by Perfetto's schema and checked for general rules."""

    def __init__(self, trace):
        self.slices, self.instants, self.counters, self.arrows = [], [], 0, 0
        self.tracks, self.words, self.names = {}, Words(), Words()
        open_on, last, flows, ended = collections.defaultdict(list), 0, set(), set()
        need(len(trace.packet) > 0, "the trace has no packet")
        for number, packet in enumerate(trace.packet):
            need(packet.trusted_packet_sequence_id == 1, "a packet without a sequence")
            cleared = packet.sequence_flags & schema.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
            need(bool(cleared) == (number == 0), "the first packet, and it alone, clears the state")
            if number == 0:
                need(packet.trace_packet_defaults.timestamp_clock_id == 6, "another clock than BOOTTIME")
            for word in packet.interned_data.event_categories:
                self.words[word.iid] = word.name
            for word in packet.interned_data.debug_annotation_names:
                self.names[word.iid] = word.name
            if packet.HasField("track_descriptor"):
                track = packet.track_descriptor
                need(track.uuid and track.uuid not in self.tracks, "a track is described twice")
                need(not track.parent_uuid or track.parent_uuid in self.tracks, "a track whose parent is not known")
                self.tracks[track.uuid] = track
            if not packet.HasField("track_event"):
                continue
            need(packet.HasField("timestamp") and packet.timestamp >= last, "time goes back or is missing")
            last, event = packet.timestamp, packet.track_event
            track = self.tracks.get(event.track_uuid)
            need(track is not None, "an event on a track that is not known")
            stack = open_on[event.track_uuid]
            if event.type == COUNTER:
                need(track.HasField("counter"), "a counter's value on a track that is not a counter")
                self.counters += 1
                continue
            for flow in event.flow_ids:
                self.arrows += flow in flows
                need(flow not in ended, f"the flow {flow} continues after its end")
                flows.add(flow)
            for flow in event.terminating_flow_ids:
                need(flow in flows and flow not in ended, f"the flow {flow} ends without a begin")
                self.arrows += 1
                ended.add(flow)
            notes = {self.names[note.name_iid]: value(note, self.names) for note in event.debug_annotations}
            if event.type == END:
                need(stack, f"an end on track {track.name} where nothing is open")
                stack[-1].notes.update(notes)
                stack.pop().end = packet.timestamp
                continue
            need(event.name and len(event.category_iids) == 1, "an event without a name or a category")
            parent = self.tracks.get(track.parent_uuid, track)
            thing = Slice(self.words[event.category_iids[0]], event.name, parent.name, packet.timestamp, notes)
            if event.type == BEGIN:
                need(not stack, f"slices overlap on track {track.name}")
                stack.append(thing)
                self.slices.append(thing)
            else:
                need(event.type == INSTANT, "an event of no known type")
                self.instants.append(thing)
        self.open = sum(len(stack) for stack in open_on.values())
        self.end = last


def value(note, names):
    if note.dict_entries:
        return {names[entry.name_iid]: value(entry, names) for entry in note.dict_entries}
    kind = note.WhichOneof("value")
    if kind is None:
        return [value(element, names) for element in note.array_values]
    return getattr(note, kind)


def expected(lines):
    """Returns the expected slices and instants of a run, as (category, app, time), and the ends of tasks and states."""
    slices, instants, ends, open_tasks = collections.Counter(), collections.Counter(), collections.Counter(), {}
    state = {}
    for line in lines:
        t, app, kind, event = line["t"], line.get("app"), line["type"], line.get("event")

        def begins(category):
            slices[(category, app, t)] += 1

        def happens(category):
            instants[(category, app or "device", t)] += 1

        if kind == "state":
            if app in state:
                name, start = state.pop(app)
                ends[("state", app, name, start, t)] += 1
            if line["to"] == "notRunning":
                for key in [key for key in open_tasks if key[0] == app]:
                    name, start = open_tasks.pop(key)
                    ends[("task", app, name, start, t)] += 1
            else:
                begins("state")
                state[app] = (line["to"], t)
        elif kind == "event":
            if app is None:
                happens("device")
            elif line["do"] != "return":
                happens("firstLine" if line["do"] == "begin" else "call")
        elif kind == "callback":
            begins("callback")
        elif kind == "task":
            if event == "end":
                name, start = open_tasks.pop((app, line["task"]))
                ends[("task", app, name, start, t)] += 1
            elif line["task"] == 0:
                happens("taskDenied")
            else:
                begins("task")
                open_tasks[(app, line["task"])] = (line["name"], t)
        elif kind == "expiration":
            begins("callback")
            happens("expiration")
        elif kind in ("session", "wake"):
            if event in ("begin", "renew"):
                begins(kind)
                if kind == "wake":
                    begins("callback")
            elif event == "warning":
                begins("callback")
                happens("warning")
            elif event in ("overrun", "overBudget"):
                happens("overrun")
            elif event == "defer":
                begins("deferral")
            elif event == "denied":
                happens("sessionDenied")
        elif kind == "request":
            if event in ("submit", "replace"):
                begins("request")
            elif event == "start":
                happens("requestStart")
            elif event == "refused":
                happens("requestRefused")
        elif kind in ("decision", "notification", "probe", "diagnostic"):
            happens(kind)
        elif kind == "terminated":
            happens("termination")
        elif kind == "end":
            for category, things in (("task", open_tasks), ("state", state)):
                for key, (name, start) in things.items():
                    ends[(category, key[0] if category == "task" else key, name, start, t)] += 1
    instants[("device", "device", 0)] += 1
    if lines and lines[-1]["type"] == "end":
        instants[("device", "device", lines[-1]["t"])] += 1
    return slices, instants, ends


def compare(trace, lines):
    """Checks the contents of a correct trace."""
    decoded = Decoded(trace)
    slices, instants, ends = expected(lines)
    found = collections.Counter((s.category, s.app, s.start) for s in decoded.slices if s.category != "device")
    need(found == slices, f"slices: {list((found - slices).items())[:3]} too many, {list((slices - found).items())[:3]} too few")
    found = collections.Counter((i.category, i.app, i.start) for i in decoded.instants)
    need(found == instants, f"instants: {list((found - instants).items())[:3]} too many, {list((instants - found).items())[:3]} too few")
    if lines[-1]["type"] == "end":
        need(decoded.open == 0, f"{decoded.open} slices are open after the end")
        found = collections.Counter((s.category, s.app, s.name, s.start, s.end) for s in decoded.slices if s.category in ("task", "state"))
        need(found == ends, f"lengths: {list((found - ends).items())[:3]} instead of {list((ends - found).items())[:3]}")
    said = [(i.start, i.app, i.notes["kind"], i.notes["allowed"], i.notes["reasons"]) for i in decoded.instants if i.category == "decision"]
    told = [(d["t"], d["app"], d["kind"], d["allowed"], d["reasons"]) for d in lines if d["type"] == "decision"]
    need(said == told, "the decisions differ")
    for decision in (i for i in decoded.instants if i.category == "decision" and not i.notes["allowed"]):
        need([why["reason"] for why in decision.notes["why"]] == decision.notes["reasons"], f"a denial without why: {decision.notes}")
        need(all(why["because"] for why in decision.notes["why"]), "a reason without words")
    return decoded


def run(curfew, *arguments, codes=(0, 5)):
    done = subprocess.run([curfew, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    need(done.returncode in codes, f"curfew {' '.join(arguments)}: {done.returncode} {done.stderr.decode()}")
    return done.stdout


def parsed(data):
    trace = schema.Trace()
    try:
        trace.ParseFromString(data)
    except DecodeError as error:
        raise Wrong(f"not a trace of Perfetto's schema: {error}")
    return trace


def damaged(trace):
    """Returns traces, each of which is wrong in one way."""
    of = lambda kind: [n for n, p in enumerate(trace.packet) if p.HasField("track_event") and p.track_event.type == kind]
    for what, kind in (("without an end", END), ("without a begin", BEGIN), ("without an instant", INSTANT)):
        copy = parsed(trace.SerializeToString())
        del copy.packet[of(kind)[len(of(kind)) // 2]]
        yield what, copy
    copy = parsed(trace.SerializeToString())
    copy.packet[of(BEGIN)[-1]].track_event.track_uuid = copy.packet[of(BEGIN)[0]].track_event.track_uuid
    yield "with a slice on another's track", copy
    copy = parsed(trace.SerializeToString())
    copy.packet[of(END)[-1]].timestamp -= 1
    yield "with a slice that ends a nanosecond sooner", copy
    copy = parsed(trace.SerializeToString())
    del copy.packet[next(n for n, p in enumerate(copy.packet) if p.HasField("track_descriptor"))]
    yield "without its first track", copy


def check_traces(curfew):
    folders = ("Policies/Scenarios/*.yaml", "Policies/Tests/*/*.yaml", "Tests/CurfewSimulationTests/Rules/[A-Z]*/*.yaml")
    files = sorted(file for folder in folders for file in glob.glob(folder))
    need(len(files) > 300, "the shipped scenarios are missing")
    total, first = collections.Counter(), None
    with tempfile.TemporaryDirectory() as folder:
        for file in [None] + files:
            path = os.path.join(folder, "run.jsonl")
            trace = parsed(run(curfew, "simulate", *([file] if file else []), "--format", "perfetto", "--trace", path))
            with open(path) as text:
                lines = [json.loads(line) for line in text][1:]
            try:
                decoded = compare(trace, lines)
            except Wrong as error:
                raise Wrong(f"{file or 'the phone day'}: {error}")
            total.update(s.category for s in decoded.slices)
            total.update(runs=1, instants=len(decoded.instants), flows=decoded.arrows, values=decoded.counters)
            first = first or (trace, lines)
            if file is None:
                # A recorded trace gives the same slices, except for places in the scenario's file.
                again = compare(parsed(run(curfew, "replay", path, "--format", "perfetto")), lines)
                need(len(again.slices) == len(decoded.slices) and again.arrows == decoded.arrows, "the trace of the replay differs")
        # In real time, apps return at any time, and the trace has first lines. Lateness is not
        # checked here.
        path = os.path.join(folder, "load.jsonl")
        run(curfew, "loadtest", "--apps", "50", "--visits", "50", "--time-scale", "0.01", "--for", "2s", "--segments", "1", "--trace", path, codes=(0, 7, 99))
        with open(path) as text:
            lines = [json.loads(line) for line in text][1:]
        decoded = compare(parsed(run(curfew, "replay", path, "--format", "perfetto")), lines)
        print(f"a load test: {len(lines):,} lines, {len(decoded.slices):,} slices, {len(decoded.instants):,} instants, {decoded.arrows:,} flows")
    for what, wrong in damaged(first[0]):
        try:
            compare(wrong, first[1])
        except Wrong:
            continue
        raise Wrong(f"a trace {what} is taken as sound")
    count = lambda name: f"{total.pop(name):,} {name}"
    head = ", ".join([count("runs"), count("instants"), count("flows"), count("values")])
    print(f"traces: {head} of counters; slices: " + ", ".join(f"{number:,} {name}" for name, number in sorted(total.items())))
    print("slices nest and agree with the JSON Lines of their runs, and six damaged traces are rejected")


def check_figures(curfew):
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    uploads = ("fleet", "Policies/Workloads/uploads.yaml", "--devices", "5", "--for", "1d")
    runs = [uploads, ("fleet", "phone", "--devices", "2", "--for", "1d"), ("simulate", "Policies/day.yaml")]
    for arguments in runs:
        text = run(curfew, *arguments, "--format", "openmetrics").decode()
        rows = run(curfew, *arguments, "--format", "csv").decode().splitlines()[1:]
        families = list(text_string_to_metric_families(text))
        samples = [sample for family in families for sample in family.samples]
        need(all(family.type == "gauge" for family in families), "a family that is not a gauge")
        need(all(not family.unit or family.name.endswith("_" + family.unit) for family in families), "a unit that is not in the name")
        need(len({(s.name, tuple(sorted(s.labels.items()))) for s in samples}) == len(samples), "two samples with the same name and labels")
        values = sorted(float(row.rsplit(",", 1)[1]) for row in rows if not row.endswith(","))
        need(sorted(s.value for s in samples) == values, f"{len(samples)} samples for {len(values)} figures")
        print(f"figures of {arguments[0]}: {len(families)} families, {len(samples)} samples, those of --csv")
    for broken in (text.replace("# EOF", ""), text.replace("# TYPE curfew_devices gauge", "# TYPE curfew_devices gauge\n# TYPE curfew_devices gauge")):
        try:
            list(text_string_to_metric_families(broken))
        except ValueError:
            continue
        raise Wrong("the parser accepts a broken text")


def ask_processor(file):
    from perfetto.trace_processor import TraceProcessor

    with TraceProcessor(trace=file) as processor:
        queries = {
            "wrong": "select name, value from stats where severity in ('error', 'data_loss') and value > 0",
            "slices": "select category, count(*) as count, sum(dur) as length from slice group by category order by category",
            "flows": "select count(*) as count from flow",
        }
        for name, query in queries.items():
            print(name)
            for row in processor.query(query):
                print("  ", {key: item for key, item in row.__dict__.items()})


def main():
    option, argument = sys.argv[1:]
    if option == "--processor":
        return ask_processor(argument)
    try:
        check_traces(argument)
        check_figures(argument)
    except Wrong as error:
        sys.exit(f"wrong: {error}")


main()
