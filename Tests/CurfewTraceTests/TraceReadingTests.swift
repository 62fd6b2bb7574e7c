import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace
import Foundation
import TestRuns
import TestSupport
import Testing

/// A trace's lines have a fast reader for the usual form and a strict one for all other forms. Both
/// must agree.
@Suite(.inTurn) struct TraceReadingTests {
  private static let header =
    #"{"curfew":"trace/2","name":"x","policy":"ios13","policyDigest":"0","seed":0,"apps":["a","b"]}"#

  private func read(_ lines: String..., end: String = "") throws(FileErrors) -> [TraceLine] {
    let text = ([Self.header] + lines).joined(separator: "\n") + end
    return try Trace.decode(SourceFile(name: "t", bytes: Array(text.utf8))).lines
  }

  private func refusals(_ lines: String..., header: String = header, end: String = "") -> [String] {
    errors { () throws(FileErrors) in
      let text = ([header] + lines).joined(separator: "\n") + end
      _ = try Trace.decode(SourceFile(name: "t", bytes: Array(text.utf8)))
    }
  }

  @Test func `a line is read alike however its JSON is written`() throws {
    let plain =
      #"{"t":7,"app":"a","type":"decision","kind":"fetch","allowed":false,"reasons":["budget","interval"],"next":90}"#
    let expected = TraceLine(
      time: Instant(nanoseconds: 7), app: "a",
      .decision(.fetch, denied: [.budget, .interval], next: Instant(nanoseconds: 90)))
    let others = [
      "  { \"t\" : 7 ,\t\"app\" : \"a\", \"type\":\"decision\",\"kind\":\"fetch\",\"allowed\" : false , \"reasons\" : [ \"budget\" , \"interval\" ] , \"next\" : 90 }  ",
      #"{"type":"decision","reasons":["budget","interval"],"allowed":false,"next":90,"kind":"fetch","app":"a","t":7}"#,
      #"{"t":7,"app":"\u0061","type":"decision","kind":"fetch","allowed":false,"reasons":["budget","interval"],"next":90}"#,
      plain.dropLast()
        + #","color":"red","depth":{"x":[1,2.5,null]},"size":-3,"tags":[],"flag":true}"#,
      plain.dropLast() + #","value":null}"#,
    ]
    #expect(try read(plain) == [expected])
    for other in others { #expect(try read(String(other)) == [expected], "\(other)") }
    #expect(try read(plain, plain, end: "\r\n\n").count == 2)
  }

  @Test func `texts and numbers come back as they were`() throws {
    for name in ["", "über ☃ 𝄞", "a \"b\" \\ \n\t", String(repeating: "long ", count: 400)] {
      for id in [UInt32.min, 1, .max] {
        let line = TraceLine(
          time: Instant(nanoseconds: .max), app: "b",
          .task(.begin, TaskID(rawValue: id), name: name))
        #expect(try read(line.json()) == [line])
      }
    }
    let probe = #"{"t":0,"app":"a","type":"probe","state":"background","backgroundTimeRemaining":"#
    for number in [Int64.min + 1, -1, 0, 1, .max] {
      #expect(
        try read("\(probe)\(number)}").first?.body
          == .probe(.background, remaining: Interval(nanoseconds: number)))
    }
    #expect(
      refusals("\(probe)9223372036854775808}").first?.hasPrefix("t:2:1: error: not a trace line")
        == true)
    #expect(refusals("\(probe)01}").first?.hasPrefix("t:2:1: error: not a trace line") == true)
  }

  @Test func `the first of two equal keys counts`() throws {
    let line =
      #"{"t":5,"app":"a","type":"task","event":"begin","t":6,"task":1,"app":"b","name":"x","name":"y","event":"end"}"#
    let expected = TraceLine(
      time: Instant(nanoseconds: 5), app: "a", .task(.begin, TaskID(rawValue: 1), name: "x"))
    #expect(try read(line) == [expected])
  }

  /// The reader recognizes a text by its bytes: the first three have the same hash.
  @Test func `texts stay distinct, however many there are`() throws {
    let names = ["Aa", "BB", "C#", "", "A", "é", "e\u{301}"] + (0..<300).map { "task \($0)" }
    let lines = names.enumerated().map { number, name in
      TraceLine(time: .zero, app: "a", .task(.begin, TaskID(rawValue: UInt32(number)), name: name))
    }
    let text = ([Self.header] + (lines + lines).map { $0.json() }).joined(separator: "\n")
    let read = try Trace.decode(SourceFile(name: "t", bytes: Array(text.utf8))).lines
    #expect(
      read.map { $0.json().utf8.map(\.self) } == (lines + lines).map { $0.json().utf8.map(\.self) })
  }

  static let refused: [(line: String, message: String)] = [
    (#"{"t":5,"app":"a","type":"event","do":"launch","t":6}x"#, "not a trace line: "),
    (#"{"t":5,"app":"a","type":"event","do":"launch"}}"#, "not a trace line: "),
    (#"{"t":5,"app":"a","type":"event" "do":"launch"}"#, "not a trace line: "),
    (#"{"t":5,"app":7,"type":"event","do":"launch"}"#, "not a trace line: "),
    (#"{"t":"5","app":"a","type":"event","do":"launch"}"#, "not a trace line: "),
    (#"{"t":5.5,"app":"a","type":"event","do":"launch"}"#, "not a trace line: "),
    (
      #"{"t":5,"app":"a","type":"task","event":"end","task":-1,"name":"x"}"#, "not a trace line: "
    ),
    (#"[{"t":5,"app":"a","type":"event","do":"launch"}]"#, "not a trace line: "),
    (
      #"{"t":-1,"app":"a","type":"event","do":"launch"}"#,
      "'t' counts nanoseconds from the start, found -1"
    ),
    (
      #"{"t":5,"app":"c","type":"event","do":"launch"}"#,
      "the app 'c' is not one of the header's 'apps'"
    ),
    (
      #"{"t":5,"app":"a","type":"event","do":"begin","callback":"fetch"}"#,
      "only a trace whose header has a 'clock' may have a 'begin'"
    ),
    (#"{"t":5,"app":"a","type":"jump"}"#, "'type' has the unknown value 'jump'"),
    (
      #"{"t":5,"type":"gap","dropped":12}"#,
      "a 'gap' stands for lines that a slow reader did not receive; no trace has one"
    ),
    (#"{"t":3,"app":"a","type":"event","do":"launch"}"#, "time goes backwards, from 4 to 3"),
    ("", "line 3 is empty; every line of a trace is an object"),
    ("null", "not a trace line: null"),
  ]

  @Test(arguments: refused.indices) func `a line that no trace has is refused, with its place`(
    _ index: Int
  ) {
    let (line, message) = Self.refused[index]
    let good = #"{"t":4,"app":"a","type":"event","do":"launch"}"#
    let found = refusals(good, line, good)
    // An empty line is reported at the next line that is not empty.
    #expect(
      found.first?.hasPrefix("t:\(line.isEmpty ? 4 : 3):1: error: \(message)") == true, "\(found)")
    #expect(found.count == 1)
  }

  @Test func `a gap is written as in the format, and no replay passes it`() throws {
    let gap = TraceLine(time: Instant(nanoseconds: 7), app: nil, .gap(dropped: 12))
    #expect(gap.json() == #"{"t":7,"type":"gap","dropped":12}"#)
    for clock in ["", #","clock":"monotonic""#] {
      let header =
        #"{"curfew":"trace/2","name":"x","policy":"ios13","policyDigest":"0","seed":0"# + clock
        + "}"
      var trace = try Trace.decode(
        SourceFile(
          name: "t", bytes: Array((header + "\n" + #"{"t":7,"type":"event","do":"lock"}"#).utf8)))
      let policy = try PolicyFile.load("ios13").policy
      #expect(Replay.run(trace, policy: policy) == nil)
      trace.lines.append(gap)
      let divergence = try #require(Replay.run(trace, policy: policy))
      #expect(divergence.line == 3 && divergence.expected == gap.json() && divergence.found == nil)
    }
  }

  @Test func `a last line that is cut off is reported as such, wherever it ends`() {
    let whole =
      #"{"t":4,"app":"a","type":"decision","kind":"fetch","allowed":true,"reasons":["budget"]}"#
    for length in 1..<whole.utf8.count {
      let found = refusals(#"{"t":4,"type":"event","do":"lock"}"#, String(whole.prefix(length)))
      #expect(
        found.first?.hasPrefix("t:3:1: error: the last line is cut off: {") == true, "\(found)")
    }
    #expect(
      refusals(whole.replacingOccurrences(of: "]}", with: "],"), whole).first?.hasPrefix(
        "t:2:1: error: not a trace line") == true)
  }

  @Test func `the first twenty invalid lines are reported`() {
    let found = refusals(Array(repeating: "?", count: 50).joined(separator: "\n"))
    #expect(found.count == 20 && found[19].hasPrefix("t:21:1: "))
  }

  @Test func `a line after the end is refused`() {
    let end = #"{"t":5,"type":"end"}"#
    #expect(refusals(end).isEmpty)
    #expect(refusals(end, end) == ["t:3:1: error: a line after the end"])
  }

  @Test
  func
    `a trace whose header names no app has those that its lines name, but one at most in real time`()
    throws
  {
    let header = #"{"curfew":"trace/2","name":"x","policy":"ios13","policyDigest":"0","seed":0}"#
    let (a, b) = (
      #"{"t":5,"app":"a","type":"event","do":"launch"}"#,
      #"{"t":5,"app":"b","type":"event","do":"launch"}"#
    )
    #expect(refusals(a, b, header: header).isEmpty)
    let real = header.dropLast() + #","clock":"boottime"}"#
    #expect(refusals(a, a, header: String(real)).isEmpty)
    #expect(
      refusals(a, b, header: String(real)) == [
        "t:3:1: error: the app 'b' is not one of the header's 'apps'"
      ])
    #expect(
      refusals(
        header: #"{"curfew":"trace/2","name":"x","policy":"p","policyDigest":"0","clock":""}"#
      ).count == 1)
  }

  @Test func `a device's facts that scenarios lack are read back`() throws {
    let line =
      #"{"t":5,"type":"event","do":"setDevice","backgroundRefresh":"restricted","memory":"policy"}"#
    let read = try #require(try read(line).first)
    #expect(read.json() == line)
    guard case .event(let deed) = read.body else { return }
    let change = try #require(deed.device)
    #expect(
      change.applied(to: DeviceFacts(memory: 5)) == DeviceFacts(backgroundRefresh: .restricted))
    #expect(
      refusals(line.replacingOccurrences(of: "restricted", with: "maybe")).first?.contains(
        "'maybe'") == true)
    let header =
      String(Self.header.dropLast())
      + #","device":{"backgroundRefresh":"restricted","battery":"9%"}}"#
    let facts = DeviceFacts(backgroundRefresh: .restricted, battery: 9)
    #expect(
      try Trace.decode(SourceFile(name: "t", bytes: Array(header.utf8))).header.device.applied(
        to: DeviceFacts()) == facts)
    #expect(DeviceChange(differencesOf: facts).applied(to: DeviceFacts()) == facts)
    #expect(DeviceChange(differencesOf: DeviceFacts()).isEmpty)
  }
}
