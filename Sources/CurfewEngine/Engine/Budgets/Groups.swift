/// The groups of apps that budgets tell apart, compiled.
struct Groups {
  private struct Row {
    let group: AppGroup
    let conditions: FactConditions
    let unusedFor: Interval

    func fits(_ holding: FactSet) -> Bool {
      conditions.requires.isSubset(of: holding) && conditions.blockedBy.isDisjoint(with: holding)
    }
  }

  /// In the order in which they are looked at.
  private let rows: ContiguousArray<Row>
  /// The facts that any of them looks at.
  let facts: FactSet
  /// Whether any looks at how long ago an app was used.
  let watchesUse: Bool

  init(_ policy: Policy) {
    let order = policy.groups.indices.sorted { first, second in
      let (a, b) = (policy.groups[first], policy.groups[second])
      return (b.rank, b.unusedFor, first) < (a.rank, a.unusedFor, second)
    }
    rows = ContiguousArray(
      order.map { place in
        let rules = policy.groups[place]
        return Row(
          group: AppGroup(rawValue: UInt8(place)), conditions: rules.conditions,
          unusedFor: rules.unusedFor)
      })
    facts = policy.groups.reduce(into: []) {
      $0.formUnion($1.conditions.requires.union($1.conditions.blockedBy))
    }
    watchesUse = policy.groups.contains { $0.unusedFor > .zero }
  }

  var isEmpty: Bool { rows.isEmpty }

  /// The group of an app for which these facts hold, and that has not been used for so long; nil
  /// for none.
  func group(_ holding: FactSet, unusedFor disuse: Interval) -> AppGroup? {
    rows.first { $0.unusedFor <= disuse && $0.fits(holding) }?.group
  }

  /// After how much disuse, more than `disuse`, it may be in another; nil where it stays
  /// in its own.
  func nextChange(_ holding: FactSet, unusedFor disuse: Interval) -> Interval? {
    var next: Interval?
    for row in rows where row.unusedFor > disuse && row.fits(holding) {
      next = min(next ?? row.unusedFor, row.unusedFor)
    }
    return next
  }
}

/// Groups: by facts, and by how long ago an app was in the foreground.
extension Engine {
  /// The group that an app is in at an instant from now on, if nothing but time passes; nil
  /// for none.
  func group(of app: AppID, at instant: Instant) -> AppGroup? {
    groups.isEmpty
      ? nil : groups.group(circumstances(of: app).holding, unusedFor: disuse(of: app, at: instant))
  }

  /// When it may be in another, after an instant; nil for never.
  func nextGroupChange(of app: AppID, after instant: Instant) -> Instant? {
    guard groups.watchesUse, !apps[app].flags.contains(.inFront) else { return nil }
    let next = groups.nextChange(
      circumstances(of: app).holding, unusedFor: disuse(of: app, at: instant))
    return next.map { Instant(nanoseconds: apps[extras: app].lastUse) + $0 }
  }

  /// How long an app has not been in the foreground.
  private func disuse(of app: AppID, at instant: Instant) -> Interval {
    guard groups.watchesUse, !apps[app].flags.contains(.inFront) else { return .zero }
    return instant - Instant(nanoseconds: apps[extras: app].lastUse)
  }

  /// An app is in the foreground from now on, or until now.
  mutating func noteLastUse(of app: AppID) {
    guard groups.watchesUse else { return }
    apps[extras: app].lastUse = now.nanoseconds
    armRuns(of: app)
  }
}
