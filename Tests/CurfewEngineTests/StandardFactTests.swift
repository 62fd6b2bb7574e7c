import TestRuns
import Testing

@testable import CurfewEngine

/// The table of standard facts agrees with the sets and the reasons made from it.
@Suite(.inTurn) struct StandardFactTests {
  private static let words = PolicyNames()

  @Test func `each fact has its own bit, and its name leads back to it`() {
    #expect(FactSet.standardNames.count == Set(FactSet.standardNames).count)
    for (place, fact) in StandardFact.allCases.enumerated() {
      #expect(fact.rawValue == place && StandardFact(named: fact.row.name) == fact)
      #expect(Self.words.fact(fact.row.name) == FactSet(place: place))
    }
    #expect(
      Self.words.names(of: [.backgroundRefresh, .thermalCritical, .userPresent]) == [
        "backgroundRefresh", "thermalCritical", "userPresent",
      ])
    #expect(StandardFact(named: "parked") == nil)
  }

  @Test func `a reason belongs to at most one fact`() {
    let told = DenialReasons.all.compactMap { reason in
      StandardFact.behind(reason).map { "\(reason) \($0.fact) \($0.isMissing)" }
    }
    #expect(
      told == [
        "backgroundRefreshDenied backgroundRefresh true",
        "backgroundRefreshRestricted backgroundRefresh true",
        "lowPowerMode lowPowerMode false", "lowBattery lowBattery false",
      ])
    #expect(
      StandardFact.behind(DenialReasons()) == nil
        && StandardFact.behind([.lowBattery, .lowPowerMode]) == nil)
  }

  @Test func `the word of each denial leads back to its fact`() {
    for fact in StandardFact.allCases {
      let set = FactSet(place: fact.rawValue)
      for conditions in [FactConditions(requires: set), FactConditions(blockedBy: set)] {
        let isMissing = !conditions.requires.isEmpty
        let (reasons, others) = conditions.divided
        let words =
          reasons.fileNames
          + Self.words.denials(
            DenialReasons(rawValue: 0, blocked: others.blockedBy, missing: others.requires)
          ).names
        #expect(!words.isEmpty)
        for word in words {
          #expect(
            StandardFact.behind(denial: word).map { $0 == (fact, isMissing) } == true, "\(word)")
        }
      }
    }
    #expect(
      StandardFact.behind(denial: "budget") == nil
        && StandardFact.behind(denial: "notParked") == nil)
  }

  @Test func `facts with their own reason are not in the conditions`() {
    let (reasons, others) = FactConditions(
      requires: [.backgroundRefresh, .lowPowerMode, .charging], blockedBy: [.lowBattery, .locked]
    ).divided
    #expect(reasons == [.backgroundRefreshDenied, .backgroundRefreshRestricted, .lowBattery])
    #expect(others == FactConditions(requires: [.lowPowerMode, .charging], blockedBy: .locked))
  }

  @Test func `the texts are whole sentences`() {
    for fact in StandardFact.allCases {
      let row = fact.row
      for text in [row.remedy.holding, row.remedy.missing] {
        #expect(text.hasSuffix(".") && text.first?.isUppercase == true, "\(text)")
      }
      #expect(
        row.remedy.holding != row.remedy.missing && row.situation.holding != row.situation.missing)
    }
  }
}
