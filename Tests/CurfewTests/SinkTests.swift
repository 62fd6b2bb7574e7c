import Curfew
import CurfewSystem
import CurfewTrace
import Foundation
import TestRuns
import TestSupport
import Testing

/// Devices that are recorded while they run.
@Suite(.inTurn) struct SinkTests {
  private struct Full: Error, CustomStringConvertible {
    let description = "the disk is full"
  }

  /// Keeps each write by itself. The write after `limit` writes fails.
  private final class StepSink: TraceSink, @unchecked Sendable {
    private let lock = Lock()
    private var kept: [[UInt8]] = []
    private let limit: Int

    init(limit: Int = .max) { self.limit = limit }

    var writes: [[UInt8]] { lock.withLock { kept } }
    var text: String { String(decoding: writes.joined(), as: UTF8.self) }

    func write(_ steps: [UInt8]) throws {
      try lock.withLock {
        guard kept.count < limit else { throw Full() }
        kept.append(steps)
      }
    }
  }

  /// Uses an app for a minute, with a task that expires.
  private func live(_ device: Device) {
    let mail = device.register("mail", manifest: AppManifest(backgroundModes: .fetch))
    mail.launch()
    _ = mail.beginBackgroundTask(withName: "upload") { mail.post("seen", value: "1") }
    let maps = device.register("maps")
    maps.launch()
    device.advance(by: .seconds(60))
    mail.deliver(.fetch)
    maps.crash(.oomKill)
  }

  private func replay(_ text: String, under policy: PolicyFile = .ios13) throws
    -> Replay.Divergence?
  {
    try Replay.run(
      Device.Trace.decode(SourceFile(name: "t", bytes: Array(text.utf8))), under: policy)
  }

  @Test
  func `a recording to a sink is the recording in memory, and ends when the device is closed`()
    throws
  {
    let sink = MemorySink()
    let device = Device(policy: .ios13)
    device.record(to: sink, name: "a run")
    live(device)
    device.close()
    let other = Device(policy: .ios13)
    other.startRecording()
    live(other)
    let trace = other.recordedTrace(name: "a run")
    #expect(try sink.trace().lines == trace.lines)
    #expect(sink.text.hasPrefix(#"{"curfew":"trace/2","name":"a run","policy":"ios13""#))
    #expect(try sink.trace().header.apps == ["mail"])
    #expect(try replay(sink.text) == nil)
  }

  @Test func `on a virtual clock a call has been written when it returns, in whole steps`() throws {
    let sink = StepSink()
    let device = Device(policy: .ios13)
    device.record(to: sink)
    let mail = device.register("mail")
    #expect(sink.writes.isEmpty)
    mail.launch()
    #expect(sink.text.contains("didBecomeActive"))
    for number in 0..<20 {
      mail.endBackgroundTask(mail.beginBackgroundTask(withName: "task \(number)"))
      #expect(sink.text.hasSuffix("\"name\":\"task \(number)\"}\n"))
    }
    for (index, write) in sink.writes.enumerated() {
      let lines = String(decoding: write, as: UTF8.self).split(separator: "\n")
      let first = lines[index == 0 ? 1 : 0]
      #expect(first.contains(#""type":"event""#) || first.contains(#""type":"advance""#))
      #expect(write.last == UInt8(ascii: "\n"))
    }
    #expect(try replay(sink.text) == nil)
  }

