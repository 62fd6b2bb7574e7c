import CurfewEngine
import CurfewSimulation
import CurfewText
import TestRuns
import TestSupport
import Testing

/// Random logs in common shapes, spoiled in common ways.
@Suite(.inTurn) struct SpoiledUsageTests {
  /// A log of a week of one user: visits with gaps, in one of the types of rows.
  struct Log {
    enum Shape: CaseIterable {
      /// Visits with lengths, as ActivityWatch writes them.
      case visits
      /// `Opened` and `Closed`, as LSApp writes them.
      case events
      /// A stack of recent apps every 20 minutes, as StudentLife writes it.
      case snapshots
    }

    var rows: [[String]] = []
    let shape: Shape

    init(_ shape: Shape, seed: UInt64) {
      self.shape = shape
      var random = SeededGenerator(seed: seed)
      var stack = ["mail", "maps", "chat", "news"]
      for day in 0..<7 {
        var time = day * 86_400 + 7 * 3_600 + random.below(3_600)
        while time < day * 86_400 + 22 * 3_600 {
          let app = random.pick(stack)
          stack = [app] + stack.filter { $0 != app }
          let length = 15 + random.below(120)
          switch shape {
          case .visits: rows.append(["\(time)", app, "\(length)"])
          case .events:
            rows.append(["\(time)", app, "open"])
            rows.append(["\(time + length)", app, "close"])
          case .snapshots:
            rows += stack.enumerated().map { ["\(time)", $1, "\($0)"] }
          }
          time += shape == .snapshots ? 1_200 : length + 5 + random.below(2_000)
        }
      }
    }

    var format: UsageFormat {
      let rows: UsageFormat.Rows =
        switch shape {
        case .visits: .visits(duration: "3")
        case .events: .events(event: "3")
        case .snapshots: .snapshots(rank: "3")
        }
      return UsageFormat(
        columns: .init(time: "1", user: nil, app: "2", rows: rows), time: .unixSeconds,
        events: ["open": .front, "close": .back])
    }

    /// The number of warnings; an unreadable file counts as one.
    func warnings() -> Int {
      let text = rows.map { $0.joined(separator: ",") }.joined(separator: "\n") + "\n"
      do throws(FileErrors) {
        let log = try UsageLog.decode(
          Array(text.utf8), name: "log.csv", format,
          longestVisit: shape == .snapshots ? .seconds(1_200) : nil)
        return log.overallWarnings.count + log.warnings.count
      } catch {
        return error.diagnostics.count
      }
    }
  }

  @Test(arguments: Campaign.seeds(20))
  func `a spoiled log gives a warning or an error, and a sound one gives none`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed ^ 0xABCD)
    for shape in Log.Shape.allCases {
      let sound = Log(shape, seed: seed)
      #expect(sound.warnings() == 0, "a sound log, \(shape), seed \(seed)")
      func expect(_ what: String, _ spoil: (inout Log) -> Void) {
        var log = sound
        spoil(&log)
        #expect(log.warnings() > 0, "\(what), \(shape), seed \(seed)")
      }
      for factor in [60, 1_000] {
        expect("times × \(factor)") {
          for row in $0.rows.indices {
            $0.rows[row][0] = "\((Int($0.rows[row][0]) ?? 0) * factor)"
          }
        }
        if shape == .visits {
          expect("lengths × \(factor)") {
            for row in $0.rows.indices {
              $0.rows[row][2] = "\((Int($0.rows[row][2]) ?? 0) * factor)"
            }
          }
        }
      }
      expect("a third of the rows unreadable") {
        for row in $0.rows.indices where random.oneIn(3) { $0.rows[row][0] = "" }
      }
      // A missing visit cannot be noticed; a missing event or rank can.
      if shape != .visits {
        expect("a third of the rows missing") { $0.rows.removeAll { _ in random.oneIn(3) } }
      }
      expect("a day twice") { log in
        let day = log.rows.filter { (Int($0[0]) ?? 0) / 86_400 == 3 }
        log.rows += day
      }
    }
  }
}
