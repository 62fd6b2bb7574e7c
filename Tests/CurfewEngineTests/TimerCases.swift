/// The steps and expectations of a timer test, in order. Times are in milliseconds of virtual time.
enum TimerStep: Sendable {
  case start(String, after: UInt64, every: UInt64 = 0, inEach: [TimerStep] = [])
  case stop(String)
  case close(String)
  case again(String)
  case setRepeat(String, UInt64)
  case unreference(String)
  /// Sleeps `times` times in sequence, each from the instant of waking.
  case chain(String, each: UInt64, times: Int)
  /// Inside a timer's call of this number: stops or closes the timer.
  case stopInCall(Int, of: String)
  case closeInCall(Int, of: String)
  /// Once, after the first wait; `inPrepare` before the wait that follows.
  case inCheck([TimerStep])
  case inPrepare([TimerStep])
  case note(String)
  case stopLoop

  /// Lets time pass without calling timers.
  case jump(to: UInt64)
  case advance(by: UInt64)
  case runOnce
  case run(passes: Int = 1000)

  /// The step fails with `EINVAL`.
  indirect case isRefused(TimerStep)
  case fired([(at: UInt64, String)])
  case firedNames([String])
  case count(String, Int)
  case notes([String])
  case now(UInt64)
  case isAlive(Bool)
  case isDue(String, in: UInt64)
}

/// Timer behaviours as numbers: when the timers of other projects' own tests start, and when they
/// must fire.
struct TimerCase: Sendable {
  /// The origin of the numbers. Both projects are under the MIT licence; this file has none
  /// of their code or text.
  enum Source: String {
    case libuvTimer = "https://github.com/libuv/libuv, commit 6179e7a, test/test-timer.c"
    case libuvAgain = "https://github.com/libuv/libuv, commit 6179e7a, test/test-timer-again.c"
    case libuvFromCheck =
      "https://github.com/libuv/libuv, commit 6179e7a, test/test-timer-from-check.c"
    case swiftClocks =
      "https://github.com/pointfreeco/swift-clocks, commit 713d7cd, Tests/ClocksTests/TestClocksTests.swift"
  }

  let name: String
  let source: Source
  let steps: [TimerStep]

  init(_ name: String, _ source: Source, _ steps: [TimerStep]) {
    self.name = name
    self.source = source
    self.steps = steps
  }
}

extension TimerCase {
  static let all = libuv + swiftClocks

  private static let libuv = [
    // Timers due at one instant are called in the order in which they were started: once2 before
    // rep at 100. From 200 on rep comes second, after once4, because it was started again at 100.
    TimerCase(
      "once and repeating", .libuvTimer,
      (0..<10).map { .start("once\($0)", after: UInt64($0) * 50) } + [
        .start("rep", after: 100, every: 100, inEach: [.stopInCall(5, of: "rep")]),
        .start("never", after: 100, every: 100), .stop("never"), .run(),
        .fired([
          (0, "once0"), (50, "once1"), (100, "once2"), (100, "rep"), (150, "once3"), (200, "once4"),
          (200, "rep"), (250, "once5"),
          (300, "once6"), (300, "rep"), (350, "once7"), (400, "once8"), (400, "rep"),
          (450, "once9"), (500, "rep"),
        ]),
        .now(500),
      ]),
    TimerCase(
      "a second start replaces the first", .libuvTimer,
      [
        .start("x", after: 86_400_000), .start("x", after: 10), .run(), .fired([(10, "x")]),
        .now(10),
      ]),
    TimerCase(
      "a before b", .libuvTimer,
      [.start("a", after: 0), .start("b", after: 0), .run(), .fired([(0, "a"), (0, "b")])]),
    TimerCase(
      "b before a", .libuvTimer,
      [.start("b", after: 0), .start("a", after: 0), .run(), .fired([(0, "b"), (0, "a")])]),
    TimerCase(
      "a timer started again in its own call waits for the next pass", .libuvTimer,
      [
        .start("z", after: 0, inEach: [.start("z", after: 0), .stopLoop]), .run(),
        .fired([(0, "z")]), .isAlive(true),
      ]),
    TimerCase(
      "deadlines saturate", .libuvTimer,
      [
        .start("tiny", after: 1, inEach: [.close("huge1"), .close("huge2")]),
        .start("huge1", after: 281_474_976_710_655),
        .start("huge2", after: .max), .isDue("tiny", in: 1),
        .isDue("huge1", in: 281_474_976_710_655), .run(), .fired([(1, "tiny")]),
      ]),
    TimerCase(
      "repeats saturate", .libuvTimer,
      [
        .start("tiny", after: 2, every: 2), .start("huge1", after: 1, every: .max),
        .run(passes: 10),
        .firedNames(["huge1"] + Array(repeating: "tiny", count: 9)),
      ]),
    TimerCase(
      "two missed periods give one call", .libuvTimer,
      [.start("r", after: 10, every: 10), .jump(to: 20), .runOnce, .count("r", 1)]),
    TimerCase(
      "an unreferenced timer keeps no loop going", .libuvTimer,
      [.start("u", after: 0), .unreference("u"), .run(), .fired([])]),
    TimerCase(
      "a closed timer is not started", .libuvTimer,
      [.close("c"), .isRefused(.start("c", after: 100, every: 100)), .run(), .fired([])]),
    // r1 repeats every 50 and restarts r2's period in each call, ten times. Then r2 fires, and once
    // more, because its repeat of 0 counts from the next call on.
    TimerCase(
      "again", .libuvAgain,
      [
        .isRefused(.again("dummy")),
        .start("r1", after: 50, inEach: [.again("r2"), .closeInCall(10, of: "r1")]),
        .setRepeat("r1", 50),
        .start("r2", after: 100, every: 100, inEach: [.setRepeat("r2", 0)]), .run(),
        .fired((1...10).map { (UInt64($0) * 50, "r1") } + [(600, "r2"), (700, "r2")]), .now(700),
      ]),
    TimerCase(
      "stopped and started in the check phase", .libuvFromCheck,
      [
        .start("t", after: 50, inEach: [.note("t")]),
        .inCheck([
          .note("check"), .stop("t"), .start("t", after: 50), .inPrepare([.note("prepare")]),
        ]), .run(),
        .notes(["check", "prepare", "t"]), .count("t", 1),
      ]),
  ]

  private static let swiftClocks = [
    TimerCase(
      "due at the instant that time moves to", .swiftClocks,
      [.start("a", after: 1000), .advance(by: 1000), .fired([(1000, "a")])]),
    TimerCase(
      "a timer started during an advance fires in it", .swiftClocks,
      [.chain("a", each: 1000, times: 5), .advance(by: 5000), .count("a", 5), .now(5000)]),
    TimerCase(
      "ten calls of a repeating timer", .swiftClocks,
      [
        .start("t", after: 1000, every: 1000, inEach: [.stopInCall(10, of: "t")]), .run(),
        .count("t", 10),
      ]),
    TimerCase(
      "pending until it has fired", .swiftClocks,
      [.start("a", after: 1000), .isAlive(true), .advance(by: 1000), .isAlive(false)]),
    TimerCase(
      "a cancelled timer leaves nothing behind", .swiftClocks,
      [.start("a", after: 1000), .stop("a"), .isAlive(false), .fired([])]),
    TimerCase(
      "by deadline, not by start", .swiftClocks,
      [.start("2", after: 2000), .start("1", after: 1000), .run(), .firedNames(["1", "2"])]),
  ]
}
