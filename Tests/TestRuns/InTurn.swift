import Foundation
package import Testing

/// Runs a few test cases at a time, each from its beginning to its end, on separate threads.
///
/// Swift Testing starts all of them at once. On few processors the first result then comes when
/// nearly all of the work is done, and a test that blocks a thread of the pool delays all others.
/// Half of the turns are for tests that wait: there are twice as many as processors.
package struct InTurn: SuiteTrait, TestTrait, TestScoping {
  fileprivate let isAlone: Bool

  package var isRecursive: Bool { true }

  package func scopeProvider(for test: Test, testCase: Test.Case?) -> InTurn? {
    testCase == nil ? nil : self
  }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    await isAlone ? Turns.shared.takeAll() : Turns.shared.take()
    let begin = ContinuousClock.now
    let result = await Result { try await runOnThreadOfItsOwn(body) }
    Times.shared?.add(ContinuousClock.now - begin, of: test)
    await isAlone ? Turns.shared.giveAllBack() : Turns.shared.giveBack()
    try result.get()
  }
}

extension Trait where Self == InTurn {
  /// See `InTurn`.
  package static var inTurn: Self { Self(isAlone: false) }

  /// Runs each test case when no other has a turn or waits for one. Use it for tests that expect
  /// a share of the processors in real time.
  package static var inTurnAlone: Self { Self(isAlone: true) }
}

/// Counts the free turns, and queues the callers that wait for one. The newest is next, so that
/// a suite whose tests follow one another continues instead of waiting until the end. Callers that
/// want all turns come after all others.
private actor Turns {
  static let shared = Turns()

  private let all = 2 * ProcessInfo.processInfo.activeProcessorCount
  private lazy var free = all
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var waitingForAll: [CheckedContinuation<Void, Never>] = []

  func take() async {
    if free > 0 {
      free -= 1
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func giveBack() {
    if let next = waiting.popLast() { return next.resume() }
    free += 1
    passAllOn()
  }

  func takeAll() async {
    if free == all {
      free = 0
      return
    }
    await withCheckedContinuation { waitingForAll.append($0) }
  }

  func giveAllBack() {
    free = all
    while free > 0, let next = waiting.popLast() {
      free -= 1
      next.resume()
    }
    passAllOn()
  }

  private func passAllOn() {
    guard free == all, let next = waitingForAll.popLast() else { return }
    free = 0
    next.resume()
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}

/// Writes the length of each test case, in seconds, to the file that `CURFEW_TIMES` names.
private final class Times: Sendable {
  static let shared = ProcessInfo.processInfo.environment["CURFEW_TIMES"].flatMap {
    FileHandle(forWritingAtPath: $0)
  }.map { Times($0) }

  private let file: FileHandle
  private let lock = NSLock()

  private init(_ file: FileHandle) {
    self.file = file
    file.seekToEndOfFile()
  }

  func add(_ time: Duration, of test: Test) {
    let line =
      "\(String(format: "%.3f", time / .seconds(1))) \(test.sourceLocation.moduleName) \(test.name)\n"
    lock.withLock { file.write(Data(line.utf8)) }
  }
}
