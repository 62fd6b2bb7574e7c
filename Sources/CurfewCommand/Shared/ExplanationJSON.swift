import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace

/// The explained lines of a run: the first and the last of each list.
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

/// A line of a run with its explanations.
struct ExplainedLine {
  let line: TraceLine
  /// At least one.
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
      .time("next", "The instant at which a budget or an interval allows it", optional: true) {
        $0.next?.nanoseconds
      },
    ])

  /// A request that was refused.
  static let refusal = ResultForm<ExplainedLine>(
    "",
    [
      time, app(), .text("identifier") { $0.identifier },
      .name("kind", known: KindName.standard.map(\.rawValue)) { $0.kind?.rawValue },
      .text("reason", words: TaskRequestError.allCases.map(\.fileName)) {
        $0.explanations.first?.reason.description
      }, why,
    ])

  /// A diagnostic.
  static let remark = ResultForm<ExplainedLine>(
    "",
    [
      time, app(optional: true),
      .text("reason", words: Diagnostic.allCases.map(\.fileName)) {
        $0.explanations.first?.reason.description
      },
      .text("do", "The step of an illegal event.", optional: true) { $0.step },
      .count("task", "The number of the task.", optional: true) { $0.task },
      .texts("tasks", "The open tasks.", optional: true) { $0.tasks },
      .text("notification", "The name of the dropped notification.", optional: true) {
        $0.notification
      },
      why,
    ])

  /// A memory warning.
  static let warning = ResultForm<ExplainedLine>(
    "",
    [
      time, app(),
      .text("reason", words: ["memoryWarning"]) { $0.explanations.first?.reason.description }, why,
    ])

  private static let time = ResultKey<ExplainedLine>.time("t", "The instant") {
    $0.line.time.nanoseconds
  }
  private static let why = ResultKey<ExplainedLine>.all(of: Explanation.form) {
    $0.explanations.first
  }
  private static let openTask = ResultForm<(name: String, age: Interval)>(
    "",
    [.text("name") { $0.name }, .time("age", "The time it had been open") { $0.age.nanoseconds }])

  private static func app(optional: Bool = false) -> ResultKey<ExplainedLine> {
    .text("app", optional: optional) { $0.line.app }
  }

  private var process: RecordedProcessEnd? {
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

extension RecordedProcessEnd {
  fileprivate var openTasks: [(name: String, age: Interval)]? {
    tasks.map { tasks in zip(tasks, details?.ages ?? []).map { ($0, $1) } }
  }
}

extension Explanation {
  /// An explanation: its words, the policy value that causes it, other facts, and the remedy.
  static let form = ResultForm<Explanation>(
    "",
    [
      .text("because", "One phrase.") { $0.because },
      .object("policy", valueForm, "The policy value that explains the outcome.", optional: true) {
        $0.ofPolicy
      },
      .objects(
        "facts", factForm,
        "Other facts. If no policy value is the cause, the first fact is.", optional: true
      ) { $0.rest },
      .text("remedy", "The change that would be needed.", optional: true) { $0.remedy },
    ])

  /// The explanation, preceded by its reason.
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
      .nullableText("file", "null if no file states it.") { $0.file },
      .count("line", optional: true) { $0.sourcePlace?.line },
      .count("column", optional: true) { $0.sourcePlace?.column },
      .text("confidence", "The confidence of the policy's value.", optional: true) {
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
