import CurfewEngine
import CurfewText

/// Checks complete values for conflicts.
///
/// A parent is checked before its child, so at least one side of a conflict is in this file. The
/// error is reported there.
struct PolicyConflicts {
  private(set) var findings = Findings()
  private let entries: [String: PolicyEntry]
  /// The place where the file of this policy starts.
  private let root: SourcePlace
  /// The names of all files that are checked together.
  private let files: [String]

  /// - Parameter roots: The places where the files that are checked start. The last one gets the
  ///   errors that have no place of their own.
  init(_ entries: [PolicyEntry], _ tables: [PolicyTable], roots: [SourcePlace]) {
    self.entries = Dictionary(
      entries.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    root = roots[roots.count - 1]
    files = roots.map(\.file)
    if entry("multitasking")?.text != "false" {
      requireDuration("tasks.warning", shorterThan: "tasks.grant")
      requireDuration("tasks.warning", shorterThan: "tasks.grantAfterWake")
    }
    requireDuration("limits.launchWarning", shorterThan: "limits.launch", orEqual: true)
    requireDuration(
      "limits.didEnterBackgroundWarning", shorterThan: "limits.didEnterBackground", orEqual: true)
    for table in tables { check(table) }
    checkBattery()
    checkMemory()
    checkProcessor()
  }

  private mutating func check(_ table: PolicyTable) {
    let isWake = table.path.hasPrefix("wakes.")
    if isWake, entry("\(table.path).length") == nil { return }
    for key in table.keys where key.isPositive { requireSome(key) }
    checkConditions(table)
    checkBudgets(table)
    if table.path.hasPrefix("sessions.") { checkLimit(ofSession: table.path) }
    guard isWake, let start = entry("\(table.path).start") else { return }
    for key in table.keys {
      guard let starts = key.starts, !starts.contains(where: { "\($0)" == start.text }),
        let entry = entry(key.path),
        entry.text != key.absent
      else { continue }
      let quoted = starts.map { "'\($0)'" }
      let names = [quoted.dropLast().joined(separator: ", "), quoted.last ?? ""].filter {
        !$0.isEmpty
      }.joined(separator: " or ")
      let row = table.path.dropFirst("wakes.".count)
      findings.error(
        at: isOwn(entry) ? entry.place : start.place,
        "'\(key.name)' has no effect on '\(row)', whose 'start' is '\(start.text)'; it applies to \(names)"
      )
    }
    requireDuration("\(table.path).warning", shorterThan: "\(table.path).length", orEqual: true)
    checkBudget(table.path)
  }

  /// Checks that keys about a session's end are set only if the session has a limit, and that
  /// a deferral is set only if an overrun drops the session.
  private mutating func checkLimit(ofSession row: String) {
    func isNone(_ key: String) -> Bool { entry("\(row).\(key)").map { $0.text == "none" } ?? true }
    let ends = [entry("\(row).length"), entry("\(row).budgets")].compactMap(\.self)
    for (key, isAbsent) in [("warning", "none"), ("overrun", "drop"), ("code", "none")]
    where isNone("length") && !hasRunTime(row) {
      guard let entry = entry("\(row).\(key)"), entry.text != isAbsent else { continue }
      let place = isOwn(entry) ? entry.place : ends.first(where: isOwn)?.place ?? root
      findings.error(at: place, "'\(key)' needs a 'length', or a budget of run time")
    }
    if !isNone("length") {
      requireDuration("\(row).warning", shorterThan: "\(row).length", orEqual: true)
    }
    guard let deferral = entry("\(row).deferral") else { return }
    if isNone("deferral") {
      for key in ["deferralFactor", "deferralMost"] {
        // A child may remove its parent's deferral without removing the keys that belong to it.
        guard let entry = entry("\(row).\(key)"), isOwn(entry), entry.text != "none",
          entry.text != "1"
        else { continue }
        findings.error(at: entry.place, "'\(key)' needs a 'deferral'")
      }
    } else if isNone("length") {
      let place = isOwn(deferral) ? deferral.place : entry("\(row).length")?.place ?? root
      findings.error(at: place, "'deferral' needs a 'length', after which it begins")
    } else if let overrun = entry("\(row).overrun"), overrun.text != "drop" {
      let place = isOwn(deferral) ? deferral.place : overrun.place
      findings.error(
        at: place,
        "'deferral' needs an 'overrun' of 'drop', found '\(overrun.text)': only a dropped session is renewed"
      )
    } else {
      requireDuration("\(row).deferral", shorterThan: "\(row).deferralMost", orEqual: true)
    }
  }

  /// Whether a budget of the row's list limits run time.
  private func hasRunTime(_ row: String) -> Bool {
    amounts(of: row).contains { if case .runTime = $0 { true } else { false } }
  }

  private func hasSessions(_ row: String) -> Bool {
    amounts(of: row).contains { if case .sessions = $0 { true } else { false } }
  }

  /// The amount of each of the row's budgets.
  private func amounts(of row: String) -> [Budget.Amount] { budgets(of: row).map(\.amount) }

  private func budgets(of row: String) -> [(text: Substring, amount: Budget.Amount)] {
    (entry("\(row).budgets")?.text ?? "none").split(separator: ", ").filter { $0 != "none" }
      .compactMap { text in
        BudgetText.amount(in: String(text)).map { (text, $0) }
      }
  }

  /// Reports a fact that a row both requires and is blocked by.
  private mutating func checkConditions(_ table: PolicyTable) {
    guard let requires = entry("\(table.path).requires"),
      let blockedBy = entry("\(table.path).blockedBy")
    else { return }
    let both = Set(requires.text.split(separator: ", ")).intersection(
      blockedBy.text.split(separator: ", ")
    ).subtracting(["none"])
    guard let fact = both.min() else { return }
    let place = isOwn(requires) ? requires.place : blockedBy.place
    let what =
      table.path.hasPrefix("groups.")
      ? "no app would ever be in it" : "nothing would ever be allowed"
    let row = table.path.hasPrefix("groups.") ? "group" : "row"
    findings.error(at: place, "the \(row) requires '\(fact)' and is blocked by it; \(what)")
  }

  private mutating func requireSome(_ key: PolicyKey<Policy>) {
    guard let entry = entry(key.path), let more = ["0s": "longer", "0B": "more"][entry.text] else {
      return
    }
    let none = key.shape.expected.hasSuffix("'none'") ? ", or 'none'" : ""
    findings.error(at: entry.place, "'\(key.name)' must be \(more) than \(entry.text)\(none)")
  }

  /// Checks the number of budgets: the engine has one bit for each budget that denies.
  private mutating func checkBudgets(_ table: PolicyTable) {
    checkRoom(table.path)
    guard let budgets = entry("\(table.path).budgets") else { return }
    if let coalesce = entry("\(table.path).coalesce"), coalesce.text != "none",
      !hasSessions(table.path)
    {
      findings.error(
        at: isOwn(coalesce) ? coalesce.place : budgets.place,
        "'coalesce' needs a budget of sessions")
    }
    let count = budgets.text.split(separator: ", ").count
    guard count > Budget.greatestCount else { return }
    findings.error(
      at: budgets.place, "a row can have at most \(Budget.greatestCount) budgets, found \(count)")
  }

  /// Checks that a budget has an amount and a window.
  private mutating func checkBudget(_ row: String) {
    guard let window = entry("\(row).window"), let admissions = entry("\(row).admissions"),
      let runTime = entry("\(row).runTime")
    else {
      return
    }
    // An amount of 0 needs no window.
    let counted = [admissions, runTime].filter {
      $0.text != "none" && (window.text != "none" || $0.text != "0")
    }
    if window.text == "none" {
      for entry in counted {
        if isOwn(entry) {
          findings.error(at: entry.place, "'\(key(entry))' needs a 'window'")
        } else {
          findings.error(
            at: window.place, "'\(key(entry))' (\(entry.text)) needs a 'window', found 'none'")
        }
      }
    } else if counted.isEmpty {
      if isOwn(window) {
        findings.error(at: window.place, "'window' needs 'admissions' or 'runTime'")
      } else {
        let place = [admissions, runTime].first(where: isOwn)?.place ?? root
        findings.error(
          at: place,
          "'window' (\(window.text)) needs 'admissions' or 'runTime'; if there is no budget, it must be 'none' too"
        )
      }
    }
  }

  /// Checks that `leastRoom` is set only with budgets of run time and is shorter than each of them.
  private mutating func checkRoom(_ row: String) {
    guard let leastRoom = entry("\(row).leastRoom") else { return }
    let isWritten = leastRoom.text != "warning"
    if !isWritten, (entry("\(row).warning")?.text ?? "0s") == "0s" { return }
    let runTime = entry("\(row).runTime").flatMap { entry in
      (try? DurationText.read(entry.text)).map { (entry, $0) }
    }
    let listed = budgets(of: row).compactMap { text, amount -> (PolicyEntry, Interval, String)? in
      guard case .runTime(let time) = amount, let entry = entry("\(row).budgets") else {
        return nil
      }
      return (entry, time, "the run time of '\(text)'")
    }
    let all = (runTime.map { [($0, $1, "'runTime' (\($0.text))")] } ?? []) + listed
    if all.isEmpty, isWritten {
      let place =
        [leastRoom, entry("\(row).budgets"), entry("\(row).runTime")].compactMap(\.self).first(
          where: isOwn)?.place ?? root
      return findings.error(
        at: place,
        "'leastRoom' needs \(row.hasPrefix("wakes.") ? "a 'runTime', or " : "")a budget of run time"
      )
    }
    guard let source = isWritten ? leastRoom : entry("\(row).warning"),
      let room = try? DurationText.read(source.text),
      let (budget, _, what) = all.first(where: { $0.1 <= room && $0.1 > .zero })
    else { return }
    let place = isOwn(budget) && !isOwn(source) ? budget.place : source.place
    findings.error(
      at: place,
      isWritten
        ? "'leastRoom' must be shorter than \(what), found '\(DurationText.write(room))'; otherwise nothing is ever admitted"
        : "'warning' (\(DurationText.write(room))) is also the row's 'leastRoom', so it must be shorter than \(what); otherwise nothing is ever admitted; shorten it, or set 'leastRoom'"
    )
  }

  private mutating func checkBattery() {
    guard let low = entry("lowBattery"), let reset = entry("lowBatteryReset"),
      let lower = try? PercentageText.read(low.text),
      let upper = try? PercentageText.read(reset.text), upper < lower
    else { return }
    if isOwn(reset) {
      findings.error(
        at: reset.place,
        "'lowBatteryReset' must not be less than 'lowBattery' (\(low.text)), found '\(reset.text)'")
    } else {
      findings.error(
        at: low.place,
        "'lowBattery' must not be more than 'lowBatteryReset' (\(reset.text)), found '\(low.text)'")
    }
  }

  private mutating func checkMemory() {
    requireShare("memory.warningReset", atMost: "memory.warning")
    requireShare("memory.purgeTo", atMost: "memory.purgeAbove")
  }

  private mutating func requireShare(_ low: String, atMost high: String) {
    guard let a = entry(low), let b = entry(high), let lower = try? PercentageText.read(a.text),
      let upper = try? PercentageText.read(b.text), lower > upper
    else { return }
    if !isOwn(a), isOwn(b) {
      findings.error(
        at: b.place, "'\(key(b))' must not be less than '\(key(a))' (\(a.text)), found '\(b.text)'")
    } else {
      findings.error(
        at: a.place, "'\(key(a))' must not be more than '\(key(b))' (\(b.text)), found '\(a.text)'")
    }
  }

  private mutating func checkProcessor() {
    guard let window = entry("cpu.window"), let length = try? DurationText.read(window.text),
      length > CPURules.longestWindow
    else {
      return
    }
    let longest = DurationText.write(CPURules.longestWindow)
    findings.error(
      at: window.place, "'window' must not be longer than \(longest), found '\(window.text)'")
  }

  /// Reports the error at the value that this file writes, because the other value was valid in its
  /// own file.
  private mutating func requireDuration(
    _ short: String, shorterThan long: String, orEqual: Bool = false
  ) {
    guard let a = entry(short), let b = entry(long), let shorter = try? DurationText.read(a.text),
      let longer = try? DurationText.read(b.text),
      orEqual ? shorter > longer : shorter >= longer
    else { return }
    if !isOwn(a), isOwn(b) {
      let rule = orEqual ? "must not be shorter than" : "must be longer than"
      findings.error(at: b.place, "'\(key(b))' \(rule) '\(key(a))' (\(a.text)), found '\(b.text)'")
    } else {
      let rule = orEqual ? "must not be longer than" : "must be shorter than"
      findings.error(at: a.place, "'\(key(a))' \(rule) '\(key(b))' (\(b.text)), found '\(a.text)'")
    }
  }

  private func isOwn(_ entry: PolicyEntry) -> Bool { files.contains(entry.place.file) }

  private func key(_ entry: PolicyEntry) -> Substring {
    entry.path.split(separator: ".").last ?? ""
  }

  private func entry(_ path: String) -> PolicyEntry? { entries[path] }
}
