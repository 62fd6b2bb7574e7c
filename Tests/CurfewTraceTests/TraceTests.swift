import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace
import TestRuns
import TestSupport
import Testing

/// Lines of traces are written as text and read back.
@Suite(.inTurn) struct TraceTests {
  private static let plain =
    #"{"curfew":"trace/2","name":"x","policy":"ios13","policyDigest":"0123456789abcdef","seed":0}"#

  private func decode(_ lines: String..., header: String = plain) throws -> Trace {
    try Trace.decode(
      SourceFile(name: "t.jsonl", bytes: Array(([header] + lines).joined(separator: "\n").utf8)))
  }

  private func refusal(_ line: String? = nil, header: String = plain) -> String? {
    let found = errors { () throws(FileErrors) in
      _ = try Trace.decode(
        SourceFile(
          name: "t", bytes: Array([header, line].compactMap(\.self).joined(separator: "\n").utf8)))
    }
    return found.first.map { String($0.drop { $0 != " " }.dropFirst()) }
  }

  private static let everyFact = DeviceFacts(
    backgroundRefresh: .denied, lowPowerMode: true, battery: 0, network: .cellular, memory: 4 << 30,
    thermal: .serious)

  static let events: [(deed: EngineInput, text: String)] = [
    (
      EngineInput(.setRefresh) { $0.status = .restricted },
      #""do":"setRefresh","status":"restricted""#
    ),
    (
      EngineInput(.setDevice) { $0.device = DeviceChange(to: DeviceFacts(battery: 40), \.battery) },
      #""do":"setDevice","battery":"40%""#
    ),
    (
      EngineInput(.setDevice) { $0.device = DeviceChange(everyFact) },
      #""do":"setDevice","backgroundRefresh":false,"lowPowerMode":true,"battery":"0%","charging":false,"network":"cellular","#
        + #""memory":"4294967296B","thermal":"serious""#
    ),
    (EngineInput(.post) { $0.name = "batteryLevel" }, #""do":"post","name":"batteryLevel""#),
    (
      EngineInput(.post) { ($0.name, $0.value) = ("a \"b\"", "7") },
      #""do":"post","name":"a \"b\"","value":"7""#
    ),
    (
      EngineInput(.setFootprint) { $0.footprint = 125_829_120 },
      #""do":"setFootprint","footprint":"125829120B""#
    ),
    (EngineInput(.lockFile), #""do":"lockFile""#),
    (EngineInput(.unlockFile), #""do":"unlockFile""#),
    (
      EngineInput(.useCPU) { ($0.share, $0.length) = (90, .seconds(50)) },
      #""do":"useCPU","share":"90%","for":"50s""#
    ),
    (
      EngineInput(.useCPU) { ($0.share, $0.length) = (10_000, .zero) },
      #""do":"useCPU","share":"10000%","for":"0s""#
    ),
    (
      EngineInput(.setMinimumFetchInterval) { $0.interval = .seconds(1_800) },
      #""do":"setMinimumFetchInterval","interval":"30m""#
    ),
    (
      EngineInput(.setMinimumFetchInterval) { $0.interval = .some(nil) },
      #""do":"setMinimumFetchInterval","interval":"never""#
    ),
    (
      EngineInput(.setKeepAlive) { $0.interval = .seconds(600) },
      #""do":"setKeepAlive","interval":"10m""#
    ),
    (
      EngineInput(.setKeepAlive) { $0.interval = .some(nil) },
      #""do":"setKeepAlive","interval":"never""#
    ),
    (
      EngineInput(.submitTask) { ($0.name, $0.kind) = ("com.x.refresh", .appRefresh) },
      #""do":"submitTask","identifier":"com.x.refresh","kind":"appRefresh""#
    ),
    (
      EngineInput(.submitTask) {
        ($0.name, $0.kind, $0.earliest, $0.requiresNetwork, $0.requiresPower) = (
          "c", .processing, .seconds(90), true, true
        )
      },
      #""do":"submitTask","identifier":"c","kind":"processing","earliest":"90s","requiresNetwork":true,"requiresPower":true"#
    ),
    (EngineInput(.cancelTask) { $0.name = "c" }, #""do":"cancelTask","identifier":"c""#),
    (
      EngineInput(.scheduleNotification) { ($0.name, $0.length) = ("tea", .seconds(600)) },
      #""do":"scheduleNotification","in":"10m","id":"tea""#
    ),
    (
      EngineInput(.cancelNotification) { $0.name = "tea" }, #""do":"cancelNotification","id":"tea""#
    ),
    (
      EngineInput(.completeWake) { ($0.kind, $0.result) = (.fetch, .failed) },
      #""do":"completeWake","kind":"fetch","result":"failed""#
    ),
    (
      EngineInput(.completeWake) { ($0.name, $0.wake) = ("mail.refresh", WakeID(rawValue: 2)) },
      #""do":"completeWake","identifier":"mail.refresh","wake":2"#
    ),
  ]

  @Test(arguments: events.indices) func `an event is written in one way, and read back`(
    _ index: Int
  ) throws {
    let (deed, text) = Self.events[index]
    let line = TraceLine(time: Instant(nanoseconds: 5), app: "a", .event(deed))
    let expected = #"{"t":5,"app":"a","type":"event",\#(text)}"#
    #expect(line.json() == expected)
    #expect(try decode(expected).lines == [line])
  }

  static let lines: [(body: TraceLine.Body, text: String)] = [
    (
      .terminated(
        RecordedProcessEnd(
          reason: .backgroundTaskAssertionTimeout, code: nil, tasks: ["a"],
          late: .milliseconds(36_600))),
      #""type":"terminated","reason":"backgroundTaskAssertionTimeout","tasks":["a"],"late":36600000000"#
    ),
    (
      .decision(
        .remoteNotification, denied: [.lowPowerMode, .budget], next: Instant(nanoseconds: 3_600)),
      #""type":"decision","kind":"remoteNotification","allowed":false,"reasons":["lowPowerMode","budget"],"next":3600"#
    ),
    (
      .decision(.fetch, wake: WakeID(rawValue: 3), denied: [], next: nil),
      #""type":"decision","kind":"fetch","wake":3,"allowed":true,"reasons":[]"#
    ),
    (
      .notification(name: "batteryLevel", value: "7"),
      #""type":"notification","name":"batteryLevel","value":"7""#
    ),
    (.notification(name: "clock", value: nil), #""type":"notification","name":"clock""#),
    (.localNotification(id: "tea", .shown), #""type":"notification","id":"tea","event":"shown""#),
    (
      .localNotification(id: "tea", .delivered),
      #""type":"notification","id":"tea","event":"delivered""#
    ),
    (
      .request(identifier: "c", .appRefresh, .submitted),
      #""type":"request","identifier":"c","kind":"appRefresh","event":"submit""#
    ),
    (
      .request(identifier: "c", .appRefresh, .replaced),
      #""type":"request","identifier":"c","kind":"appRefresh","event":"replace""#
    ),
    (
      .request(identifier: "c", .processing, .started),
      #""type":"request","identifier":"c","kind":"processing","event":"start""#
    ),
    (
      .request(identifier: "c", .processing, .cancelled),
      #""type":"request","identifier":"c","kind":"processing","event":"cancel""#
    ),
    (
      .request(identifier: "c", .processing, .refused(.notPermitted)),
      #""type":"request","identifier":"c","kind":"processing","event":"refused","error":"notPermitted""#
    ),
    (
      .callback(.lifecycle(.didReceiveMemoryWarning)),
      #""type":"callback","name":"applicationDidReceiveMemoryWarning:""#
    ),
    (.diagnostic(.overCapacity, .none), #""type":"diagnostic","name":"overCapacity""#),
    (
      .diagnostic(.stillOpenAfterExpiration, .tasks(["upload", "b"], ages: [])),
      #""type":"diagnostic","name":"stillOpenAfterExpiration","tasks":["upload","b"]"#
    ),
  ]

  @Test(arguments: lines.indices) func `a line is written in one way, and read back`(_ index: Int)
    throws
  {
    let (body, text) = Self.lines[index]
    for app in ["a", nil] {
      let line = TraceLine(time: Instant(nanoseconds: 5), app: app, body)
      let expected = #"{"t":5,\#(app.map { #""app":"\#($0)","# } ?? "")\#(text)}"#
      #expect(line.json() == expected)
      #expect(try decode(expected).lines == [line])
    }
  }

  static let refusals: [(text: String, message: String)] = [
    (#""type":"event","do":"setRefresh""#, "the key 'status' is missing"),
    (#""type":"event","do":"setRefresh","status":"on""#, "'status' has the unknown value 'on'"),
    (#""type":"event","do":"setDevice""#, "'setDevice' names no fact"),
    (
      #""type":"event","do":"setDevice","battery":"101%""#,
      "'101%' is out of range; percentages are whole numbers from 0% to 100%"
    ),
    (#""type":"event","do":"setDevice","network":"4g""#, "'network' has the unknown value '4g'"),
    (
      #""type":"event","do":"setDevice","memory":"4""#,
      "'4' has no unit; sizes are whole numbers with a unit: 120MiB, 4GiB"
    ),
    (#""type":"event","do":"setDevice","thermal":"hot""#, "'thermal' has the unknown value 'hot'"),
    (#""type":"event","do":"post","value":"x""#, "the key 'name' is missing"),
    (#""type":"event","do":"setFootprint""#, "the key 'footprint' is missing"),
    (
      #""type":"event","do":"setFootprint","footprint":"-3B""#,
      "negative size '-3B'; sizes are whole numbers with a unit: 120MiB, 4GiB"
    ),
    (#""type":"event","do":"useCPU","share":"90%""#, "the key 'for' is missing"),
    (
      #""type":"event","do":"useCPU","share":"10001%","for":"1s""#,
      "'10001%' is out of range; shares of a core are whole percentages from 0% to 10000%"
    ),
    (#""type":"event","do":"setKeepAlive""#, "the key 'interval' is missing"),
    (
      #""type":"event","do":"setMinimumFetchInterval","interval":"always""#,
      "'always' is not a duration; durations are whole numbers with a unit: 30s, 250ms"
    ),
    (#""type":"event","do":"submitTask","kind":"appRefresh""#, "the key 'identifier' is missing"),
    (
      #""type":"event","do":"submitTask","identifier":"c","kind":"a b""#,
      "'kind' has the unknown value 'a b'"
    ),
    (
      #""type":"event","do":"submitTask","identifier":"c","kind":"appRefresh","earliest":"3""#,
      "'3' has no unit; durations are whole numbers with a unit: 30s, 250ms"
    ),
    (#""type":"event","do":"cancelTask""#, "the key 'identifier' is missing"),
    (#""type":"event","do":"scheduleNotification","id":"tea""#, "the key 'in' is missing"),
    (#""type":"event","do":"scheduleNotification","in":"3s""#, "the key 'id' is missing"),
    (#""type":"event","do":"cancelNotification""#, "the key 'id' is missing"),
    (#""type":"event","do":"purge""#, "'do' has the unknown value 'purge'"),
    (
      #""type":"decision","kind":"fetch","allowed":true,"reasons":[],"next":5"#,
      "an allowed admission has no 'next'"
    ),
    (#""type":"notification""#, "the key 'name' is missing"),
    (#""type":"notification","id":"tea""#, "the key 'event' is missing"),
    (#""type":"notification","id":"tea","event":"seen""#, "'event' has the unknown value 'seen'"),
    (
      #""type":"notification","id":"tea","name":"x","event":"shown""#,
      "a notification has a 'name' or an 'id', not both"
    ),
    (
      #""type":"request","identifier":"c","kind":"appRefresh","event":"begin""#,
      "'event' has the unknown value 'begin'"
    ),
    (
      #""type":"request","identifier":"c","kind":"appRefresh","event":"refused""#,
      "the key 'error' is missing"
    ),
    (
      #""type":"request","identifier":"c","kind":"appRefresh","event":"refused","error":"no""#,
      "'error' has the unknown value 'no'"
    ),
    (
      #""type":"request","identifier":"c","kind":"appRefresh","event":"start","error":"notPermitted""#,
      "only a request that is refused has an 'error'"
    ),
    (#""type":"request","kind":"appRefresh","event":"submit""#, "the key 'identifier' is missing"),
  ]

  @Test func `an end's words say that the host was too late to warn`() {
    let end = RecordedProcessEnd(
      reason: .backgroundTaskAssertionTimeout, code: nil, tasks: ["a"],
      late: .nanoseconds(36_601_234_567))
    let words = TraceLine(time: .zero, app: "a", .terminated(end)).words(.uikit).text
    #expect(
      words
        == "terminated: backgroundTaskAssertionTimeout, left open: 'a', the host came 36.6s too late to warn"
    )
  }

  @Test(arguments: refusals.indices) func `a malformed line is refused with its reason`(
    _ index: Int
  ) {
    let (text, message) = Self.refusals[index]
    #expect(refusal(#"{"t":5,"app":"a",\#(text)}"#) == "error: \(message)")
  }

  @Test func `values of another type than the key's are refused`() {
    for text in [
      #""do":"setDevice","battery":40"#, #""do":"setDevice","charging":"true""#,
      #""do":"post","name":"x","value":7"#,
    ] {
      #expect(
        refusal(#"{"t":5,"type":"event",\#(text)}"#)?.hasPrefix("error: not a trace line") == true
      )
    }
  }

  // MARK: The header

  @Test func `several errors in a header give the same message each time`() {
    let start = #"{"curfew":"trace/2","name":"x","policy":"p","policyDigest":"0""#
    // Read repeatedly, because a dictionary's order may change within a process too.
    for _ in 0..<20 {
      let twice = #","apps":["e","d","c","b","a","b","c","d"]}"#
      #expect(refusal(header: start + twice) == "error: the app 'b' occurs twice in 'apps'")
      let wrong = (0..<9).reversed().map { #""a\#($0)":{"footprint":"\#($0)"}"# }.joined(
        separator: ",")
      let message = "error: '0' has no unit; sizes are whole numbers with a unit: 120MiB, 4GiB"
      #expect(refusal(header: "\(start),\"manifests\":{\(wrong)}}") == message)
      let strange = (0..<9).reversed().map { #""a\#($0)":{}"# }.joined(separator: ",")
      let strangers = #"\#(start),"apps":["a0","a1"],"manifests":{\#(strange)}}"#
      #expect(refusal(header: strangers) == "error: the app 'a2' of 'manifests' is not in 'apps'")
    }
  }

  @Test func `a header has the differences of the device and the apps from the defaults`() throws {
    var header = TraceHeader(
      name: "x", policy: "ios13", policyDigest: "0123456789abcdef", seed: 0, apps: ["b", "a", "c"],
      device: DeviceChange(
        differencesOf: DeviceFacts(backgroundRefresh: .denied, battery: 9, memory: 1 << 30)))
    header.manifests = [
      "a": AppManifest(
        backgroundModes: [.processing, .fetch], exitsOnSuspend: true,
        backgroundRefresh: .restricted,
        permittedIdentifiers: ["com.x.b", "com.x.a"], footprint: 5, memoryLimit: 6,
        startCost: .milliseconds(7)),
      "b": AppManifest(permittedIdentifiers: ["\"q\""]),
    ]
    let expected =
      String(Self.plain.dropLast())
      + #","apps":["b","a","c"],"device":{"backgroundRefresh":false,"battery":"9%","memory":"1073741824B"},"#
      + #""manifests":{"b":{"permittedIdentifiers":["\"q\""]},"a":{"backgroundModes":["fetch","processing"],"exitsOnSuspend":true,"#
      + #""backgroundRefresh":"restricted","permittedIdentifiers":["com.x.b","com.x.a"],"footprint":"5B","memoryLimit":"6B","startCost":"7ms"}}}"#
    #expect(header.json == expected)
    #expect(try decode(header: expected).header == header)
  }

  @Test func `a header omits a plain device and plain apps`() throws {
    let header = TraceHeader(
      name: "x", policy: "ios13", policyDigest: "0123456789abcdef", seed: 0, apps: ["a"],
      manifests: ["a": AppManifest()])
    #expect(header.json == Self.plain)
    let read = try decode(header: Self.plain).header
    #expect(read.device.isEmpty && read.manifests.isEmpty && read.apps.isEmpty)
  }

  @Test func `the manifest of the only app names it`() throws {
    let text = String(Self.plain.dropLast()) + #","manifests":{"a":{"exitsOnSuspend":true}}}"#
    let header = try decode(header: text).header
    #expect(header.apps == ["a"])
    #expect(header.json == text)
  }

  @Test func `a header that contradicts itself is refused`() {
    let start = String(Self.plain.dropLast())
    #expect(
      refusal(header: start + #","apps":["a","b","a"]}"#)
        == "error: the app 'a' occurs twice in 'apps'")
    #expect(
      refusal(header: start + #","apps":["a","b"],"manifests":{"c":{},"d":{}}}"#)
        == "error: the app 'c' of 'manifests' is not in 'apps'")
    #expect(
      refusal(header: start + #","manifests":{"c":{},"d":{}}}"#)
        == "error: the app 'c' of 'manifests' is not in 'apps'")
    #expect(
      refusal(header: start + #","device":{"network":"4g"}}"#)
        == "error: 'network' has the unknown value '4g'")
    // A mode that is not standard may be a policy's own.
    #expect(refusal(header: start + #","manifests":{"a":{"backgroundModes":["fetsch"]}}}"#) == nil)
    #expect(
      refusal(header: start + #","manifests":{"a":{"backgroundRefresh":"off"}}}"#)
        == "error: 'backgroundRefresh' has the unknown value 'off'")
    #expect(
      refusal(header: start + #","manifests":{"a":{"footprint":"5"}}}"#)
        == "error: '5' has no unit; sizes are whole numbers with a unit: 120MiB, 4GiB")
    #expect(
      refusal(header: #"{"t":0,"type":"event","do":"lock"}"#)?.hasPrefix(
        "error: a trace begins with a header") == true)
  }
}
