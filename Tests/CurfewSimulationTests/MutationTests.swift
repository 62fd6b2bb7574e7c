import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewText
import CurfewTrace
import TestRuns
import TestSupport
import Testing

/// Reading must not trap on any input, because a trap would crash a user's editor.
@Suite(.inTurn) struct MutationTests {
  @Test func `a damaged scenario is read or refused, and never traps`() throws {
    var random = SeededGenerator(seed: 20)
    let policy = try PolicyFile.load("ios4")
    let original = Array(
      """
      curfew: scenario/1
      name: "A \\"quoted\\" name \\x41\\u2030"
      policy: ios4 # any
      apps:
        mail:
          backgroundModes: [fetch, 'audio']
          permittedIdentifiers: [com.x, 'y']
          footprint: 12MiB
          on:
            fetch:
            - {do: beginTask, task: sync, for: 12s, handler: [{do: endTask, task: sync}]}
            - do: completeWake
            - {do: useCPU, share: 80%, for: 2s}
            - {do: submitTask, identifier: com.x, kind: appRefresh, earliest: 3m}
      timeline:
        - {at: 0s, do: launch, app: mail}
        - {at: 8s, do: home}
        - {at: 9s, do: setDevice, battery: 9%, thermal: fair, memory: 1GiB}
        - {at: 9s, do: post, name: "clo\\x41ck", value: 7}
        - {at: 9s, do: setKeepAlive, app: mail, interval: never}
        - {at: 9s, do: cancelTask, app: mail, identifier: com.x}
      expect:
        - {at: 9s..12s, app: mail, state: suspended}
        - {decision: fetch, denied: [lowPowerMode]}
        - {count: task, task: sync, event: end, is: 3..5}
        - {never: callback, name: didEnterBackground}
      """.utf8)
    var (read, refused) = (0, 0)
    for _ in 0..<2_000 {
      var bytes = original
      for _ in 0...Int(random.next() % 3) { damage(&bytes, &random) }
      do throws(FileErrors) {
        let scenario = try Scenario.decode(
          try SourceFile(name: "damaged", bytes: bytes), policy: policy)
        read += 1
        let texts =
          [scenario.name] + scenario.apps.map(\.identifier)
          + scenario.timeline.compactMap(\.step.deed.name)
          + scenario.expectations.map(\.text)
        #expect(
          !texts.joined().unicodeScalars.contains {
            $0.properties.generalCategory == .control && $0 != "\t" && $0 != "\n"
          })
      } catch {
        refused += 1
        #expect(error.diagnostics.allSatisfy { !$0.message.isEmpty && $0.file == "damaged" })
      }
    }
    #expect(read > 10 && refused > 100, "\(read) read, \(refused) refused")
  }

  @Test func `a damaged policy is read or refused, and never traps`() throws {
    var random = SeededGenerator(seed: 21)
    let original = Array(
      """
      curfew: policy/1
      name: mine
      multitasking: true
      tasks:
        grant: {value: 30s, confidence: assumed, source: QN}
        limit: 1000
        code: 0x2182bad2
      wakes:
        fetch: {mode: [fetch, voip], length: 30s, overrun: kill, minimumInterval: 15m, backoff: 8, confidence: assumed}
        appRefresh: {admissions: 3, runTime: 5m, window: 1h, pending: 1}
      lowBattery: 20%
      lockedFiles: {terminate: true, code: 0xdead10cc}
      memory: {capacity: 4GiB, warning: 80%, warningReset: {value: 75%, source: QN}, footprint: 50MiB, appLimit: none}
      cpu: {share: 80%, window: 60s, whileCharging: false}
      notifications: {kept: 64, locations: 100}
      sources: {QN: Quinn}
      """.utf8)
    for _ in 0..<1_000 {
      var bytes = original
      for _ in 0...Int(random.next() % 3) { damage(&bytes, &random) }
      #expect(throws: FileErrors.self) {
        try PolicyFile.decode(try SourceFile(name: "damaged", bytes: bytes))
      }
    }
  }

  @Test func `a damaged child that can be read is a policy that an engine accepts`() throws {
    var random = SeededGenerator(seed: 23)
    let original = Array(
      """
      curfew: policy/1
      name: mine
      extends: ios13
      lowBattery: 20%
      foreground: 1
      tasks: {grant: 30s, warning: 5s, limit: 1000, thermalExpiry: never}
      limits: {launch: 20s, launchWarning: 5s}
      wakes:
        fetch: {length: 30s, minimumInterval: 15m, alignment: 15m, backoff: 8}
        region: {admissions: 3, runTime: 5m, window: 1h}
        processing: {pending: 10}
      memory: {capacity: 4GiB, warning: 80%, warningReset: 75%, footprint: 50MiB, appLimit: 1GiB}
      cpu: {share: 80%, window: 60s}
      notifications: {kept: 64, locations: 100}
      """.utf8)
    let digits = original.indices.filter { (48...57).contains(original[$0]) && $0 > 50 }
    var (read, refused) = (0, 0)
    for _ in 0..<100 {
      var bytes = original
      // Most damage is to digits, because a damaged word is refused before it reaches the engine.
      for _ in 0...Int(random.next() % 3) {
        bytes[digits[Int(random.next() % UInt64(digits.count))]] = 48 + UInt8(random.next() % 10)
      }
      if random.next() % 4 == 0 { damage(&bytes, &random) }
      do throws(FileErrors) {
        let file = try PolicyFile.decode(try SourceFile(name: "damaged", bytes: bytes))
        _ = Engine(policy: file.policy)
        read += 1
      } catch {
        refused += 1
        #expect(error.diagnostics.allSatisfy { !$0.message.isEmpty && $0.file == "damaged" })
      }
    }
    #expect(read > 10 && refused > 10, "\(read) read, \(refused) refused")
  }

  @Test func `a damaged trace is read and replayed, or refused, and never traps`() throws {
    var random = SeededGenerator(seed: 22)
    let policy = try PolicyFile.load("ios13").policy
    let original = Array(Self.trace.utf8)
    #expect(try Trace.decode(try SourceFile(name: "whole", bytes: original)).lines.count == 23)
    var (read, refused) = (0, 0)
    for _ in 0..<2_000 {
      var bytes = original
      for _ in 0...Int(random.next() % 3) { damage(&bytes, &random) }
      do throws(FileErrors) {
        var trace = try Trace.decode(try SourceFile(name: "damaged", bytes: bytes))
        _ = Replay.run(trace, policy: policy)
        trace.header.clock = "monotonic"
        _ = Replay.run(trace, policy: policy)
        read += 1
      } catch {
        refused += 1
        #expect(error.diagnostics.allSatisfy { !$0.message.isEmpty && $0.file == "damaged" })
      }
    }
    #expect(read > 50 && refused > 100, "\(read) read, \(refused) refused")
  }

  /// A line of each type, and each kind of value.
  static let trace = """
    {"curfew":"trace/2","name":"A \\"quoted\\" name","policy":"ios13","policyDigest":"0123456789abcdef","seed":0,"apps":["mail","maps"],"device":{"battery":"9%","thermal":"fair"},"manifests":{"maps":{"backgroundModes":["audio"],"footprint":"5B"}}}
    {"t":0,"app":"mail","type":"event","do":"launch"}
    {"t":0,"app":"mail","type":"state","from":"notRunning","to":"inactive"}
    {"t":0,"app":"mail","type":"callback","name":"application:didFinishLaunchingWithOptions:"}
    {"t":10000000000,"type":"event","do":"home"}
    {"t":10000000000,"app":"mail","type":"event","do":"beginTask","task":"upload","handler":"none"}
    {"t":10000000000,"app":"mail","type":"task","event":"begin","task":1,"name":"upload"}
    {"t":10100000000,"app":"mail","type":"event","do":"return","callback":"didEnterBackground"}
    {"t":10200000000,"app":"maps","type":"session","mode":"audio","event":"begin"}
    {"t":10300000000,"app":"maps","type":"decision","kind":"fetch","allowed":false,"reasons":["modeNotDeclared","lowPowerMode"]}
    {"t":10300000000,"app":"mail","type":"wake","kind":"remoteNotification","wake":2,"identifier":"c","event":"begin"}
    {"t":15000000000,"app":"mail","type":"probe","state":"background","backgroundTimeRemaining":25000000000}
    {"t":22000000000,"app":"mail","type":"expiration","task":1,"name":"upload","reason":"timeLimit","due":21000000000}
    {"t":22000000000,"app":"mail","type":"event","do":"endTask","task":1}
    {"t":22000000000,"app":"mail","type":"event","do":"completeWake","kind":"fetch","identifier":"c","wake":2,"result":"newData"}
    {"t":23000000000,"app":"mail","type":"terminated","reason":"appWatchdog","code":"0x8badf00d","tasks":["upload"]}
    {"t":23000000000,"type":"diagnostic","name":"illegalEvent","do":"home"}
    {"t":24000000000,"type":"event","do":"setDevice","charging":true,"memory":"4294967296B"}
    {"t":24000000000,"app":"maps","type":"event","do":"useCPU","share":"90%","for":"50s"}
    {"t":24000000000,"app":"maps","type":"event","do":"submitTask","identifier":"c","kind":"processing","earliest":"90s","requiresPower":true}
    {"t":24000000000,"app":"maps","type":"event","do":"setKeepAlive","interval":"never"}
    {"t":24000000000,"app":"maps","type":"request","identifier":"c","kind":"processing","event":"refused","error":"unavailable"}
    {"t":24000000000,"app":"maps","type":"notification","name":"clock","value":"7"}
    {"t":24000000000,"app":"maps","type":"notification","id":"tea","event":"shown"}

    """
}
