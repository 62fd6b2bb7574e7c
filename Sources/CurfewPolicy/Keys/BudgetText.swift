package import CurfewEngine
import CurfewText

extension Policy {
  /// Returns the denials for these reasons, with the texts of the full budgets of `kind`.
  package func denials(_ reasons: DenialReasons, of kind: AssertionKind) -> Denials {
    guard reasons.contains(.budget) else { return names.denials(reasons) }
    let budgets = wakes[kind]?.budgets ?? sessions[kind]?.budgets ?? []
    return names.denials(
      reasons, budgets: reasons.fullBudgets.map { BudgetText.write(budgets[$0], names) })
  }
}

/// The text form of budgets in policies: `10m in 2h`,
/// `20 admissions in 1m`, `8 sessions in 8h for frequent`.
enum BudgetText {
  static let phrase = Phrase(
    "a budget",
    examples: ["10m in 2h", "3 admissions in 1h", "1 session in 30m", "0 admissions in 1s"],
    pattern:
      "(\(JSONSchema.duration)|[0-9]+ (admissions?|sessions?)) in \(JSONSchema.duration)( for \(NameText.bare))?"
  ) { text throws(Refusal) in
    let parts = try parts(of: text)
    return write(amount: parts.amount, parts.window, of: parts.group)
  }

  /// The amount in the text of a budget; nil if the text is not a budget.
  static func amount(in text: String) -> Budget.Amount? { try? parts(of: text).amount }

  /// The group that a budget is for; nil for every app.
  static func group(in text: String) -> String? { try? parts(of: text).group }

  /// - Throws: The error in the text, or in the group that it names.
  static func read(_ text: String, _ names: PolicyNames) throws(Refusal) -> Budget {
    let parts = try parts(of: text)
    guard let name = parts.group else { return Budget(parts.amount, in: parts.window) }
    guard let group = names.group(name) else {
      throw Refusal("unknown group '\(name)'", unknownWord: name)
    }
    return Budget(parts.amount, in: parts.window, of: group)
  }

  static func write(_ budget: Budget, _ names: PolicyNames) -> String {
    write(amount: budget.amount, budget.window, of: budget.group.map(names.name(of:)))
  }

  private static func write(amount: Budget.Amount, _ window: Interval, of group: String?) -> String
  {
    let amount =
      switch amount {
      case .admissions(let count): "\(count) \(count == 1 ? "admission" : "admissions")"
      case .sessions(let count): "\(count) \(count == 1 ? "session" : "sessions")"
      case .runTime(let time): DurationText.write(time)
      }
    return "\(amount) in \(DurationText.write(window))\(group.map { " for \($0)" } ?? "")"
  }

  private static func parts(of text: String) throws(Refusal) -> (
    amount: Budget.Amount, window: Interval, group: String?
  ) {
    let words = text.split(separator: " ").map(String.init)
    guard let middle = words.firstIndex(of: "in"), middle > 0 else {
      throw Refusal(
        "'\(text)' is not a budget; write how much 'in' how long, such as '10m in 2h' or '3 admissions in 1h'"
      )
    }
    let end = words[middle...].firstIndex(of: "for") ?? words.endIndex
    let window = try length(words[(middle + 1)..<end], of: "window", in: text)
    var group: String?
    if end < words.endIndex {
      guard words.count == end + 2, NameText.isSound(words[end + 1]) else {
        throw Refusal("'\(text)' does not say for which group; write its name after 'for'")
      }
      group = words[end + 1]
    }
    return (try amount(words[..<middle], in: text), window, group)
  }

  private static func amount(_ words: ArraySlice<String>, in text: String) throws(Refusal)
    -> Budget.Amount
  {
    if words.count == 1, let count = words.first, count.allSatisfy(\.isNumber) {
      throw Refusal(
        "'\(text)' does not say what it counts; write '\(count) admissions in …', '\(count) sessions in …', or a length of time"
      )
    }
    guard words.count == 2, let count = words.first, let what = words.last,
      what.first?.isLetter == true
    else {
      return .runTime(try length(words, of: "run time", in: text))
    }
    let number = UInt32(try WholeNumberText.read(count, in: 0...greatestCount))
    switch what {
    case "admission", "admissions": return .admissions(number)
    case "session", "sessions": return .sessions(number)
    default:
      throw Refusal(
        "'\(text)' counts '\(what)'; a budget counts admissions, sessions, or a length of time")
    }
  }

  /// The limit of a count: the engine keeps each admission of an app that a budget counts.
  private static let greatestCount: Int64 = 10_000

  private static func length(_ words: ArraySlice<String>, of what: String, in text: String)
    throws(Refusal) -> Interval
  {
    let length = try DurationText.read(words.joined(separator: " "))
    guard length > .zero else { throw Refusal("'\(text)' has a \(what) of 0s; it must be longer") }
    return length
  }
}
