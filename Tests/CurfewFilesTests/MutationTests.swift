import CurfewFiles
import Testing

/// Reading must survive anything: a trap here is a crash of somebody's editor.
@Suite struct MutationTests {
  @Test func `a damaged scenario is read or refused, and never traps`() throws {
    var random = SplitMix(seed: 20)
    let policy = try PolicyFile.load("ios4")
    let original = Array(
      """
      curfew: scenario/1
      name: "A \\"quoted\\" name \\x41\\u2030"
      policy: ios4 # any
      apps:
        mail:
          backgroundModes: [fetch, 'audio']
          on:
            fetch:
            - {do: beginTask, task: sync, for: 12s, handler: [{do: endTask, task: sync}]}
            - do: completeWake
      timeline:
        - {at: 0s, do: launch, app: mail}
        - {at: 8s, do: home}
      """.utf8)
    var (read, refused) = (0, 0)
    for _ in 0..<2_000 {
      var bytes = original
      for _ in 0...Int(random.next() % 3) { damage(&bytes, &random) }
      do throws(FileErrors) {
        let scenario = try Scenario.decode(try SourceFile(name: "damaged", bytes: bytes), policy: policy)
        read += 1
        let texts = [scenario.name] + scenario.apps.map(\.identifier) + scenario.labels
        #expect(!texts.joined().unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\t" && $0 != "\n" })
      } catch {
        refused += 1
        #expect(error.diagnostics.allSatisfy { !$0.message.isEmpty && $0.file == "damaged" })
      }
    }
    #expect(read > 10 && refused > 100, "\(read) read, \(refused) refused")
  }

  @Test func `a damaged policy is read or refused, and never traps`() throws {
    var random = SplitMix(seed: 21)
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
        fetch: {mode: [fetch, voip], length: 30s, overrun: kill, confidence: assumed}
      sources: {QN: Quinn}
      """.utf8)
    for _ in 0..<1_000 {
      var bytes = original
      for _ in 0...Int(random.next() % 3) { damage(&bytes, &random) }
      #expect(throws: FileErrors.self) { try PolicyFile.decode(try SourceFile(name: "damaged", bytes: bytes)) }
    }
  }

  @Test func `a damaged trace is read or refused, and never traps`() throws {
    var random = SplitMix(seed: 22)
    let original = Array(Self.trace.utf8)
    #expect(try Trace.decode(try SourceFile(name: "whole", bytes: original)).lines.count == 16)
    var (read, refused) = (0, 0)
    for _ in 0..<2_000 {
      var bytes = original
      for _ in 0...Int(random.next() % 3) { damage(&bytes, &random) }
      do throws(FileErrors) {
        _ = try Trace.decode(try SourceFile(name: "damaged", bytes: bytes))
        read += 1
      } catch {
        refused += 1
        #expect(error.diagnostics.allSatisfy { !$0.message.isEmpty && $0.file == "damaged" })
      }
    }
    #expect(read > 100 && refused > 100, "\(read) read, \(refused) refused")
  }

  /// A line of each type, and of each kind of value.
  static let trace = """
    {"curfew":"trace/1","name":"A \\"quoted\\" name","policy":"ios13","policyDigest":"0123456789abcdef","seed":0,"apps":["mail","maps"]}
    {"t":0,"app":"mail","type":"event","do":"launch"}
    {"t":0,"app":"mail","type":"state","from":"notRunning","to":"inactive"}
    {"t":0,"app":"mail","type":"callback","name":"application:didFinishLaunchingWithOptions:"}
    {"t":10000000000,"type":"event","do":"home"}
    {"t":10000000000,"app":"mail","type":"event","do":"beginTask","task":"upload","handler":"none"}
    {"t":10000000000,"app":"mail","type":"task","event":"begin","task":1,"name":"upload"}
    {"t":10100000000,"app":"mail","type":"event","do":"return","callback":"didEnterBackground"}
    {"t":10200000000,"app":"maps","type":"session","mode":"audio","event":"begin"}
    {"t":10300000000,"app":"maps","type":"decision","kind":"fetch","allowed":false,"reasons":["modeNotDeclared","lowPowerMode"]}
    {"t":10300000000,"app":"mail","type":"wake","kind":"remoteNotification","event":"begin"}
    {"t":15000000000,"app":"mail","type":"probe","state":"background","backgroundTimeRemaining":25000000000}
    {"t":22000000000,"app":"mail","type":"expiration","task":1,"name":"upload","reason":"timeLimit","due":21000000000}
    {"t":22000000000,"app":"mail","type":"event","do":"endTask","task":1}
    {"t":22000000000,"app":"mail","type":"event","do":"completeWake","kind":"fetch","result":"newData"}
    {"t":23000000000,"app":"mail","type":"terminated","reason":"appWatchdog","code":"0x8badf00d","tasks":["upload"]}
    {"t":23000000000,"type":"diagnostic","name":"illegalEvent","do":"home"}

    """

  /// Signs that mean something get more than their share.
  func damage(_ bytes: inout [UInt8], _ random: inout SplitMix) {
    let signs = Array("[]{},:-?&*!|>'\"%@`# \t\n\r\\<0~9".utf8) + [0x00, 0x80, 0xC3, 0xFF, 0x1B]
    guard !bytes.isEmpty else { return }
    let place = Int(random.next() % UInt64(bytes.count))
    let sign = signs[Int(random.next() % UInt64(signs.count))]
    switch random.next() % 6 {
    case 0: bytes[place] = sign
    case 1: bytes.insert(sign, at: place)
    case 2: bytes.remove(at: place)
    case 3: bytes[place] ^= UInt8(1 << (random.next() % 8))
    case 4: bytes.removeSubrange(place..<min(bytes.count, place + Int(random.next() % 40)))
    default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + Int(random.next() % 40))], at: place)
    }
  }
}
