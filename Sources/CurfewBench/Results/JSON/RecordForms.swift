import CurfewText

// The objects of a results file that a run has measured. Each is declared once, for both ways.

extension RunRecord {
  /// A record without any content, to be filled.
  package static let blank = RunRecord(machine: .blank, options: .blank)
}

extension FigureRecord {
  package static let blank = FigureRecord(name: "", value: 0)
}

extension MachineRecord {
  package static let blank = MachineRecord(
    date: "", commit: nil, isClean: false, compiler: "", flags: "", kernel: "", architecture: "",
    processor: "", cores: 0, governor: nil, frequencyScaling: nil, memoryBytes: 0, load: [])

  static let form = RecordForm<MachineRecord>(
    "The machine, the sources and the tools.",
    [
      .text("date", \.date, "The start, in UTC (RFC 3339)."),
      .text("commit", optional: \.commit, "Left out outside a clone."),
      .flag("clean", \.isClean, "Whether the clone had no changes."),
      .text("compiler", \.compiler), .text("flags", \.flags), .text("kernel", \.kernel),
      .text("architecture", \.architecture), .text("processor", \.processor),
      .count("cores", \.cores), .text("governor", optional: \.governor),
      .text("frequencyScaling", optional: \.frequencyScaling, "The driver."),
      .digits("memory", \.memoryBytes, "In bytes, as text."),
      .measurements("load", \.load, "The load averages over 1, 5 and 15 minutes at the start."),
    ])
}

extension OptionsRecord {
  package static let blank = OptionsRecord(repetitions: 0, until: nil, seed: 0)

  static let form = RecordForm<OptionsRecord>(
    "The options of the run.",
    [
      .count("repetitions", \.repetitions, in: 1...RunOptions.mostRepetitions),
      .measured(
        "until", optional: \.until, in: 0.01...1,
        "The half width of the intervals at which the run may stop."),
      .digits("seed", \.seed, "As text."),
      .texts("thresholds", \.thresholds), .texts("only", \.only), .texts("without", \.without),
      .text("against", optional: \.against, "The path of the other checkout."),
      .text(
        "againstCommit", optional: \.againstCommit,
        "The commit of the other checkout, and +changes if it has changes without a commit."),
    ])
}

extension FigureKind {
  package static let blank = FigureKind(name: "", unit: .count, about: "", isMain: false)

  static let form = RecordForm<FigureKind>(
    "",
    [
      .text("name", \.name), .word("unit", \.unit), .text("about", \.about),
      .flag("main", \.isMain, "Whether it is compared. The first main figure ranks."),
    ])
}

extension PlanRecord {
  package static let blank = PlanRecord(repetition: 0, seed: 0, digest: "")

  static let form = RecordForm<PlanRecord>(
    "",
    [
      .count("repetition", \.repetition, in: 1...RunOptions.mostRepetitions),
      .digits("seed", \.seed, "As text."),
      .text("digest", \.digest),
    ])
}

extension SegmentRecord {
  package static let blank = SegmentRecord(
    contestant: "", repetition: 0, segment: 0, attempt: 0, isRepeated: false, began: 0, ended: 0,
    processorNanoseconds: 0, othersShare: nil, figures: [], early: 0, earliestNanoseconds: 0)

  static let form = RecordForm<SegmentRecord>(
    "",
    [
      .text("contestant", \.contestant),
      .count("repetition", \.repetition, in: 1...RunOptions.mostRepetitions, "From 1."),
      .count("segment", \.segment, "From 1; 0 is a warm-up with an early timer."),
      .count("attempt", \.attempt, "From 1."),
      .flag("repeated", \.isRepeated, "Whether others took too much time, so that nothing counts."),
      .digits("began", \.began, "CLOCK_MONOTONIC in nanoseconds, as text."),
      .digits("ended", \.ended, "CLOCK_MONOTONIC in nanoseconds, as text."),
      .digits(
        "processor", \.processorNanoseconds, "The time of all threads, in nanoseconds, as text."),
      .measured(
        "others", optional: \.othersShare, in: 0...1, "The share of others in the cores' time."),
      .figures("figures", \.figures, "The figures by name, in their units."),
      .count("early", \.early, "Timers that fired too early."),
      .count("earliest", \.earliestNanoseconds, "The most by which one did, in nanoseconds."),
    ]
  ) { segment, node, findings in
    if segment.ended < segment.began {
      findings.error(
        at: node["ended"]?.place ?? node.place,
        "'ended' is \(segment.ended), before 'began', \(segment.began)")
    }
    for pair in node["figures"]?.pairs ?? [] where segment.early == 0 {
      // Only the lateness of an early timer is negative.
      guard segment.figures.contains(where: { $0.name == pair.key && $0.value < 0 }) else {
        continue
      }
      findings.error(
        at: pair.value.place,
        "'\(pair.key)' is negative in a segment without early timers: \(pair.value.found)")
    }
  }
}