  @Test func `readers and a recording are told alike`() async throws {
    let sink = MemorySink()
    let device = Device(policy: .ios13)
    let early = device.actions()
    device.record(to: sink)
    live(device)
    let late = device.actions()
    device.app(named: "mail")?.launch()
    device.app(named: "mail")?.unlockFile()
    device.close()
    let recorded = try sink.trace().lines.filter {
      switch $0.body {
      case .event, .advance, .end: false
      default: true
      }
    }
    var lines: [TraceLine] = []
    for await line in early { lines.append(line) }
    #expect(lines.map { $0.json() } == recorded.map { $0.json() })
    var last: [TraceLine] = []
    for await line in late { last.append(line) }
    #expect(
      !last.isEmpty && last.map { $0.json() } == recorded.suffix(last.count).map { $0.json() })
  }

  @Test func `a sink that fails ends the recording with a diagnostic, and the device goes on`()
    throws
  {
    let all = StepSink()
    let whole = Device(policy: .ios13)
    whole.record(to: all)
    live(whole)
    let count = all.writes.count
    for limit in [0, 1, 5, count - 1] {
      let sink = StepSink(limit: limit)
      let device = Device(policy: .ios13)
      device.record(to: sink)
      live(device)
      let causes = device.diagnostics.map(\.cause).filter {
        if case .recordingFailed = $0 { true } else { false }
      }
      #expect(causes == [.recordingFailed("the disk is full")])
      #expect(sink.writes == Array(all.writes[..<limit]))
      #expect(device.counts.events == whole.counts.events)
      #expect(device.diagnostics.contains { "\($0)".contains("the recording has ended: the disk") })
    }
    // A failed recording does not end readers.
    let device = Device(policy: .ios13)
    device.record(to: StepSink(limit: 0))
    let reader = device.actions()
    live(device)
    #expect(device.readerCount == 1)
    _ = reader
  }

  @Test func `a closed device records nothing`() {
    let sink = StepSink()
    let device = Device(policy: .ios13)
    device.close()
    device.record(to: sink)
    device.register("mail").launch()
    #expect(sink.writes.isEmpty)
  }

  @Test func `a device is recorded once`() async {
    await #expect(processExitsWith: .failure) {
      let device = Device(policy: .ios13)
      device.record(to: MemorySink())
      device.record(to: MemorySink())
    }
  }

  // MARK: Files

  @Test func `a file has the bytes of the recording, and a full disk ends the recording`() throws {
    try withFolder(["old.jsonl": "what was there before\n"]) { folder in
      let path = folder + "/old.jsonl"
      for sync in [FileSink.Sync.never, .everyStep] {
        let file = try FileSink(path, sync: sync)
        let device = Device(policy: .ios13)
        device.record(to: file)
        live(device)
        device.close()
        try file.close()
        let text = try SourceFile.read(path).text
        #expect(try replay(text) == nil)
        #expect(text.hasSuffix("\"type\":\"end\"}\n"))
        #expect(throws: FileSinkError.self) { try file.write([10]) }
      }
      #expect(throws: FileSinkError.self) { try FileSink(folder + "/no/such/folder") }
    }
    #if os(Linux)
      let device = Device(policy: .ios13)
      device.record(to: try FileSink("/dev/full"))
      live(device)
      #expect(
        device.diagnostics.map(\.cause).contains(
          .recordingFailed("/dev/full: cannot write it: No space left on device")))
    #endif
  }

  @Test func `a file that reaches its greatest size keeps whole steps`() async throws {
    try await withRecording { path in
      await #expect(processExitsWith: .success) { [path = path as String] in
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 3_001, rlim_max: 3_001)
        #if canImport(Glibc)
          setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
          setrlimit(RLIMIT_FSIZE, &limit)
        #endif
        let device = Device(policy: .ios13)
        device.record(to: try FileSink(path))
        let mail = device.register("mail")
        mail.launch()
        for _ in 0..<100 { mail.endBackgroundTask(mail.beginBackgroundTask(withName: "x")) }
        let isTold = device.diagnostics.contains { "\($0.cause)".contains("recordingFailed") }
        guard isTold, device.counts.events == 204 else { exit(1) }
      }
      let text = try SourceFile.read(path).text
      #expect(text.utf8.count > 2_500 && text.hasSuffix("}\n"))
      #expect(try replay(text) == nil)
    }
  }

  @Test func `in real time the recording is made on a thread of the device, and replays`() throws {
    try withFolder([:]) { folder in
      let path = folder + "/real.jsonl"
      let device = Device(policy: .ios13, clock: .realTime(ThreadClock(speed: 100)))
      let file = try FileSink(path)
      device.record(to: file)
      let apps = (0..<4).map { device.register("app\($0)") }
      for app in apps { app.launch() }
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        for number in 0..<200 {
          apps[index].endBackgroundTask(
            apps[index].beginBackgroundTask(withName: "\(number % 7)"))
        }
      }
      device.home()
      device.close()
      device.waitForRecording()
      let text = try SourceFile.read(path).text
      #expect(try replay(text) == nil)
      let begins = text.split(separator: "\n").count {
        $0.contains(#""type":"event","do":"beginTask""#)
      }
      #expect(begins == 800)
      #expect(text.hasSuffix("\"type\":\"end\"}\n"))
    }
  }

  // MARK: Campaigns: CURFEW_RUNS kills, and 25,000 lines for each

  /// Calls `body` with the path of a file in a folder of its own.
  private func withRecording(_ body: (String) async throws -> Void) async throws {
    let folder = NSTemporaryDirectory() + "curfew-\(UUID())"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder + "/run.jsonl")
  }

  @Test func `a program that is killed leaves whole steps, and every call that has returned`()
    async throws
  {
    for seed in Campaign.seeds(3) {
      try await withRecording { path in
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [path = path as String, seed = seed as UInt64] in
          // Between nothing and some thousand calls.
          var random = SeededGenerator(seed: seed)
          let delay = useconds_t(random.below(60_000))
          let device = Device(policy: .ios13)
          device.record(to: try FileSink(path))
          let acknowledged = try FileSink(path + ".acknowledged")
          let mail = device.register("mail")
          mail.launch()
          Thread {
            usleep(delay)
            kill(getpid(), SIGKILL)
          }.start()
          for number in 0... {
            mail.endBackgroundTask(mail.beginBackgroundTask(withName: "task \(number)"))
            try acknowledged.write(Array("\(number)\n".utf8))
          }
        }
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        // The run goes on where it was killed, with every call that had returned.
        var run = try Replay.resume(bytes, name: path, under: .ios13)
        #expect(run.length == (bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1, "seed \(seed)")
        let memory = MemorySink()
        memory.write(Array(bytes[..<run.length]))
        run.recorder.append(to: memory)
        if let mail = run.apps["mail"] {
          run.recorder.say(.crash(mail, .hostFailure), to: &run.driver)
          while run.recorder.pull(from: &run.driver) != nil {}
          #expect(run.driver.engine.state(of: mail) == .notRunning, "seed \(seed)")
        }
        let trace = try memory.trace()
        #expect(try Replay.run(trace, under: .ios13) == nil, "seed \(seed)")
        let acknowledged = try? SourceFile.read(path + ".acknowledged").text
        let last = acknowledged?.split(separator: "\n", omittingEmptySubsequences: false)
          .dropLast().last
        if let last {
          let isThere = trace.lines.contains {
            if case .task(.end, _, "task \(last)") = $0.body { true } else { false }
          }
          #expect(isThere, "seed \(seed): task \(last) was acknowledged")
        }
      }
    }
  }

  @Test(arguments: ["virtual", "real"])
  func `recording to a file takes no memory for what is written`(time: String) async throws {
    let lines = 25_000 * Campaign.runs(4)
    try await withRecording { path in
      await #expect(processExitsWith: .success) {
        [path = path as String, time = time as String, lines = lines as Int] in
        let clock: DeviceClock = time == "real" ? .realTime(ThreadClock()) : .virtual
        let device = Device(policy: .ios13, clock: clock)
        device.record(to: try FileSink(path))
        let mail = device.register("mail")
        mail.launch()
        func work(_ pairs: Int) {
          for _ in 0..<pairs {
            mail.endBackgroundTask(mail.beginBackgroundTask(withName: "upload"))
          }
        }
        work(10_000)
        let start = ProcessFacts.now().peakMemory
        // Four lines each.
        work(lines / 4)
        device.close()
        let growth = ProcessFacts.now().peakMemory - start
        guard growth <= 16 << 20 else {
          print("The memory grew by \(growth >> 20) MiB")
          exit(1)
        }
      }
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
      #expect(size > lines * 60)
    }
  }
}
