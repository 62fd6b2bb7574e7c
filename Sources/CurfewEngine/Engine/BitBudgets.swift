/// Checks that sets and small numbers fit into their bits. This runs when an engine is created,
/// and in a test. (`AppFlags` and `Deadline` check their values when these are created.)
enum BitBudgets {
  static func check() {
    precondition(AppReasons.fits, "A reason does not fit the four bits in which an app stores it")
    precondition(
      DenialReasons.all.allSatisfy { $0.rawValue.nonzeroBitCount == 1 },
      "Denial reasons overlap or do not fit their bits")
    precondition(
      DenialReasons.all.last == .interval, "The list of denial reasons lacks the last one")
    for kind in StandardKind.all {
      precondition(
        (kind.class == .session) == (kind.mode.rawValue.nonzeroBitCount == 1),
        "\(kind.name)'s mode does not fit its bits")
    }
    precondition(
      AssertionKind.standard.last == .processing,
      "The list of standard kinds lacks the last one")
    precondition(
      StandardFact.allCases.count <= FactSet.greatestCount,
      "There are more standard facts than a set has bits")
  }
}