extension WorkloadRecord {
  package static let blank = WorkloadRecord(name: "", size: 0, shape: nil)

  static let form = RecordForm<WorkloadRecord>(
    "",
    [
      .text("name", \.name, "With its version."),
      .count("size", \.size, in: 1...WorkloadKind.largestSize),
      .text("shape", optional: \.shape),
      .objects(
        "figures", FigureKind.form, of: FigureKind.blank, \.figures,
        "The figures of its segments.", unique: \.name),
      .objects(
        "plans", PlanRecord.form, of: PlanRecord.blank, \.plans, "The plan of each repetition."),
      .objects(
        "contestants", ContestantRecord.form, of: ContestantRecord.blank, \.contestants,
        unique: \.name),
      .objects(
        "segments", SegmentRecord.form, of: SegmentRecord.blank, \.segments,
        "Every attempt at a measured segment."),
    ]
  ) { workload, node, findings in
    let contestants = Set(workload.contestants.map(\.name))
    let figures = Set(workload.figures.map(\.name))
    for (segment, node) in zip(workload.segments, node["segments"]?.elements ?? []) {
      if !contestants.contains(segment.contestant) {
        findings.error(
          at: node["contestant"]?.place ?? node.place,
          "'\(segment.contestant.prefix(80))' is not among the contestants of '\(workload.title)'")
      }
      for pair in node["figures"]?.pairs ?? [] where !figures.contains(pair.key) {
        findings.error(
          at: pair.keyPlace,
          "'\(pair.key.prefix(80))' is not among the figures of '\(workload.title)'")
      }
    }
  }

  /// The greatest size of a figure: 30 years in nanoseconds. Sums of such figures are finite.
  fileprivate static let figureRange = -1e18...1e18
}

extension RecordKey {
  /// Numbers.
  fileprivate static func measurements(
    _ name: String, _ path: any Path<[Double]>, _ about: String
  ) -> RecordKey {
    RecordKey(result: .numbers(name, about) { $0[keyPath: path] }) { node, root, findings in
      guard let values = node[name]?.all({ $0.number(in: 0...1e9) }) else {
        return findings.error(
          at: node[name]?.place ?? node.place,
          "expected a list of numbers from 0 to 1e9 under '\(name)'")
      }
      root[keyPath: path] = values
    }
  }

  /// An object with a number for each figure.
  fileprivate static func figures(
    _ name: String, _ path: any Path<[FigureRecord]>, _ about: String
  ) -> RecordKey {
    let members = [("additionalProperties", JSONText.object([("type", .string("number"))]))]
    return RecordKey(
      result: .other(name, about, members: members) { root in
        var object = JSONLine()
        for figure in root[keyPath: path] where figure.value.isFinite {
          object.add(figure.name, json: HumanNumber.exact(figure.value))
        }
        return object
      }
    ) { node, root, findings in
      guard let found = node[name], case .mapping(let pairs) = found.content else {
        return findings.error(at: node.place, "expected an object under '\(name)'")
      }
      for pair in pairs {
        guard let value = pair.value.number(in: WorkloadRecord.figureRange) else {
          findings.error(
            at: pair.value.place,
            "expected a number from -1e18 to 1e18 under '\(pair.key)', found \(pair.value.found)")
          continue
        }
        root[keyPath: path].append(FigureRecord(name: pair.key, value: value))
      }
    }
  }
}
