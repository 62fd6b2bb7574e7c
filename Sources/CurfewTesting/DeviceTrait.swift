public import Curfew
public import Foundation
public import Testing
internal import VirtualConcurrency

/// Gives a test a device of its own, on a virtual clock that Swift's own concurrency
/// follows: `@Test(.device(.ios13))`.
///
/// ```swift
/// @Test(.device(.ios13)) func `an upload is cancelled in time`() async {
///   let app = Device.current.register("com.example.mail", delegate: Uploader())
///   app.launch()
///   Device.current.home()
///   Device.current.advance(by: .seconds(30))
///   #expect(Device.current.leakedTasks.isEmpty)
/// }
/// ```
///
/// While the test runs, everything that it starts and that Swift runs for it counts the device's
/// time: tasks, groups, actors, the main actor, streams, `Task.sleep` and both clocks. At each
/// instant all of it comes to rest before the next deadline is looked at; the work of a suspended
/// app waits, and that of a dead process never runs again. While the test itself waits, time
/// goes on to the next deadline or the end of the next sleep. What other tests of the process do
/// meanwhile runs as ever; of tests with this trait one runs at a time.
///
/// At the end it reports what was left open as issues of the test, each where it was begun, closes
/// the device, and puts everything back.
///
/// Where Swift's executors cannot be replaced (`VirtualTime.isAvailable`), the test gets its
/// device, and async code goes on in real time beside it.
public struct DeviceTrait: TestTrait, SuiteTrait, TestScoping {
  private let makeDevice: @Sendable () -> Device
  private let reports: Leftovers
  private let escapes: Escapes
  private let identity = Identity()
  /// Each test of a suite has a device of its own; a test's own trait is there instead of
  /// its suite's.
  public var isRecursive: Bool { true }

  init(reports: Leftovers, escapes: Escapes, _ makeDevice: @escaping @Sendable () -> Device) {
    (self.reports, self.escapes, self.makeDevice) = (reports, escapes, makeDevice)
  }

  /// The trait itself, for each case of a test and around them all.
  public func scopeProvider(for test: Test, testCase: Test.Case?) -> DeviceTrait? { self }

  /// Runs the test with its device, and its cases together when those of the tests before it are
  /// over: a time limit counts from then.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // Of a suite's and a test's own the test's counts.
    let last = test.traits.last { $0 is DeviceTrait } as? DeviceTrait
    guard !test.isSuite, last?.identity === identity else { return try await function() }
    guard testCase != nil else { return try await Capture.inTurn(function) }
    let place = test.sourceLocation
    try await Loan.of(function) { function in
      do {
        try await withDevice(
          makeDevice(), reporting: reports, escapes: escapes, to: { $0.record(orAt: place) }
        ) { _ in
          try await function()
        }
      } catch let stall as Stall {
        // Recorded, since of a test that was cancelled nobody looks at what it throws.
        Issue.record(stall, sourceLocation: place)
      }
    }
  }
}

extension DeviceTrait {
  /// Tells a trait from another.
  private final class Identity: Sendable {}
}

extension Trait where Self == DeviceTrait {
  /// A device for each test: `Device.current`.
  ///
  /// - Parameters:
  ///   - policy: What may run in the background.
  ///   - facts: Battery, power, network, memory, switches.
  ///   - startDate: What date it is when the test starts: `Device.virtualStartDate`, unless this
  ///     says otherwise.
  ///   - executor: Where handlers run that belong elsewhere than on the clock's thread:
  ///     a ``MainActorExecutor``.
  ///   - reporting: What is an issue where it is left at the end; a test of leaks says what else.
  ///   - escapes: Whether it is an issue that time passes beside work outside it, such as a
  ///     Dispatch block.
  public static func device(
    _ policy: PolicyFile = .ios13, facts: DeviceFacts = DeviceFacts(), startDate: Date? = nil,
    executor: (any HandlerExecutor)? = nil, reporting: Leftovers = .all,
    escapes: Escapes = .reported
  ) -> DeviceTrait {
    DeviceTrait(reports: reporting, escapes: escapes) {
      Device(policy: policy, facts: facts, startDate: startDate, executor: executor)
    }
  }
}

extension Leftover {
  /// An issue where it was begun, or else at the test.
  fileprivate func record(orAt test: SourceLocation) {
    let found = origin.map {
      SourceLocation(
        fileID: "\($0.fileID)", filePath: "\($0.fileID)", line: Int($0.line), column: 1)
    }
    let place = found ?? place.flatMap { SourceLocation($0) } ?? test
    guard isWarning else {
      Issue.record("\(description)", sourceLocation: place)
      return
    }
    // Older libraries have no warnings, and older compilers no virtual time that this could
    // come of.
    #if compiler(>=6.3)
      Issue.record("\(description)", severity: .warning, sourceLocation: place)
    #endif
  }
}

extension SourceLocation {
  /// Parses `f() at /path/Tests/File.swift:12`.
  fileprivate init?(_ place: String) {
    guard let path = place.components(separatedBy: " at ").last,
      let colon = path.lastIndex(of: ":"),
      let line = Int(path[path.index(after: colon)...])
    else { return nil }
    let file = String(path[..<colon])
    self.init(
      fileID: file.split(separator: "/").suffix(2).joined(separator: "/"), filePath: file,
      line: max(line, 1), column: 1)
  }
}
