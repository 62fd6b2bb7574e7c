import Curfew
import Foundation
import TestRuns
import Testing

/// Readers of a device that many threads use: no line is lost or repeated unless a gap says so,
/// and all readers get the same order.
@Suite(.inTurn, .timeLimit(.minutes(30))) struct ReaderThreadTests {
  private static let callers = 4
  private static let rounds = 300

  /// Apps that begin and end tasks, each on its own thread; a task's number is its name.
  private func run(_ device: Device, _ meanwhile: () async -> Void = {}) async {
    let apps = (0..<Self.callers).map { device.register("app\($0)") }
    for app in apps { app.launch() }
    await eventually("no launch") { apps.allSatisfy { $0.applicationState == .active } }
    let group = DispatchGroup()
    for app in apps {
      group.enter()
      Thread.detachNewThread {
        for round in 0..<Self.rounds {
          app.endBackgroundTask(app.beginBackgroundTask(withName: "\(round)"))
        }
        group.leave()
      }
    }
    await meanwhile()
    await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
  }

  private func device(_ isVirtual: Bool) throws -> Device {
    try Device(policy: .crowded, clock: isVirtual ? .virtual : .realTime(ThreadClock()))
  }

  private func tasks(_ lines: [TraceLine]) -> [String: [String]] {
    var tasks: [String: [String]] = [:]
    for line in lines {
      if case .task(let change, _, let name) = line.body {
        tasks[line.app ?? "", default: []].append("\(change) \(name)")
      }
    }
    return tasks
  }

  private static let expected = (0..<rounds).flatMap { ["begin \($0)", "end \($0)"] }

  @Test(arguments: [true, false]) func `readers get the same lines, all of them, in order`(
    isVirtual: Bool
  )
    async throws
  {
    let device = try device(isVirtual)
    let readers = (0..<3).map { _ in device.actions() }.map { stream in
      Task {
        var lines: [TraceLine] = []
        for await line in stream { lines.append(line) }
        return lines
      }
    }
    await run(device)
    device.close()
    let first = await readers[0].value
    for reader in readers { #expect(await reader.value == first) }
    let tasks = tasks(first)
    #expect(tasks.count == Self.callers && tasks.values.allSatisfy { $0 == Self.expected })
    #expect(zip(first, first.dropFirst()).allSatisfy { $0.time <= $1.time })
  }

  @Test(arguments: [true, false])
  func `the lines and the gaps of slow readers add up to all lines`(isVirtual: Bool)
    async throws
  {
    let device = try device(isVirtual)
    let all = device.actions()
    let slow = [1, 7, 100].map { device.actions(bufferingNewest: $0) }.map { stream in
      Task {
        var (lines, count) = ([TraceLine](), 0)
        for await line in stream {
          if case .gap(let dropped) = line.body {
            count += dropped
          } else {
            (count, lines) = (count + 1, lines + [line])
          }
          if count % 50 == 0 { try? await Task.sleep(for: .milliseconds(1)) }
        }
        return (lines, count)
      }
    }
    await run(device)
    device.close()
    var lines: [TraceLine] = []
    for await line in all { lines.append(line) }
    for reader in slow {
      let (heard, count) = await reader.value
      #expect(count == lines.count)
      // The lines that the reader got are in the same order as in the whole.
      var rest = lines[...]
      #expect(
        heard.allSatisfy { line in
          guard let place = rest.firstIndex(of: line) else { return false }
          rest = rest[(place + 1)...]
          return true
        })
    }
  }

  @Test(arguments: [true, false]) func `readers come and go while threads use the device`(
    isVirtual: Bool
  ) async throws {
    let device = try device(isVirtual)
    let whole = device.actions()
    await run(device) {
      for round in 0..<200 {
        var lines = device.actions(bufferingNewest: round % 3 == 0 ? 2 : nil).makeAsyncIterator()
        if round % 2 == 0 { _ = device.actions() }
        let reader = Task { [stream = device.actions()] in for await _ in stream {} }
        if round % 4 == 0 { await Task.yield() }
        reader.cancel()
        await reader.value
        if round % 5 == 0 { device.post("news") }
        if round % 10 == 0 { _ = await lines.next() }
      }
    }
    #expect(device.readerCount == 1)
    device.close()
    var lines: [TraceLine] = []
    for await line in whole { lines.append(line) }
    #expect(tasks(lines).values.allSatisfy { $0 == Self.expected })
    #expect(device.readerCount == 0)
  }

  @Test(arguments: [true, false])
  func `each line of a stream goes to one of its iterators`(isVirtual: Bool) async throws {
    let device = try device(isVirtual)
    let (whole, shared) = (device.actions(), device.actions())
    let parts = (0..<3).map { _ in
      Task {
        var lines: [TraceLine] = []
        for await line in shared { lines.append(line) }
        return lines
      }
    }
    await run(device)
    device.close()
    var lines: [TraceLine] = []
    for await line in whole { lines.append(line) }
    var heard: [String: Int] = [:]
    for part in parts {
      let part = await part.value
      #expect(zip(part, part.dropFirst()).allSatisfy { $0.time <= $1.time })
      for line in part { heard[line.json(), default: 0] += 1 }
    }
    var told: [String: Int] = [:]
    for line in lines { told[line.json(), default: 0] += 1 }
    #expect(heard == told)
  }

  @Test func `a device that is closed while threads use it has delivered all lines until then`()
    async throws
  {
    for _ in 0..<20 {
      let device = try device(false)
      let stream = device.actions()
      let app = device.register("app")
      app.launch()
      await eventually("no launch") { app.applicationState == .active }
      let closed = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: 0.005)
        device.close()
        closed.signal()
      }
      var begun = 0
      while true {
        let task = app.beginBackgroundTask(withName: "\(begun)")
        guard task != .invalid else { break }
        app.endBackgroundTask(task)
        begun += 1
      }
      closed.wait()
      var names: [String] = []
      for await line in stream {
        if case .task(.begin, _, let name) = line.body { names.append(name) }
      }
      #expect(names.elementsEqual((0..<begun).lazy.map { "\($0)" }), "\(names.count) of \(begun)")
    }
  }
}
