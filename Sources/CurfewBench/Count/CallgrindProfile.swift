package import CurfewText

/// The instructions of a program's functions, as callgrind counted them.
package struct CallgrindProfile: Hashable, Sendable {
  /// All counted instructions.
  package var total: Int64 = 0
  /// The instructions of each function itself, without the functions that it calls.
  package var functions: [String: Int64] = [:]

  /// The own instructions of the C library's functions that allocate memory, at least 15 a call.
  package var allocation: Int64 {
    ["malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc"].reduce(0) {
      $0 + functions[$1, default: 0]
    }
  }

  /// Reads an output file of callgrind.
  ///
  /// The format is in the manual of Valgrind, "Callgrind Format Specification". Names may be
  /// compressed: `fn=(3) insert` defines number 3, and `fn=(3)` repeats it. The line after `calls=`
  /// has the cost of the called function, which is counted there.
  /// - Throws: The first line that is not in the format; a file without a total, because callgrind
  ///   was stopped; functions whose costs do not add up to the total.
  package init(_ text: String, name: String) throws(FileErrors) {
    var reader = CallgrindReader()
    var number = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      number += 1
      do { try reader.take(line) } catch {
        let place = SourcePlace(file: name, line: number, column: 1)
        throw FileErrors([FileDiagnostic(at: place, error.message)])
      }
    }
    func refusal(_ message: String) -> FileErrors {
      FileErrors([FileDiagnostic(file: name, message)])
    }
    guard let total = reader.total else {
      throw refusal("the file has no 'totals' line: callgrind was stopped before its end")
    }
    let sum = reader.functions.values.reduce(0, &+)
    guard sum == total else {
      throw refusal("the functions have \(sum) instructions, but the total is \(total)")
    }
    (self.total, functions) = (total, reader.functions)
  }
}

/// Reads callgrind's output line by line.
private struct CallgrindReader {
  private(set) var total: Int64?
  private(set) var functions: [String: Int64] = [:]
  /// The names of functions by their numbers. Files and objects have numbers of their own.
  private var names: [Substring: String] = [:]
  private var function: String?
  private var positions = 1
  private var isCallCost = false

  mutating func take(_ line: Substring) throws(Refusal) {
    guard let first = line.first, first != "#" else { return }
    if first.isNumber || "+-*".contains(first) { return try takeCost(line) }
    guard let end = line.firstIndex(where: { $0 == "=" || $0 == ":" }) else {
      throw Refusal("expected a cost or a key, found '\(line.prefix(40))'")
    }
    let (key, value) = (line[..<end], line[line.index(after: end)...])
    switch (line[end], key) {
    case ("=", "fn"): function = try name(value)
    case ("=", "cfn"): _ = try name(value)
    case ("=", "calls"), ("=", "jump"), ("=", "jcnd"): isCallCost = true
    case (":", "positions"): positions = words(value).count
    case (":", "events"):
      guard words(value).first == "Ir" else {
        throw Refusal("expected the event 'Ir' first, found '\(value)'")
      }
    case (":", "totals"):
      guard let number = words(value).first.flatMap({ Int64($0) }) else {
        throw Refusal("expected a number of instructions, found '\(value)'")
      }
      total = number
    default: break
    }
  }

  /// Takes `+3 120`: a position, relative to the last one or not, and its costs. Costs that are
  /// absent are zero.
  private mutating func takeCost(_ line: Substring) throws(Refusal) {
    if isCallCost {
      isCallCost = false
      return
    }
    let parts = words(line)
    guard parts.count > positions else { return }
    guard let cost = Int64(parts[positions]) else {
      throw Refusal("expected a number of instructions, found '\(parts[positions])'")
    }
    guard let function else { throw Refusal("a cost before the first function") }
    functions[function, default: 0] += cost
  }

  private mutating func name(_ value: Substring) throws(Refusal) -> String {
    guard value.first == "(", let end = value.firstIndex(of: ")") else { return String(value) }
    let number = value[...end]
    let text = value[value.index(after: end)...].drop { $0 == " " }
    if !text.isEmpty { names[number] = String(text) }
    guard let name = names[number] else { throw Refusal("the name \(number) is not defined") }
    return name
  }

  private func words(_ text: Substring) -> [Substring] { text.split(separator: " ") }
}
