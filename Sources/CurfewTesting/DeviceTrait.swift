public import Curfew
public import Foundation
public import Testing
internal import VirtualConcurrency

/// Gives each test its own device, on a virtual clock that Swift's concurrency
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
/// While the test runs, all of its code that Swift's runtime executes follows the device's time:
/// tasks, groups, actors, the main actor, streams, `Task.sleep`, `ContinuousClock` and
/// `SuspendingClock`. Foundation's dates, Dispatch's blocks and the waits of threads follow it too,
/// if ``VirtualTime/followsDispatch`` is true. At each instant this code runs until no more of it
/// can run; then the next deadline takes effect. The work of a suspended app waits, and the work of
/// a dead process never runs again. While the test itself waits, time passes to the next deadline
/// or the end of the next sleep. Other tests of the process run as usual meanwhile; tests with this
/// trait run one at a time.
///
/// At the end the trait reports leftovers as issues of the test, each at the place that began it,
/// closes the device, and restores Swift's executors.
///
/// If Swift's executors cannot be replaced (see `VirtualTime.isAvailable`), the test still gets its
/// device, but async code runs in real time, independently of the device.
public struct DeviceTrait: TestTrait, SuiteTrait, TestScoping {
  private let makeDevice: @Sendable () -> Device
  private let reports: Leftovers
  private let escapes: Escapes
  private let identity = Identity()
  /// Each test of a suite has its own device. A test's own trait replaces its suite's trait.
  public var isRecursive: Bool { true }

  init(reports: Leftovers, escapes: Escapes, _ makeDevice: @escaping @Sendable () -> Device) {
    (self.reports, self.escapes, self.makeDevice) = (reports, escapes, makeDevice)
  }

  /// The trait itself, for each case of a test and around all cases.
  public func scopeProvider(for test: Test, testCase: Test.Case?) -> DeviceTrait? { self }

  /// Runs the test with its device. The cases of a test run one at a time, in one turn of the test
  /// after the turns of earlier tests. A time limit counts from the start of this turn.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // If a suite and its test both have the trait, the test's trait counts.
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
        // Recorded, because errors thrown by a cancelled test are ignored.
        Issue.record(stall, sourceLocation: place)
      }
    }
  }
}

extension DeviceTrait {
  /// The identity of a trait.
  private final class Identity: Sendable {}
}

extension Trait where Self == DeviceTrait {
  /// A device for each test: `Device.current`.
  ///
  /// - Parameters:
  ///   - policy: The policy.
  ///   - facts: The initial facts: battery, power, network, memory, switches.
  ///   - startDate: The device's date at the start of the test;
  ///     by default `Device.virtualStartDate`.
  ///   - executor: A ``MainActorExecutor``, if handlers must run on the main actor.
  ///   - reporting: The leftovers to report as issues at the end. A test of leaks leaves some out.
  ///   - escapes: Whether to report an issue if virtual time passes while work outside it, such as
  ///     a thread, is unfinished.
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
  /// Records an issue at the place that began the leftover, or, if unknown, at the test.
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
    // Older versions of Swift Testing have no warnings. Older compilers have no virtual time,
    // and so no reason for this warning.
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
