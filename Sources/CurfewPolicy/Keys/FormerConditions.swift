import CurfewEngine
import CurfewText

/// The keys of a wake's row that `requires` and `blockedBy` have replaced. A file that has such
/// a key is refused, and the error contains the line to write instead.
struct FormerConditions {
  /// An old key in a row of a file.
  private struct Use {
    let key: Key
    let place: SourcePlace
    let value: SourceNode

    /// The value as a boolean; nil if it is neither true nor false.
    var isOn: Bool? { text == "true" ? true : text == "false" ? false : nil }
    var text: String? { (value["value"] ?? value).text }
  }

  /// An old key, and the list and the fact that replaced it.
  private struct Key {
    let name: String
    let list: String
    let fact: String

    var change: String { "'\(name)' became the fact '\(fact)' of '\(list)'" }
  }

  private static let keys = [
    Key(name: "needsBackgroundRefresh", list: "requires", fact: "backgroundRefresh"),
    Key(name: "blockedByLowPowerMode", list: "blockedBy", fact: "lowPowerMode"),
    Key(name: "blockedByLowBattery", list: "blockedBy", fact: "lowBattery"),
  ]

  /// The rows of a file that have old keys, in the order of the file, each with its old keys.
  private var rows: [(path: String, row: SourceNode, uses: [Use])] = []
  /// The old keys outside a row.
  private var strays: [Use] = []

  /// Removes the old keys from a file's tree, so that nothing else finds them.
  init(takenFrom root: inout SourceNode) {
    strays = FormerConditions.takeUses(from: &root)
    root.changeValues { group, wakes in
      guard group == "wakes" else { return }
      strays += FormerConditions.takeUses(from: &wakes) { $0["value"] != nil || $0.text != nil }
      wakes.changeValues { name, row in
        let whole = row
        let uses = FormerConditions.takeUses(from: &row)
        if !uses.isEmpty { rows.append((path: "wakes.\(name)", row: whole, uses: uses)) }
      }
    }
  }

  private static func takeUses(
    from node: inout SourceNode, where isFlag: (SourceNode) -> Bool = { _ in true }
  ) -> [Use] {
    guard case .mapping(let pairs) = node.content else { return [] }
    var uses: [Use] = []
    let rest = pairs.filter { pair in
      guard let key = keys.first(where: { $0.name == pair.key }), isFlag(pair.value) else {
        return true
      }
      uses.append(Use(key: key, place: pair.keyPlace, value: pair.value))
      return false
    }
    node.content = .mapping(rest)
    return uses
  }

  /// The fact that replaced the key of that name.
  static func fact(formerly name: String) -> String? { keys.first { $0.name == name }?.fact }

  /// Reports an error at each old key.
  ///
  /// - Parameter parent: The inherited values. A list in a row replaces the inherited list as
  ///   a whole.
  func findings(over parent: PolicyLayer?) -> Findings {
    var findings = Findings()
    for use in strays { findings.error(at: use.place, "\(use.key.change), a list in a wake's row") }
    for (path, row, uses) in rows {
      for use in uses where use.isOn == nil {
        findings.error(
          at: use.place,
          "\(use.key.change); expected true or false, found \(use.text.map { "'\($0)'" } ?? "something else")"
        )
      }
      for list in ["requires", "blockedBy"] {
        let uses = uses.filter { $0.key.list == list && $0.isOn != nil }
        let inherited = parent?.entries["\(path).\(list)"]?.text.facts ?? []
        let own = row[list].map { ($0["value"] ?? $0).facts }
        var facts = own ?? inherited
        for use in uses {
          facts.removeAll { use.isOn == false && $0 == use.key.fact }
          if use.isOn == true, !facts.contains(use.key.fact) { facts.append(use.key.fact) }
        }
        let line =
          facts == (own ?? inherited)
          ? nil : "\(list): \(FormerConditions.value(facts, uses, row[list]))"
        for use in uses {
          let advice =
            line.map { "write '\($0)'\(own == nil ? "" : " in place of the row's own list")" }
            ?? (use.isOn == true
              ? "delete it: '\(list)' has the fact already"
              : "delete it: a row that does not name the fact ignores it")
          findings.error(at: use.place, "\(use.key.change); \(advice)")
        }
      }
    }
    return findings
  }

  /// The list as it is written in files, with the lowest confidence of its facts and with all
  /// their sources.
  private static func value(_ facts: [String], _ uses: [Use], _ own: SourceNode?) -> String {
    let text =
      facts.isEmpty ? "none" : facts.count == 1 ? facts[0] : "[\(facts.joined(separator: ", "))]"
    let nodes = [own].compactMap(\.self) + uses.map(\.value)
    func said(_ key: String) -> [String] {
      nodes.compactMap { $0[key]?.text }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
    let confidences = said("confidence")
    let confidence = PolicyEntry.Confidence.allCases.last { confidences.contains($0.rawValue) }.map
    { ", confidence: \($0.rawValue)" }
    let source =
      said("source").isEmpty
      ? nil : ", source: \(said("source").joined(separator: " and ").writtenScalar)"
    guard confidence != nil || source != nil else { return text }
    return "{value: \(text)\(confidence ?? "")\(source ?? "")}"
  }
}

extension SourceNode {
  /// Applies `change` to each value of a mapping, with its key.
  fileprivate mutating func changeValues(_ change: (String, inout SourceNode) -> Void) {
    guard case .mapping(var pairs) = content else { return }
    for place in pairs.indices { change(pairs[place].key, &pairs[place].value) }
    content = .mapping(pairs)
  }

  /// The facts in a list or a word, each once.
  fileprivate var facts: [String] {
    guard case .list(let elements) = content else { return text.map(\.facts) ?? [] }
    return elements.compactMap(\.text).reduce(into: []) {
      if $1 != "none", !$0.contains($1) { $0.append($1) }
    }
  }
}

extension String {
  /// The facts in a canonical text.
  fileprivate var facts: [String] { self == "none" ? [] : split(separator: ", ").map(String.init) }
}
