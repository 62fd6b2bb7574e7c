import TestRuns
import Testing

@testable import CurfewCommand

@Suite(.inTurn) struct FirstAndLastTests {
  @Test(arguments: [0, 1, 999, 1_000, 1_001, 1_999, 2_000, 2_001, 3_500, 5_000])
  func `the first and the last thousand elements are kept in order, and all are counted`(
    _ count: Int
  ) {
    var list = FirstAndLast<Int>()
    for number in 0..<count { list.append(number) }
    let all = Array(0..<count)
    #expect(list.elements == (count <= 2_000 ? all : all.prefix(1_000) + all.suffix(1_000)))
    #expect(list.count == count && list.omitted == max(0, count - 2_000))
  }
}
