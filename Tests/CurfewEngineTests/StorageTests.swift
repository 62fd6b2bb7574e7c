import TestRuns
import Testing

@testable import CurfewEngine

/// Places, chains, lines, and values packed into bits.
@Suite(.inTurn) struct StorageTests {
  private struct Bead: Linked {
    var next = Place<Bead>.nowhere
    let number: Int
  }

  private static func numbers(_ slab: borrowing Slab<Bead>, _ chain: Chain<Bead>) -> [Int] {
    var numbers: [Int] = []
    slab.forEach(in: chain) { numbers.append($0.number) }
    return numbers
  }

  @Test
  func `two chains in one slab keep their records and their order through insertions and removals`()
  {
    var slab = Slab<Bead>()
    var (odd, even) = (Chain<Bead>(), Chain<Bead>())
    var places: [Place<Bead>] = []
    for number in stride(from: 0, to: 40, by: 2) {
      places.append(slab.append(Bead(number: number), to: &even))
      places.append(slab.append(Bead(number: number + 1), to: &odd))
    }
    let first = slab.removeFirst(of: &even).number
    #expect(first == 0)
    slab.remove(places[39], from: &odd)
    slab.remove(places[21], from: &odd)
    _ = slab.append(Bead(number: 41), to: &odd)
    let left = (even: StorageTests.numbers(slab, even), odd: StorageTests.numbers(slab, odd))
    #expect(left.even == Array(stride(from: 2, to: 40, by: 2)))
    #expect(left.odd == Array(stride(from: 1, to: 39, by: 2)).filter { $0 != 21 } + [41])
    // An element that a walk has just returned may be removed.
    var walk = slab.walk(even)
    while let place = walk.next(in: slab) { slab.remove(place, from: &even) }
    slab.removeAll(of: &odd)
    let (taken, used) = (slab.count, slab.used)
    #expect(even.isEmpty && odd.isEmpty && taken == 0 && used == 40)
  }

  @Test func `a copy of a slab has the same places and is independent`() {
    var slab = Slab<Bead>()
    let place = slab.insert(Bead(number: 1))
    var copy = slab.copy()
    copy.free(place)
    let (here, there, number) = (slab.holds(place), copy.holds(place), slab[place].number)
    #expect(here && !there && number == 1)
  }

  @Test func `a line returns elements in order, and none twice`() {
    var line = Line<Int>()
    for number in 0..<100 { line.append(number) }
    var copy = line.copy()
    var taken: [Int] = []
    while let number = line.popFirst() { taken.append(number) }
    line.append(7)
    let (first, firstOfCopy) = (line.popFirst(), copy.popFirst())
    #expect(taken == Array(0..<100) && first == 7 && firstOfCopy == 0)
  }

  @Test func `values packed into bits fit`() {
    BitBudgets.check()
    for reason in TerminationReason.ofQuits {
      for expiration in ExpirationReason.allCases {
        var reasons = AppReasons()
        (reasons.quit, reasons.expiration) = (reason, expiration)
        #expect(reasons.quit == reason && reasons.expiration == expiration)
      }
    }
    let (app, last) = (AppID(rawValue: 7), Deadline.indexLimit - 1)
    for deadline in [
      .clock(app), .limit(app), .suspension(app), .assertion(Place(index: last)),
      .schedule(Place(index: 3)), .request(Place(index: 7)),
      .notification(Place(index: 7)), .processor(AppID(rawValue: last)),
    ] as [Deadline] {
      #expect("\(Deadline(payload: deadline.payload))" == "\(deadline)")
    }
  }

  // MARK: Traps

  @Test func `freeing a place that was never taken stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let slab = Slab<Bead>()
      _ = slab[Place(index: 3)]
    }
  }

  @Test func `freeing a place twice stops the program`() async {
    await #expect(processExitsWith: .failure) {
      var slab = Slab<Bead>()
      let place = slab.insert(Bead(number: 1))
      slab.free(place)
      slab.free(place)
    }
  }

  @Test func `an app of another engine stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let engine = Engine(policy: .ios13)
      _ = engine.state(of: AppID(rawValue: 0))
    }
  }
}
