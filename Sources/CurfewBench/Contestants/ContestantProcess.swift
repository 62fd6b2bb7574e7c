internal import CurfewSystem
internal import CurfewText

/// A contestant that runs and speaks the protocol `bench/1`. Each question checks the form
/// of its answer.
package final class ContestantProcess {
  /// The reason why the conversation ended.
  package enum Problem: Error, Hashable {
    /// It crashed, was silent, or wrote something that is no answer: one sentence.
    case failed(String)
    /// It answered the same question twice.
    case wrong(String)
    case cannot(String)
    /// It was not ready for its segment three times.
    case tooSlow(String)
    /// Other processes took too much time in all attempts.
    case disturbed(String)
    case interrupted
  }

  /// The answer to the first line.
  package struct Ready: Hashable {
    package var version: String?
    package var rounding: String?
  }

  /// The instants of a segment, or how late the contestant was ready for it.
  package enum SegmentAnswer: Hashable {
    case measured(began: Int64, ended: Int64)
    case late
  }

  private let child: ChildProcess
  private let log: String
  /// The seconds that a contestant may be silent.
  private let patience: Double
  /// The last line that was written to it.
  private var asked = ""
  /// The questions that were answered: `segment 1`.
  private var answered: Set<String> = []

  /// The seconds that a contestant may be silent, unless a test says otherwise.
  package static let usualPatience = 120.0
  /// The seconds in which a contestant has to exit after `{"end":true}`.
  private static let exitPatience = 20.0

  /// Starts a contestant.
  package init(_ workshop: Workshop, patience: Double = usualPatience) throws(Problem) {
    log = "\(workshop.products)/errors.log"
    self.patience = patience
    do {
      child = try ChildProcess(
        shell: workshop.command, in: workshop.file.folder,
        environment: workshop.environment, errors: log)
    } catch { throw .failed("it could not be started: \(error)") }
  }

  /// The resources that the contestant's processes have used.
  var use: ProcessTable.GroupUse { ProcessTable.use(ofGroup: child.identifier) }

  var group: Int32 { child.identifier }

  // MARK: Questions

  package func begin(_ workload: String, plan path: String) throws(Problem) -> Ready {
    var line = JSONLine()
    line.add("bench", "bench/1")
    line.add("workload", workload)
    line.add("plan", path)
    let answer = try ask(line.closed)
    if let reason = answer["cannot"]?.text { throw .cannot(reason) }
    guard answer["ready"] == .flag(true) else {
      throw failure("it answered \(ContestantProcess.quoted(answer)) instead of ready or cannot")
    }
    return Ready(version: answer["version"]?.text, rounding: answer["rounding"]?.text)
  }

  /// Asks for a segment; `start` is the instant from which deadlines count. `meanwhile` runs while
  /// the contestant does.
  package func segment(
    _ number: Int, start: Int64?, meanwhile: (ContestantProcess) -> Void = { _ in }
  ) throws(Problem) -> SegmentAnswer {
    var line = JSONLine()
    line.add("segment", number)
    line.add("start", start)
    let answer = try ask(line.closed) { meanwhile(self) }
    try check(answer, "segment", number)
    if let late = answer["late"], late != .flag(false) { return .late }
    func instant(_ key: String) throws(Problem) -> Int64 {
      if let number = answer[key]?.number { return number }
      throw failure(answer.complaint(about: key, expected: "a whole number"))
    }
    let (began, ended) = (try instant("began"), try instant("ended"))
    guard began <= ended else { throw failure("it ended at \(ended), before it began at \(began)") }
    answered.insert("segment \(number)")
    return .measured(began: began, ended: ended)
  }

  package func answer(_ number: Int) throws(Problem) -> JSONValue {
    var line = JSONLine()
    line.add("answer", number)
    let answer = try ask(line.closed)
    try check(answer, "answer", number)
    answered.insert("answer \(number)")
    return answer
  }

  /// A segment that is asked for again may be answered again.
  package func repeats(_ number: Int) {
    answered.remove("segment \(number)")
    answered.remove("answer \(number)")
  }

  /// Tells it to end, and checks that it says nothing more and exits with 0.
  package func end() throws(Problem) {
    asked = "{\"end\":true}"
    _ = child.say(asked)
    child.closeInput()
    switch child.hear(within: ContestantProcess.exitPatience) {
    case .line(let line),
      .end(rest: let line) where !line.isEmpty:
      guard let value = JSONValue(line) else { throw failure("it wrote a line that is no JSON") }
      try checkRepetition(value)
      throw failure("it answered, but only an exit is expected")
    case .end: break
    case .overlong: throw failure("it wrote a line without an end")
    case .silence: throw failure("it did not exit within 20 s")
    case .interrupted: throw .interrupted
    }
    guard let ending = child.ending(within: ContestantProcess.exitPatience) else {
      throw Interrupt().isRequested ? .interrupted : failure("it did not exit within 20 s")
    }
    guard ending == .exited(0) else { throw failure("it \(ending)") }
  }

  // MARK: Answers

  private func ask(_ line: String, meanwhile: () -> Void = {}) throws(Problem) -> JSONValue {
    asked = line
    let isHeard = child.say(line)
    meanwhile()
    switch child.hear(within: patience) {
    case .line(let line):
      if let value = JSONValue(line), case .object = value { return value }
      let text = String(decoding: line.prefix(80), as: UTF8.self).escapingControls
      throw failure("it answered '\(text)', which is no JSON object")
    case .end(let rest):
      guard let ending = child.ending(within: ContestantProcess.exitPatience) else {
        throw failure(isHeard ? "it closed its output" : "it reads and writes nothing")
      }
      let cut = rest.isEmpty ? "" : ", in the middle of a line"
      throw failure("it \(ending) before the end\(cut)")
    case .overlong: throw failure("it wrote a line without an end")
    case .silence: throw failure("it was silent for \(HumanNumber.decimal(patience, places: 1)) s")
    case .interrupted: throw .interrupted
    }
  }

  private func check(_ answer: JSONValue, _ key: String, _ number: Int) throws(Problem) {
    if answer[key]?.number == Int64(number) { return }
    try checkRepetition(answer)
    throw failure("it answered \(ContestantProcess.quoted(answer)) instead of \(key) \(number)")
  }

  private func checkRepetition(_ answer: JSONValue) throws(Problem) {
    for key in ["segment", "answer"] {
      guard let number = answer[key]?.number, answered.contains("\(key) \(number)") else {
        continue
      }
      throw .wrong("segment \(number) was answered twice")
    }
  }

  private static func quoted(_ answer: JSONValue) -> String {
    for key in ["segment", "answer"] {
      if let number = answer[key]?.number { return "\(key) \(number)" }
    }
    guard case .object(let members) = answer, !members.isEmpty else { return "nothing" }
    return "an object with \(members.keys.sorted().prefix(5).joined(separator: ", "))"
  }

  /// A failure, with the line that was asked last.
  package func failure(_ text: String) -> Problem {
    .failed("\(text); asked was \(asked)\(Workshop.tail(of: log))")
  }
}
