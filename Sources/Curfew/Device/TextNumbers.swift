/// Texts and the engine's numbers for them: names of tasks, identifiers of requests and
/// notifications, names and values of posts.
struct TextNumbers {
  /// The number of different texts that are kept while the device lives; later texts are empty
  /// in traces. This limits the memory of a device that lives for months in a program that invents
  /// a name for every task.
  static let limit = 1 << 20

  private(set) var texts = [""]
  private var numbers: [String: UInt32] = ["": 0]

  /// The text that was looked up last, with its number. A program begins most of its tasks under
  /// one name, and comparing it is cheaper than hashing it.
  private var last = (text: "", number: UInt32(0))

  mutating func number(of text: String) -> UInt32 {
    if text == last.text { return last.number }
    let number = find(text)
    last = (text, number)
    return number
  }

  private mutating func find(_ text: String) -> UInt32 {
    if let number = numbers[text] { return number }
    guard texts.count < TextNumbers.limit else { return 0 }
    let number = UInt32(texts.count)
    texts.append(text)
    numbers[text] = number
    return number
  }

  subscript(number: UInt32) -> String { texts[Int(number)] }
}
