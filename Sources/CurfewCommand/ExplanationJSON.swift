import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// What has an explanation, for a program; each nil for a line of another type.
extension ExplainedLine {
  /// A process's end.
  var termination: JSONLine? {
    guard case .terminated(let process) = line.body, let explanation = explanations.first else { return nil }
    var object = start
    object.add("reason", process.reason.fileName)
    object.add("code", process.code?.fileName)
    if let tasks = process.tasks {
      let ages = process.details?.ages ?? []
      object.add(
        "tasks",
        json: JSONLine.array(
          zip(tasks, ages).map { name, age in
            var task = JSONLine()
            task.add("name", name)
            task.add("age", age.nanoseconds)
            return task
          }))
    }
    object.add(explanation)
    return object
  }

  /// An admission that was denied, with each reason.
  var denial: JSONLine? {
    guard case .decision(let kind, _, let denied, let next) = line.body, !denied.isEmpty else { return nil }
    var object = start
    object.add("kind", kind.fileName)
    let reasons = explanations.map { explanation in
      var object = JSONLine()
      object.add("reason", explanation.reason.description)
      object.add(explanation)
      return object
    }
    object.add("reasons", json: JSONLine.array(reasons))
    object.add("next", next?.nanoseconds)
    return object
  }

  /// A request that was not taken.
  var refusal: JSONLine? {
    guard case .request(let identifier, let kind, .refused(let error)) = line.body, let explanation = explanations.first else { return nil }
    var object = start
    object.add("identifier", identifier)
    object.add("kind", kind.fileName)
    object.add("reason", error.fileName)
    object.add(explanation)
    return object
  }

  /// Something worth saying.
  var remark: JSONLine? {
    guard case .diagnostic(let diagnostic, _) = line.body, let explanation = explanations.first else { return nil }
    var object = start
    object.add("reason", diagnostic.fileName)
    object.add(explanation)
    return object
  }

  /// A warning that memory is short.
  var warning: JSONLine? {
    guard case .callback = line.body, let explanation = explanations.first else { return nil }
    var object = start
    object.add("reason", explanation.reason.description)
    object.add(explanation)
    return object
  }

  private var start: JSONLine {
    var object = JSONLine()
    object.add("t", line.time.nanoseconds)
    object.add("app", line.app)
    return object
  }
}

extension JSONLine {
  /// What says so in words, the value of the policy that does, what else is so, and what would change it.
  fileprivate mutating func add(_ explanation: Explanation) {
    let facts = [explanation.fact] + explanation.others
    add("because", explanation.because)
    if explanation.fact.owner == .policy { add("policy", json: JSONLine.object(explanation.fact, key: "path").closed) }
    let rest = facts.dropFirst(explanation.fact.owner == .policy ? 1 : 0)
    let others = rest.map { JSONLine.object($0, key: "key", owner: $0.owner.rawValue) }
    if !others.isEmpty { add("facts", json: JSONLine.array(others)) }
    add("remedy", explanation.remedy)
  }

  private static func object(_ fact: Explanation.Fact, key: String, owner: String? = nil) -> JSONLine {
    var object = JSONLine()
    object.add("owner", owner)
    object.add(key, fact.key)
    object.add("value", fact.value)
    switch fact.place {
    case .at(let place):
      object.add("file", place.file)
      object.add("line", place.line)
      object.add("column", place.column)
    case .file(let file): object.add("file", file)
    case .unwritten, .nowhere: object.add("file", json: "null")
    }
    object.add("confidence", fact.confidence?.rawValue)
    return object
  }
}
