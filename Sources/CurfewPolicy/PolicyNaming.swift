import CurfewEngine
import CurfewText

/// A sort of names that a policy may declare and its values may use.
enum PolicyNaming: String, Sendable {
  case mode, fact, group

  /// The errors in the names that a policy declares and in the names that its values use.
  ///
  /// A parent is checked before its child, so each error is in this file.
  static func findings(_ layer: PolicyLayer, _ tables: [PolicyTable], root: SourcePlace) -> Findings
  {
    var check = PolicyNameCheck(layer, root: root)
    check.checkKinds()
    check.checkModes()
    check.checkFacts()
    check.checkGroups()
    for table in tables {
      for key in table.keys { if let naming = key.naming { check.checkWords(of: key, naming) } }
    }
    return check.findings
  }

  /// The values that a row needs if no parent has it.
  static func needs(of keys: [String]) -> String {
    "a row that no parent has needs \(keys.map { "'\($0)'" }.joined(separator: " and "))"
  }
}

private struct PolicyNameCheck {
  private(set) var findings = Findings()
  private let layer: PolicyLayer
  private let root: SourcePlace
  private let standard = PolicyNames()
  /// The names that words may refer to.
  private let names: PolicyNames

  init(_ layer: PolicyLayer, root: SourcePlace) {
    (self.layer, self.root, names) = (layer, root, layer.own.names)
  }

  /// The place where this file declares a name; nil for a name that another file declares, which
  /// has been checked.
  private func place(_ group: String, _ name: String) -> SourcePlace? {
    let place = layer.groups["\(group).\(name)"] ?? layer.removed["\(group).\(name)"]
    return place?.file == root.file ? place : nil
  }

  /// The names of `own` that this file declares, in its order.
  private func given(_ own: Set<String>, in group: String) -> [String] {
    let placed = own.compactMap { name in place(group, name).map { (name, $0) } }
    return placed.sorted { ($0.1.line, $0.1.column) < ($1.1.line, $1.1.column) }.map(\.0)
  }

  /// Reports an error at the declaration of `name` in this file.
  private mutating func refuse(_ group: String, _ name: String, _ message: String) {
    if let place = place(group, name) { findings.error(at: place, message) }
  }

  mutating func checkKinds() {
    for (group, own, wanted) in [
      ("sessions", layer.own.sessions, AssertionClass.session), ("wakes", layer.own.wakes, .wake),
    ] {
      for kind in StandardKind.all where kind.class != wanted {
        let what =
          kind.class == .session ? "a session" : kind.class == .wake ? "a wake" : "what 'tasks' are"
        refuse(group, kind.name, "'\(kind.name)' is \(what), not a \(wanted)")
      }
      for name in given(own, in: group) {
        checkSpelling(of: name, in: group, wanted)
        if AppCall.named.contains(where: { $0.fileName == name }) || name == "none" {
          refuse(group, name, "'\(name)' means something else")
        }
      }
    }
    for name in layer.own.sessions.intersection(layer.own.wakes).sorted() {
      let group = place("wakes", name) == nil ? "sessions" : "wakes"
      refuse(group, name, "'\(name)' cannot be both a session and a wake")
    }
    let own =
      layer.own.sessions.sorted().map { ("sessions", $0) }
      + layer.own.wakes.sorted().map { ("wakes", $0) }
    refuse(own, of: "kinds", AssertionKind.greatestCount, standard.kinds.count)
  }

  /// Reports a row without the values that a declared row needs. If the name is similar to a known
  /// name, the error suggests the known name.
  private mutating func checkSpelling(of name: String, in group: String, _ wanted: AssertionClass) {
    guard let place = place(group, name) else { return }
    guard layer.groups["\(group).\(name)"] != nil else {
      let others = standard.kinds(wanted).map(\.rawValue)
      guard let near = NearestName.to(name, among: others) else { return }
      return findings.error(
        at: place, "there is no row '\(name)' to remove; did you mean '\(near)'?")
    }
    let needed = wanted == .session ? ["mode"] : ["length", "overrun"]
    let missing = needed.filter { layer.entries["\(group).\(name).\($0)"] == nil }
    guard !missing.isEmpty else { return }
    let others = standard.kinds(wanted).map(\.rawValue)
    findings.error(at: place) { search in
      if let near = search.nearest(to: name, among: others) {
        let needs = missing.map { "'\($0)'" }.joined(separator: " and ")
        return
          "unknown \(wanted) '\(name)'; did you mean '\(near)'? A row of the policy's own needs \(needs)"
      }
      return
        "missing \(missing.map { "'\(group).\(name).\($0)'" }.joined(separator: ", ")); \(PolicyNaming.needs(of: needed))"
    }
  }

  mutating func checkModes() {
    for name in standard.modes {
      refuse("modes", name, "'\(name)' is a mode that every policy knows")
    }
    if layer.own.modes.contains("none") { refuse("modes", "none", "'none' means something else") }
    refuse(
      layer.own.modes.sorted().map { ("modes", $0) }, of: "modes", BackgroundModes.greatestCount,
      standard.modes.count)
  }

  mutating func checkFacts() {
    for name in standard.facts {
      refuse("facts", name, "'\(name)' is a fact that every policy knows")
    }
    for name in layer.own.facts.sorted() {
      if Denials.isMissing(name) {
        refuse(
          "facts", name,
          "'\(name)' is the name of a fact that does not hold; name the fact itself")
      } else if DenialReasons.fileNames.contains(name) || name == "none" {
        refuse("facts", name, "'\(name)' means something else")
      }
    }
    refuse(
      layer.own.facts.sorted().map { ("facts", $0) }, of: "facts", FactSet.greatestCount,
      standard.facts.count)
  }

  mutating func checkGroups() {
    refuse(
      layer.own.groups.sorted().map { ("groups", $0) }, of: "groups", AppGroup.greatestCount, 0)
  }

  /// Reports names beyond the limit of a sort, at the first place in this file that exceeds it.
  private mutating func refuse(
    _ own: [(group: String, name: String)], of what: String, _ limit: Int, _ standard: Int
  ) {
    guard own.count + standard > limit else { return }
    let places = own.compactMap { place($0.group, $0.name) }.sorted {
      ($0.line, $0.column) < ($1.line, $1.column)
    }
    let excess = own.count + standard - limit
    let message =
      "a policy has at most \(limit) \(what), \(standard == 0 ? "none" : "\(standard)") of them standard; found \(own.count) of its own"
    findings.error(
      at: places.dropLast(min(excess, places.count) - 1).last ?? places.first ?? root, message)
  }

  /// Checks the names in a value.
  mutating func checkWords(of key: PolicyKey<Policy>, _ naming: PolicyNaming) {
    guard let entry = layer.entries[key.path], entry.place.file == root.file, entry.text != "none"
    else { return }
    let known = naming == .mode ? names.modes : naming == .fact ? names.facts : names.groups
    for element in entry.text.split(separator: ",").map({ String($0.drop { $0 == " " }) }) {
      guard let word = naming == .group ? BudgetText.group(in: element) : element,
        !known.contains(word)
      else { continue }
      findings.error(at: layer.words[key.path]?[element] ?? entry.place) { search in
        let near = (FormerConditions.fact(formerly: word) ?? search.nearest(to: word, among: known))
          .map { "did you mean '\($0)'?" }
        let all =
          (known.isEmpty ? "" : "expected one of: \(known.joined(separator: ", ")); ")
          + "a policy declares its own in '\(naming)s'"
        return "unknown \(naming) '\(word)'; \(near ?? all)"
      }
    }
  }
}
