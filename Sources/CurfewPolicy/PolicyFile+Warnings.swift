import CurfewEngine
package import CurfewText

/// Warnings of `curfew policy check`: values that are valid but probably not intended.
extension PolicyFile {
  /// Rows that deny because of a new default, rows that make time crawl, and values without an
  /// effect, in the order of files and lines.
  package var warnings: [FileDiagnostic] {
    let found = policy.names.kinds.flatMap {
      [leastRoomByDefault(of: $0), crawl(of: $0), idleAnswer(of: $0)].compactMap(\.self)
    }
    return found.sorted { a, b in
      guard let first = a.place, let second = b.place else { return false }
      return (first.file, first.line, first.column) < (second.file, second.line, second.column)
    }
  }

  // MARK: Least room

  /// Warns if the row has a budget of run time and a warning, but no `leastRoom`.
  private func leastRoomByDefault(of kind: KindName) -> FileDiagnostic? {
    guard let own = value("leastRoom", kind).flatMap(entry), !isWritten(own),
      let room = leastRoom(of: kind)?.room
    else { return nil }
    let key =
      wake(kind)?.budget?.runTime != nil
      ? "runTime" : budgets(of: kind).contains(where: \.isOfRunTime) ? "budgets" : nil
    guard let key, let place = value(key, kind).flatMap(entry)?.place else { return nil }
    return FileDiagnostic(
      .warning, at: place,
      """
      '\(kind)' is denied when no more run time is left than its 'warning' (\(DurationText.write(room))), because the row has no 'leastRoom'; \
      write 'leastRoom: warning' if that is meant, or 'leastRoom: 0s' to admit it while any is left
      """)
  }

  // MARK: Values without an effect

  /// Warns if this file ends wakes at a warning that the row does not have.
  private func idleAnswer(of kind: KindName) -> FileDiagnostic? {
    guard let row = wake(kind), row.unhandledWarning == .end, row.warning == .zero,
      let place = value("unhandledWarning", kind).flatMap(entry)?.place, place.file == file
    else { return nil }
    return FileDiagnostic(
      .warning, at: place,
      "'unhandledWarning' has no effect on '\(kind)' without 'warning', unless a delivery names one"
    )
  }

  // MARK: Time that crawls

  /// The shortest time between two starts that a policy may intend. A day has 86,400,000
  /// milliseconds. Simulating a day with a start in each of them takes minutes, and no system
  /// starts an app that often.
  private static let shortestPace = Interval.milliseconds(1)

  /// A value that separates one start of a kind from the next.
  private struct Pace {
    /// The time between two starts; an average if a window holds several.
    let interval: Interval
    let path: String
    /// The change to the value that would space the starts out.
    let remedy: String
  }

  /// Warns if the system would start or renew the kind at intervals of less than a millisecond.
  private func crawl(of kind: KindName) -> FileDiagnostic? {
    let found =
      session(kind).flatMap { pace(ofTerms: $0, kind) } ?? wake(kind).flatMap { pace(of: $0, kind) }
    guard let pace = found, pace.interval < PolicyFile.shortestPace,
      let place = entry(pace.path)?.place
    else { return nil }
    let often =
      pace.interval > .zero
      ? "every \(DurationText.write(pace.interval))" : "again after a nanosecond"
    let verb = session(kind) == nil ? "start" : "be renewed"
    return FileDiagnostic(
      .warning, at: place, "time would crawl: '\(kind)' may \(verb) \(often); \(pace.remedy)")
  }

  /// The pace of a session that is deferred and renewed: the sum of its length and the
  /// longest deferral.
  private func pace(ofTerms row: SessionRules, _ kind: KindName) -> Pace? {
    guard row.deferral > .zero, let length = row.length, let path = value("deferral", kind) else {
      return nil
    }
    let deferral = row.deferralFactor == .one ? row.deferral : row.longestDeferral ?? .greatest
    let (term, rest) = (DurationText.write(length), DurationText.write(row.deferral))
    return Pace(
      interval: length.adding(deferral), path: path,
      remedy: "make 'length' (\(term)) and 'deferral' (\(rest)) 1ms together, or more")
  }

  /// The pace of a wake that the system starts: the value that decides how soon the system starts
  /// the wake again. Returns nil if the row leaves that to apps.
  private func pace(of row: WakeRules, _ kind: KindName) -> Pace? {
    func own(_ key: String, _ interval: Interval) -> Pace? {
      guard interval > .zero, let path = value(key, kind) else { return nil }
      return Pace(
        interval: interval, path: path,
        remedy: "make '\(key)' (\(DurationText.write(interval))) 1ms or longer")
    }
    let minimum = own("minimumInterval", row.schedule.minimumInterval)
    switch policy.names.kind(kind).map(policy.start(of:)) ?? .event {
    case .event: return nil
    case .interval: return minimum
    // A denied fetch is tried again at the next multiple, however long its interval is, and a
    // waiting request is checked at each multiple.
    case .opportunity: return own("alignment", row.schedule.alignment) ?? minimum
    case .request:
      if let aligned = own("alignment", row.schedule.alignment) { return aligned }
      let groups =
        [nil]
        + Set(row.budgets.compactMap(\.group)).sorted { $0.rawValue < $1.rawValue }.map(
          Optional.some)
      return groups.compactMap { group in
        ([minimum].compactMap(\.self) + paces(ofBudgetsOf: row, kind, group)).max {
          $0.interval < $1.interval
        }
      }.min { $0.interval < $1.interval }
    }
  }

  /// The paces of requests of a group's apps. A request that a budget denies starts when the budget
  /// has room.
  private func paces(ofBudgetsOf row: WakeRules, _ kind: KindName, _ group: AppGroup?) -> [Pace] {
    let amounts: [(Budget.Amount?, String)] = [
      (row.budget?.admissions.map { .admissions($0) }, "admissions"),
      (row.budget?.runTime.map { .runTime($0) }, "runTime"),
    ]
    let own = amounts.compactMap { amount, key in
      amount.map { (Budget($0, in: row.budget?.window ?? .zero), key) }
    }
    let listed = row.budgets.filter { $0.group == nil || $0.group == group }.map { ($0, "budgets") }
    return (own + listed).compactMap { budget, key in
      guard let path = value(key, kind) else { return nil }
      let text = BudgetText.write(budget, policy.names)
      switch budget.amount {
      case .admissions(let count), .sessions(let count):
        let interval =
          count == 0 ? Interval.greatest : .nanoseconds(budget.window.nanoseconds / Int64(count))
        return Pace(
          interval: interval, path: path,
          remedy: "make the window of '\(text)' 1ms or longer for each admission")
      case .runTime:
        // Each admission needs more run time than `row.room`, and a window frees run time no faster
        // than time passes.
        return Pace(
          interval: row.room, path: path,
          remedy:
            "give it a 'leastRoom' or a 'minimumInterval' of 1ms or longer: the run time of '\(text)' becomes available by the nanosecond"
        )
      }
    }
  }
}
