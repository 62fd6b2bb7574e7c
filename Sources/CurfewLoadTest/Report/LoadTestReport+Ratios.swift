import CurfewText

/// Ratios of the measurements to the floors.
extension LoadTestReport {
  /// The least that a program can take on this machine, measured in the same run.
  package enum Floor: Hashable, Sendable, CaseIterable {
    /// A bare kernel timer over a sorted array: the floor of whatever waits for a deadline.
    case timer
    /// A hand-off between two threads: the floor of whatever calls an app.
    case handOff

    var both: WritableKeyPath<Segment, Spread?> {
      switch self {
      case .timer: \.floor
      case .handOff: \.handOff
      }
    }
    var before: WritableKeyPath<Segment, Spread?> {
      switch self {
      case .timer: \.floorBefore
      case .handOff: \.handOffBefore
      }
    }
    var after: WritableKeyPath<Segment, Spread?> {
      switch self {
      case .timer: \.floorAfter
      case .handOff: \.handOffAfter
      }
    }
    /// The floor's name in sentences.
    var noun: String {
      switch self {
      case .timer: "the floor"
      case .handOff: "the hand-off"
      }
    }
  }

  /// The distributions that have ratios to a floor. The raw values are the names of the ratios.
  package enum FloorRatio: String, Hashable, Sendable, CaseIterable {
    case decided = "floor"
    case delivered, callbackDelivered, wakeDelivered, launchToActive

    var spread: KeyPath<Segment, Spread?> {
      switch self {
      case .decided: \.decided
      case .delivered: \.delivered
      case .callbackDelivered: \.callbackDelivered
      case .wakeDelivered: \.wakeDelivered
      case .launchToActive: \.launchToActive
      }
    }
    var floor: Floor {
      switch self {
      case .decided, .delivered: .timer
      case .callbackDelivered, .wakeDelivered, .launchToActive: .handOff
      }
    }
    /// The distribution's name in metrics.
    var name: String { self == .decided ? "decided" : rawValue }
  }

  /// The smallest ratio to a floor that counts. The floor does the least work of any program, so
  /// a smaller ratio says that the two were not measured alike, and not that ours was faster.
  static let leastRatio = 0.8

  /// The median over the segments of the ratio of one percentile to the floor's. Segments with
  /// an unsteady floor are left out. nil if no segment has both, if the floor was unsteady
  /// too often, or if the ratio is not comparable.
  package func ratioToFloor(_ ratio: FloorRatio, _ percentile: Percentile) -> ReportFigure? {
    guard floorObjection(ratio, percentile) == nil else { return nil }
    return measuredRatio(ratio, percentile)
  }

  /// The reason why ratios of a percentile to the floor's are meaningless; nil if they are
  /// meaningful or no floor was measured.
  package func floorObjection(_ ratio: FloorRatio, _ percentile: Percentile) -> String? {
    if let objection = driftObjection(ratio.floor, percentile) { return objection }
    guard let measured = measuredRatio(ratio, percentile),
      measured.value < LoadTestReport.leastRatio
    else { return nil }
    // Rounded down, so that 0.7996 is not written as 0.8.
    let value = HumanNumber.decimal((measured.value * 1_000).rounded(.down) / 1_000, places: 3)
    return
      "the \(percentile.rawValue) of \(ratio.name) is \(value) of \(ratio.floor.noun)'s; a ratio below "
      + "\(HumanNumber.rounded(LoadTestReport.leastRatio)) is not comparable, because \(ratio.floor.noun) does the least work"
  }

  /// The reason why a floor is too unsteady for ratios of a percentile; nil if it is not.
  func driftObjection(_ floor: Floor, _ percentile: Percentile) -> String? {
    let known = segments.compactMap { $0.isFloorSteady(percentile, floor) }
    let moved = known.count { !$0 }
    guard moved * 2 > known.count else { return nil }
    return
      "\(floor.noun), measured before and after each segment, had too few \(floor == .timer ? "deadlines" : "values") or differed by more than a factor of "
      + "\(HumanNumber.rounded(percentile.greatestDrift)) in \(HumanCount.text(moved)) of \(HumanCount.text(known.count, "segment"))"
  }

  /// The median of ratios, not the ratio of medians: both figures of a segment were measured under
  /// the same load.
  private func measuredRatio(_ ratio: FloorRatio, _ percentile: Percentile) -> ReportFigure? {
    ReportFigure.median(
      segments.compactMap { segment in
        guard segment.isFloorSteady(percentile, ratio.floor) == true,
          let ours = segment[keyPath: ratio.spread]?.figure(percentile),
          let floor = segment[keyPath: ratio.floor.both]?.figure(percentile)
        else { return nil }
        // With a coarse clock, a figure may be 0 ns.
        return ReportFigure(ours.value / max(1, floor.value), isAtLeast: ours.isAtLeast)
      })
  }
}
