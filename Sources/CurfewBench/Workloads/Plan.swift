@_spi(Seeds) internal import CurfewEngine
internal import CurfewText

/// A plan: the text that all contestants of a repetition read, and the right answers.
package struct Plan: Sendable {
  package let workload: String
  package let seed: UInt64
  package let size: Int
  package let shape: String?
  /// Identifies the whole file, the header included: the FNV-1a digest, in 64 bits, of its text
  /// without the digest's own key.
  package let digest: String
  /// The whole file, in UTF-8.
  package let text: [UInt8]
  package let expectation: Expectation

  /// The command that writes it again: `plan: bench plan fleet/1 --size 1000 --seed 3 --out FILE`.
  var origin: String {
    let shape = shape.map { " --shape \($0)" } ?? ""
    return "plan: bench plan \(workload) --size \(size)\(shape) --seed \(seed) --out FILE"
  }
}

/// Writes a plan line by line. The random numbers and the logarithms of the distributions are the
/// project's own, so a plan has the same bytes on every machine.
struct PlanWriter {
  let workload: String
  let seed: UInt64
  let size: Int
  let shape: String?
  private var numbers: SplitMix64
  /// The workload's own keys of the header.
  private var ownKeys: [(name: String, value: Int)] = []
  private var lines: [UInt8] = []

  init(workload: String, seed: UInt64, size: Int, shape: String?) {
    (self.workload, self.seed, self.size, self.shape) = (workload, seed, size, shape)
    numbers = SplitMix64(seed: seed)
  }

  /// Adds one of the workload's own keys to the header.
  mutating func header(_ name: String, _ value: Int) { ownKeys.append((name, value)) }

  // MARK: Random numbers

  mutating func next() -> UInt64 { numbers.next() }

  /// A number from 0 to `limit` - 1, by the upper half of a product.
  mutating func below(_ limit: Int64) -> Int64 {
    Int64(numbers.next().multipliedFullWidth(by: UInt64(limit)).high)
  }

  /// The numbers from 0 to `count` - 1 in random order.
  mutating func permutation(_ count: Int) -> [Int] {
    var order = Array(0..<count)
    for last in stride(from: count - 1, to: 0, by: -1) {
      order.swapAt(last, Int(below(Int64(last) + 1)))
    }
    return order
  }

  // MARK: Text

  mutating func add(_ text: StaticString) {
    text.withUTF8Buffer { lines += $0 }
  }

  mutating func add(_ number: Int64) {
    var digits: (UInt64, Int) = (number.magnitude, lines.count)
    if number < 0 {
      lines.append(UInt8(ascii: "-"))
      digits.1 += 1
    }
    repeat {
      lines.append(UInt8(ascii: "0") + UInt8(digits.0 % 10))
      digits.0 /= 10
    } while digits.0 > 0
    lines[digits.1...].reverse()
  }

  mutating func add(_ numbers: [Int64]) {
    for (index, number) in numbers.enumerated() {
      if index > 0 { add(",") }
      add(number)
    }
  }

  consuming func plan(_ expectation: Expectation) -> Plan {
    var digest = TextDigest()
    digest.add(header(digest: nil))
    digest.add(lines)
    return Plan(
      workload: workload, seed: seed, size: size, shape: shape, digest: digest.digits,
      text: Array(header(digest: digest.digits).utf8) + lines, expectation: expectation)
  }

  private func header(digest: String?) -> String {
    var header = JSONLine()
    header.add("curfew", "bench/1")
    header.add("workload", workload)
    header.add("seed", String(seed))
    header.add("size", size)
    header.add("shape", shape)
    header.add("digest", digest)
    for key in ownKeys { header.add(key.name, key.value) }
    return header.closed + "\n"
  }
}
