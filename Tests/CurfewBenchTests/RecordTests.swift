import CurfewBench
import Testing

@Suite struct RecordTests {
  @Test("roles and divisions have the names that contestants' files write")
  func names() {
    #expect(ContestantRecord.Role.allCases.map(\.rawValue) == ["floor", "peer", "subject"])
    #expect(ContestantRecord.Division.allCases.map(\.rawValue) == ["closed", "open"])
  }
}
