/// Finds the name that was probably meant.
package enum NearestName {
  /// Called for each name that is searched for, so that tests can count the searches. A search
  /// compares all names, and a file may have thousands of mistakes.
  @TaskLocal package static var onSearch: (@Sendable (String) -> Void)?

  /// The name in `names` that is closest to `name`; nil if more than a third of its letters differ.
  /// The first one wins among equals.
  ///
  /// - Complexity: O(letters of all names). For more than one search, use a `NameSearch`.
  package static func to(_ name: String, among names: [String]) -> String? {
    var search = NameSearch()
    return search.nearest(to: name, among: names)
  }

  /// `; did you mean 'x'?` if a name is near, else `; ` and the allowed names.
  package static func hint(for name: String, among names: [String], _ allowed: String) -> String {
    var search = NameSearch()
    return search.hint(for: name, among: names, allowed)
  }
}

extension NearestName {
  /// The number of letters to insert, drop, replace or swap with their neighbour to turn one name
  /// into the other, ignoring case; nil if it is over `most`.
  ///
  /// - Complexity: O(letters of one × letters of the other).
  package static func distance(from name: String, to other: String, atMost most: Int) -> Int? {
    guard abs(name.count - other.count) <= most else { return nil }
    return NameSearch.distance(name, other, atMost: most)
  }
}

/// Searches for the names that were probably meant. Each name is searched for once, and each list
/// is prepared once.
package struct NameSearch {
  /// The maximum length of a name. A comparison costs the product of both lengths, and real names
  /// are shorter.
  private static let longest = 64
  /// The maximum number of letters that one search compares, starting with the first names. With
  /// this limit, a hundred searches among many long, similar names take seconds.
  private static let mostLetters = 100_000

  /// A name's letters as numbers, so that a comparison compares two numbers.
  private typealias Letters = [UInt32]

  private struct Question: Hashable {
    var name: String
    var list: Int
  }

  private var numbers: [Character: UInt32] = [:]
  private var lists: [[String]: Int] = [:]
  /// The names of each list that are short enough, with letters for comparisons that ignore case.
  private var prepared: [[(name: String, letters: Letters)]] = []
  private var answers: [Question: String?] = [:]

  package init() {}

  /// The name in `names` that is closest to `name`; nil if more than a third of its letters differ.
  /// The first one wins among equals.
  package mutating func nearest(to name: String, among names: [String]) -> String? {
    let question = Question(name: name, list: list(names))
    if let answer = answers[question] { return answer }
    let answer = search(question)
    answers[question] = .some(answer)
    return answer
  }

  /// `; did you mean 'x'?` if one of `names` is near, else `; ` and the allowed names: `some`
  /// of them, or all.
  package mutating func hint(
    for name: String, among names: [String], _ allowed: String, telling some: [String]? = nil
  ) -> String {
    if let near = nearest(to: name, among: names) { return "; did you mean '\(near)'?" }
    let told = some ?? names
    return told.isEmpty ? "" : "; \(allowed): \(told.joined(separator: ", "))"
  }

  private mutating func search(_ question: Question) -> String? {
    NearestName.onSearch?(question.name)
    guard let wanted = letters(of: question.name) else { return nil }
    var best: (name: String, distance: Int)?
    var compared = 0
    for (name, letters) in prepared[question.list] where compared < NameSearch.mostLetters {
      let limit = max(1, max(wanted.count, letters.count) / 3)
      let most = min(limit, (best?.distance ?? .max) - 1)
      if most < 0 { break }
      // The difference in length is the least number of letters to insert or drop.
      guard abs(wanted.count - letters.count) <= most else { continue }
      compared += letters.count
      guard let distance = NameSearch.distance(wanted, letters, atMost: most) else { continue }
      best = (name, distance)
    }
    return best?.name
  }

  private mutating func list(_ names: [String]) -> Int {
    if let known = lists[names] { return known }
    let list = names.compactMap { name in letters(of: name).map { (name: name, letters: $0) } }
    prepared.append(list)
    lists[names] = prepared.count - 1
    return prepared.count - 1
  }

  /// Returns nil if there are too many letters.
  private mutating func letters(of name: String) -> Letters? {
    guard name.utf8.count <= 16 * NameSearch.longest, name.count <= NameSearch.longest else {
      return nil
    }
    return name.lowercased().map { letter in
      if let number = numbers[letter] { return number }
      let number = UInt32(numbers.count)
      numbers[letter] = number
      return number
    }
  }

  fileprivate static func distance(_ a: String, _ b: String, atMost most: Int) -> Int? {
    var search = NameSearch()
    guard let first = search.letters(of: a), let second = search.letters(of: b) else { return nil }
    return distance(first, second, atMost: most)
  }

  /// The number of letters to insert, drop, replace or swap with their neighbour to turn `a` into
  /// `b`; nil if it is over `most`.
  private static func distance(_ a: Letters, _ b: Letters, atMost most: Int) -> Int? {
    var last = Array(0...b.count)
    var (beforeLast, row) = (last, last)
    for i in a.indices {
      row[0] = i + 1
      var least = i + 1
      for j in b.indices {
        var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          cost = min(cost, beforeLast[j - 1] + 1)
        }
        row[j + 1] = cost
        least = min(least, cost)
      }
      // The distance can only grow from here.
      if least > most { return nil }
      (beforeLast, last, row) = (last, row, beforeLast)
    }
    return last[b.count] <= most ? last[b.count] : nil
  }
}
