import Curfew
import Foundation
import TestRuns
import Testing

import struct CurfewEngine.TaskID

/// Readers of actions: the lines that they get, their first and last line, and the number of lines
/// that a slow reader missed.
@Suite(.inTurn, .timeLimit(.minutes(30))) struct ReaderTests {
  private func read(_ stream: AsyncStream<TraceLine>) async -> [TraceLine] {
    var lines: [TraceLine] = []
    for await line in stream { lines.append(line) }
    return lines
  }

  private func launched(_ device: Device) -> App {
    let app = device.register("app")
    app.launch()
    return app
  }

  /// Begins and ends `count` tasks: two lines each.
  private func cycle(_ app: App, _ names: ClosedRange<Int>) {
    for name in names { app.endBackgroundTask(app.beginBackgroundTask(withName: "\(name)")) }
  }

  /// `begin 7`, `end 7`; any other line as it is written.
  private func words(_ lines: [TraceLine]) -> [String] {
    lines.map { line in
      switch line.body {
      case .task(let change, _, let name): "\(change) \(name)"
      case .gap(let dropped): "gap \(dropped)"
      default: line.json()
      }
    }
  }

  // MARK: Lines of readers

  @Test func `every reader gets everything from its start on, and nothing from before`() async {
    let device = Device(policy: .ios13)
    let app = launched(device)
    let first = device.actions()
    cycle(app, 1...2)
    let second = device.actions()
    let third = device.actions()
    cycle(app, 3...3)
    device.close()
    let heard = (await read(first), await read(second), await read(third))
    #expect(words(heard.0) == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
    #expect(words(heard.1) == ["begin 3", "end 3"] && heard.2 == heard.1)
  }

  @Test
  func
    `a reader that comes after the last has left hears in full words, of apps and texts from before too`()
    async
  {
    let device = Device(policy: .ios13)
    let app = launched(device)
    do {
      let gone = device.actions()
      cycle(app, 1...1)
      _ = gone
    }
    #expect(device.readerCount == 0)
    cycle(app, 2...2)
    let reader = device.actions()
    cycle(app, 1...3)
    device.home()
    device.close()
    let lines = await read(reader)
    #expect(words(lines).prefix(6) == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
    #expect(lines.count > 6 && lines.allSatisfy { $0.app == "app" })
  }

  @Test func `the lines are those of the trace, wherever the reader started`() async throws {
    let device = Device(policy: .ios13)
    device.startRecording()
    final class Readers: @unchecked Sendable {
      var all: [(lines: Int, stream: AsyncStream<TraceLine>)] = []
    }
    let readers = Readers()
    @Sendable func join() {
      readers.all.append((device.recordedTrace(name: "").lines.count, device.actions()))
    }
    join()
    let mail = device.register("mail", manifest: AppManifest(backgroundModes: .fetch))
    mail.launch()
    join()
    _ = mail.beginBackgroundTask(withName: "upload") { join() }
    mail.post("news", value: "1")
    device.advance(by: .seconds(3))
    join()
    // The illegal call is reported to readers by its name.
    mail.ignoreInterruption()
    device.home()
    device.advance(by: .seconds(26))
    join()
    device.advance(by: .seconds(10))
    mail.deliver(.fetch)
    device.close()
    let lines = device.recordedTrace(name: "").lines
    for reader in readers.all {
      let expected = lines[reader.lines...].filter { line in
        switch line.body {
        case .event, .advance, .end: false
        default: true
        }
      }
      #expect(
        await read(reader.stream).map { $0.json() } == expected.map { $0.json() },
        "from line \(reader.lines)")
    }
    #expect(readers.all.count == 5)
  }

  @Test func `on a virtual clock what a call has caused is in the stream when it returns`() async {
    let device = Device(policy: .ios13)
    let app = launched(device)
    var lines = device.actions().makeAsyncIterator()
    _ = app.beginBackgroundTask(withName: "upload")
    #expect(await lines.next()?.body == .task(.begin, TaskID(rawValue: 1), name: "upload"))
    device.home()
    device.advance(by: .seconds(30))
    var last: TraceLine?
    repeat {
      last = await lines.next()
    } while last.map { if case .terminated = $0.body { false } else { true } } ?? false
    #expect(last?.time == .zero + .seconds(30))
  }

  // MARK: Released streams

  @Test func `a released stream is removed, iterated or not`() async {
    let device = Device(policy: .ios13)
    let app = launched(device)
    do {
      let streams = (0..<3).map { _ in device.actions() }
      #expect(device.readerCount == 3)
      cycle(app, 1...1)
      for await _ in streams[0] { break }
      _ = streams
    }
    #expect(device.readerCount == 0)
    do {
      var lines = device.actions().makeAsyncIterator()
      cycle(app, 2...2)
      _ = await lines.next()
      #expect(device.readerCount == 1)
    }
    #expect(device.readerCount == 0)
    cycle(app, 3...3)
  }

  @Test func `a reader whose task is cancelled while it waits ends and is removed`()
    async
  {
    let device = Device(policy: .ios13)
    let other = device.actions()
    let stream = device.actions()
    let reader = Task { await read(stream) }
    while device.readerCount < 2 { await Task.yield() }
    reader.cancel()
    #expect(await reader.value.isEmpty)
    #expect(device.readerCount == 1)
    _ = launched(device)
    device.close()
    #expect(await read(other).count > 3)
    #expect(await read(stream).isEmpty)
  }

  @Test func `a reader may be the last to hold its device`() async {
    func stream() -> AsyncStream<TraceLine> {
      let device = Device(policy: .ios13)
      let stream = device.actions()
      _ = launched(device)
      return stream
    }
    #expect(await read(stream()).count == 5)
  }

  // MARK: Slow readers

  @Test
  func `a slow reader gets the newest lines, and the number of the others in their place`()
    async
  {
    let device = Device(policy: .ios13)
    let app = launched(device)
    let stream = device.actions(bufferingNewest: 4)
    cycle(app, 1...2)
    var lines = stream.makeAsyncIterator()
    #expect(words([await lines.next()!]) == ["begin 1"])
    cycle(app, 3...10)
    device.advance(by: .seconds(1))
    #expect(words([await lines.next()!, await lines.next()!]) == ["gap 15", "begin 9"])
    cycle(app, 11...11)
    device.close()
    #expect(words(await read(stream)) == ["gap 1", "begin 10", "end 10", "begin 11", "end 11"])
  }

  @Test func `a gap is a line, with the time of the last line that it replaces`() async {
    let device = Device(policy: .ios13)
    let app = launched(device)
    let stream = device.actions(bufferingNewest: 1)
    device.advance(by: .seconds(2))
    cycle(app, 1...1)
    device.advance(by: .seconds(2))
    cycle(app, 2...2)
    device.close()
    #expect(await read(stream).first?.json() == #"{"t":4000000000,"type":"gap","dropped":3}"#)
  }

  @Test func `with a limit of 0 every line without a waiting reader is in a gap`() async {
    let device = Device(policy: .ios13)
    let app = launched(device)
    let stream = device.actions(bufferingNewest: 0)
    cycle(app, 1...2)
    device.close()
    #expect(words(await read(stream)) == ["gap 4"])
  }

  @Test func `a negative limit stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = Device(policy: .ios13).actions(bufferingNewest: -1)
    }
  }
}
