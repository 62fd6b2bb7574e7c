import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace

/// What has an explanation in a run: of each list the first and the last.
struct ExplainedLines {
  private(set) var terminations = FirstAndLast<ExplainedLine>()
  private(set) var denials = FirstAndLast<ExplainedLine>()
  private(set) var refusals = FirstAndLast<ExplainedLine>()
  private(set) var remarks = FirstAndLast<ExplainedLine>()
  private(set) var warnings = FirstAndLast<ExplainedLine>()

  mutating func add(_ line: ExplainedLine) {
    switch line.line.body {
    case .terminated: terminations.append(line)
    case .decision: denials.append(line)
    case .request: refusals.append(line)
    case .diagnostic: remarks.append(line)
    default: warnings.append(line)
    }
  }
}

/// A line of a run with what explains it.
struct ExplainedLine {
  let line: TraceLine
  /// One at least.
  let explanations: [Explanation]
}

extension ExplainedLine {
  /// A process's end.
  static let termination = ResultForm<ExplainedLine>(
    "",
    [
      time, app(),
      .text("reason", words: TerminationReason.allCases.map(\.fileName)) {
        $0.process?.reason.fileName
      },
      .text("code", optional: true) { $0.process?.code?.fileName },
      .objects("tasks", openTask, "The tasks that were left open.", optional: true) {
        $0.process?.openTasks
      }, why,
    ])

  /// An admission that was denied.
  static let denial = ResultForm<ExplainedLine>(
    "",
    [
      time, app(), .name("kind", known: KindName.standard.map(\.rawValue)) { $0.kind?.rawValue },
      .objects("reasons", Explanation.reasonForm, "Each fact that denied it.") { $0.explanations },
      .time("next", "When a budget or an interval allows it", optional: true) {
        $0.next?.nanoseconds
      },
    ])

  /// A request that was not taken.
  static let refusal = ResultForm<ExplainedLine>(
    "",
    [
      time, app(), .text("identifier") { $0.identifier },
      .name("kind", known: KindName.standard.map(\.rawValue)) { $0.kind?.rawValue },
      .text("reason", words: TaskRequestError.allCases.map(\.fileName)) {
        $0.explanations.first?.reason.description
      }, why,
    ])

  /// Something worth saying.
  static let remark = ResultForm<ExplainedLine>(
    "",
    [
      time, app(optional: true),
      .text("reason", words: Diagnostic.allCases.map(\.fileName)) {
        $0.explanations.first?.reason.description
      },
      .text("do", "Of an illegal event: the step.", optional: true) { $0.step },
      .count("task", "By its number.", optional: true) { $0.task },
      .texts("tasks", "Those that are open.", optional: true) { $0.tasks },
      .text("notification", "That was dropped, by its name.", optional: true) { $0.notification },
      why,
    ])

  /// A warning that memory is short.
  static let warning = ResultForm<ExplainedLine>(
    "",
    [
      time, app(),
      .text("reason", words: ["memoryWarning"]) { $0.explanations.first?.reason.description }, why,
    ])

  private static let time = ResultKey<ExplainedLine>.time("t", "When") { $0.line.time.nanoseconds }
  private static let why = ResultKey<ExplainedLine>.all(of: Explanation.form) {
    $0.explanations.first
  }
  private static let openTask = ResultForm<(name: String, age: Interval)>(
    "",
    [.text("name") { $0.name }, .time("age", "How long it had been open") { $0.age.nanoseconds }])

  private static func app(optional: Bool = false) -> ResultKey<ExplainedLine> {
    .text("app", optional: optional) { $0.line.app }
  }

  private var process: TerminatedProcess? {
    if case .terminated(let process) = line.body { process } else { nil }
  }
  private var next: Instant? {
    if case .decision(_, _, _, let next) = line.body { next } else { nil }
  }
  private var identifier: String? {
    if case .request(let identifier, _, _) = line.body { identifier } else { nil }
  }
  private var task: UInt32? {
    if case .diagnostic(_, .task(let task)) = line.body { task.rawValue } else { nil }
  }
  private var tasks: [String]? {
    if case .diagnostic(_, .tasks(let tasks, _)) = line.body { tasks } else { nil }
  }
  private var notification: String? {
    if case .diagnostic(_, .notification(let name)) = line.body { name } else { nil }
  }
  private var step: String? {
    if case .diagnostic(_, .step(let verb, _, _)) = line.body { verb } else { nil }
  }

  private var kind: KindName? {
    switch line.body {
    case .decision(let kind, _, _, _), .request(_, let kind, _): kind
    default: nil
    }
  }
}

extension TerminatedProcess {
  fileprivate var openTasks: [(name: String, age: Interval)]? {
    tasks.map { tasks in zip(tasks, details?.ages ?? []).map { ($0, $1) } }
  }
}

extension Explanation {
  /// What says so in words, the value of the policy that does, what else is so, and what would
  /// change it.
  static let form = ResultForm<Explanation>(
    "",
    [
      .text("because", "One phrase.") { $0.because },
      .object("policy", valueForm, "The value of the policy that says so.", optional: true) {
        $0.ofPolicy
      },
      .objects(
        "facts", factForm,
        "What else is so; first what says so, where that is no value of the policy.", optional: true
      ) { $0.rest },
      .text("remedy", "What would have to change.", optional: true) { $0.remedy },
    ])

  /// The same behind what is explained.
  static let reasonForm = ResultForm<Explanation>(
    "", [.text("reason") { $0.reason.description }, .all(of: form) { $0 }])

  private var ofPolicy: Fact? { fact.owner == .policy ? fact : nil }

  private var rest: [Fact]? {
    let facts = fact.owner == .policy ? others : [fact] + others
    return facts.isEmpty ? nil : facts
  }

  /// A value of the policy.
  static let valueForm = ResultForm<Fact>(
    "", [.text("path") { $0.key }, .all(of: reference) { $0 }])
  static let factForm = ResultForm<Fact>(
    "",
    [
      .text("owner", words: Owner.allCases.map(\.rawValue)) { $0.owner.rawValue },
      .text("key") { $0.key }, .all(of: reference) { $0 },
    ])

  private static let reference = ResultForm<Fact>(
    "",
    [
      .text("value", optional: true) { $0.value },
      .nullableText("file", "null where it is written in none.") { $0.file },
      .count("line", optional: true) { $0.sourcePlace?.line },
      .count("column", optional: true) { $0.sourcePlace?.column },
      .text("confidence", "How sure a policy's value is.", optional: true) {
        $0.confidence?.rawValue
      },
    ])
}

extension Explanation.Fact {
  fileprivate var sourcePlace: SourcePlace? {
    if case .at(let place) = place { place } else { nil }
  }

  fileprivate var file: String? {
    switch place {
    case .at(let place): place.file
    case .file(let file): file
    case .unwritten, .nowhere: nil
    }
  }
}
