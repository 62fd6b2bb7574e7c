import CurfewEngine
import CurfewText

/// The keys of a wake's row that `requires` and `blockedBy` have replaced. A file that still has
/// one is refused, with the line to write.
struct FormerConditions {
  /// A key that a row of a file has.
  private struct Use {
    let key: Key
    let place: SourcePlace
    let value: SourceNode

    var isOn: Bool { (value["value"] ?? value).text == "true" }
  }

  /// A key, and the list and the fact that replaced it.
  private struct Key {
    let name: String
    let list: String
    let fact: String
  }

  private static let keys = [
    Key(name: "needsBackgroundRefresh", list: "requires", fact: "backgroundRefresh"),
    Key(name: "blockedByLowPowerMode", list: "blockedBy", fact: "lowPowerMode"),
    Key(name: "blockedByLowBattery", list: "blockedBy", fact: "lowBattery"),
  ]

  /// The rows of a file that have any, in its order, with what they have.
  private var rows: [(path: String, row: SourceNode, uses: [Use])] = []

  /// Takes the keys out of a file's tree, so that nothing else finds them.
  init(takenFrom root: inout SourceNode) {
    root.changeValues { group, wakes in
      guard group == "wakes" else { return }
      wakes.changeValues { name, row in
        guard case .mapping(let pairs) = row.content else { return }
        let uses = pairs.compactMap { pair in
          FormerConditions.keys.first { $0.name == pair.key }.map { Use(key: $0, place: pair.keyPlace, value: pair.value) }
        }
        guard !uses.isEmpty else { return }
        row.content = .mapping(pairs.filter { pair in !FormerConditions.keys.contains { $0.name == pair.key } })
        rows.append((path: "wakes.\(name)", row: row, uses: uses))
      }
    }
  }

  /// An error at each key.
  ///
  /// - Parameter parent: The values that a row inherits, whose lists it replaces as a whole.
  func findings(over parent: PolicyLayer?) -> Findings {
    var findings = Findings()
    for (path, row, uses) in rows {
      for list in ["requires", "blockedBy"] {
        let uses = uses.filter { $0.key.list == list }
        let inherited = parent?.entries["\(path).\(list)"]?.text.facts ?? []
        let own = row[list].map { ($0["value"] ?? $0).facts }
        var facts = own ?? inherited
        for use in uses {
          if !use.isOn { facts.removeAll { $0 == use.key.fact } }
          if use.isOn, !facts.contains(use.key.fact) { facts.append(use.key.fact) }
        }
        let line = facts == (own ?? inherited) ? nil : "\(list): \(FormerConditions.value(facts, uses, row[list]))"
        for use in uses {
          let advice =
            line.map { "write '\($0)'\(own == nil ? "" : " in the place of the row's own")" }
            ?? (use.isOn ? "delete it: '\(list)' has the fact already" : "delete it: a row that does not name the fact ignores it")
          findings.error(at: use.place, "'\(use.key.name)' became the fact '\(use.key.fact)' of '\(list)'; \(advice)")
        }
      }
    }
    return findings
  }

  /// The list as a file has it, as sure as the least sure of its facts, with the source of each.
  private static func value(_ facts: [String], _ uses: [Use], _ own: SourceNode?) -> String {
    let text = facts.isEmpty ? "none" : facts.count == 1 ? facts[0] : "[\(facts.joined(separator: ", "))]"
    let nodes = [own].compactMap(\.self) + uses.map(\.value)
    func said(_ key: String) -> [String] {
      nodes.compactMap { $0[key]?.text }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
    let confidences = said("confidence")
    let confidence = PolicyEntry.Confidence.allCases.last { confidences.contains($0.rawValue) }.map { ", confidence: \($0.rawValue)" }
    let source = said("source").isEmpty ? nil : ", source: \(said("source").joined(separator: " and ").writtenScalar)"
    guard confidence != nil || source != nil else { return text }
    return "{value: \(text)\(confidence ?? "")\(source ?? "")}"
  }
}

extension SourceNode {
  /// Changes the values of a mapping, each under its key.
  fileprivate mutating func changeValues(_ change: (String, inout SourceNode) -> Void) {
    guard case .mapping(var pairs) = content else { return }
    for place in pairs.indices { change(pairs[place].key, &pairs[place].value) }
    content = .mapping(pairs)
  }

  /// The facts that a list names, or a word.
  fileprivate var facts: [String] {
    if case .list(let elements) = content { return elements.compactMap(\.text) }
    return text.map(\.facts) ?? []
  }
}

extension String {
  /// The facts that a canonical text lists.
  fileprivate var facts: [String] { self == "none" ? [] : split(separator: ", ").map(String.init) }
}
