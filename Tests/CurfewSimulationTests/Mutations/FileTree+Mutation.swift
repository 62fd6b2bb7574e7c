import TestSupport

/// Keys and words of files, from which replacements are drawn.
struct Vocabulary {
  let keys: [String]
  let words: [String]
  /// The words that files have under each key.
  let wordsByKey: [String: [String]]

  init(of trees: [FileTree]) {
    let all = trees.map(\.vocabulary)
    keys = Set(all.flatMap(\.keys)).sorted() + Vocabulary.names
    words = Set(all.flatMap(\.words)).sorted()
    let pairs = Set(trees.flatMap(\.leaves)).sorted { ($0.key, $0.word) < ($1.key, $1.word) }
    wordsByKey = Dictionary(grouping: pairs, by: \.key).mapValues { $0.map(\.word) }
  }

  /// A replacement for `word` under `key`: a word from elsewhere, or an extreme value of the
  /// same form.
  func another(_ word: String, under key: String, _ random: inout SeededGenerator) -> String {
    let ending = String(word.reversed().prefix { !$0.isNumber }.reversed())
    let alike = Vocabulary.extremes.filter {
      $0.first?.isNumber == word.first?.isNumber && $0.hasSuffix(ending)
    }
    if random.oneIn(8) { return "none" }
    return random.pick(
      random.oneIn(2) && word.first?.isNumber == true && !alike.isEmpty
        ? alike : wordsByKey[key] ?? words)
  }

  /// Words at the limits of valid values and beyond.
  static let extremes = [
    "0s", "1ns", "-1s", "1.5s", "9223372036854775806ns", "9223372036854775807ns",
    "9223372036854775808ns", "9223372036s", "9223372037s",
    "106751d", "106752d", "99999999999999999999d", "0B", "1B", "1023GiB", "1024GiB", "1025GiB",
    "8589934591GiB", "8589934592GiB",
    "9223372036854775807B", "9223372036854775808B", "0%", "1%", "99%", "100%", "101%", "-1%",
    "4294967295%", "4294967296%", "0x0",
    "0xffffffff", "0x100000000", "0x", "-1", "0", "1", "64", "65", "1000", "1001", "10000", "10001",
    "9223372036854775807",
    "9223372036854775808", "1.0000001", "1.000001", "999.999999", "1000.1", "none", "never",
    "unlimited", "true", "false", "null", "~",
    "", "\"\"", "\" \"", "é\u{301}", "👩‍👩‍👧‍👦", "日本", "\u{202E}abc", "\"\\x1b[31m\"", "\"\\u2028\"",
    "\"\\0\"", "a b", "a.b", "a..b", "..",
    "5s..", "..5s",
    "9s..3s", "0s..9223372036854775807ns", "3..5", "5..3", "0s in 0s", "0s in 1s", "1ns in 1ns",
    "9223372036854775807ns in 9223372036854775807ns",
    "1 admission in", "1 admission in 1h", "0 admissions in 0s", "10000 admissions in 1ns",
    "10001 admissions in 1h", "1 session in 1d for",
    "1 session in 1d for rare", "1 session in 1d for nobody", "2 sessions in 106751d", "in", "for",
    "1m in 1h for rare for rare",
    "not parked",
    "request", "interval", "opportunity", "event", "kill", "drop", "tell",
  ]

  /// Names of many lengths, and names that already have a meaning.
  static let names = [
    String(repeating: "n", count: 64), String(repeating: "n", count: 65),
    String(repeating: "ž", count: 64), "1st", "a b", "a.b", "é", "-",
    "",
    "value", "source", "confidence", "curfew", "extends", "audio", "fetch", "processing", "task",
    "charging", "notParked", "budget", "none",
    "notCharging", "lowPowerMode", "finite", "own", "state", "app", "modes", "groups",
  ]
}

extension FileTree {
  /// A word, and the key under which it stands.
  struct Leaf: Hashable {
    let key: String
    let word: String
  }

  var leaves: [Leaf] {
    guard case .mapping(let pairs) = self else { return children.flatMap(\.leaves) }
    return pairs.flatMap { key, value in
      if case .word(let word) = value { [Leaf(key: key, word: word)] } else { value.leaves }
    }
  }

  /// Replaces a value below `start` with another that its key might have, or removes it; most
  /// results can still be read.
  mutating func vary(
    _ random: inout SeededGenerator, _ vocabulary: Vocabulary, below start: [Int] = []
  ) {
    let inner = self[start[...]].paths.dropFirst().map { start + $0 }
    let fixed: Set = ["curfew", "name", "extends", "policy"]
    let own = inner.filter { !fixed.contains(self[$0.dropLast()].key($0[$0.count - 1])) }
    guard !own.isEmpty else { return mutate(&random, vocabulary) }
    let path = random.pick(own)
    let (parent, place) = (path.dropLast(), path[path.count - 1])
    switch self[path[...]] {
    case .word(let word) where !random.oneIn(6):
      self[path[...]] = .word(vocabulary.another(word, under: self[parent].key(place), &random))
    case .list(let elements) where !elements.isEmpty && random.oneIn(2):
      self[path[...]] = .list(
        elements + Array(repeating: elements[0], count: random.pick([1, 60, 64])))
    case .mapping where random.oneIn(2):
      self[parent].multiply(place, random.pick([1, 2, 20, 40, 45]))
    case .word, .list, .mapping: self[parent].remove(at: place)
    }
  }

  /// Changes the tree at one place, somewhere below `start`.
  mutating func mutate(
    _ random: inout SeededGenerator, _ vocabulary: Vocabulary, below start: [Int] = []
  ) {
    let inner = self[start[...]].paths.dropFirst()
    guard !inner.isEmpty else { return self[start[...]] = .word(random.pick(Vocabulary.extremes)) }
    let path = start + random.pick(Array(inner))
    let (parent, place) = (path.dropLast(), path[path.count - 1])
    switch random.below(16) {
    case 0: self[parent].remove(at: place)
    case 1: self[parent].insert(self[path[...]], key: self[parent].key(place), at: place)
    case 2:
      let taken = (self[parent].key(place), self[path[...]])
      self[parent].remove(at: place)
      let targets = paths.filter { !self[$0[...]].children.isEmpty }
      if !targets.isEmpty { self[random.pick(targets)[...]].insert(taken.1, key: taken.0, at: 0) }
    case 3: self[parent].rename(place, random.pick(vocabulary.keys))
    case 4: self[parent].rename(place, random.pick(Vocabulary.names))
    case 5:
      let other = random.pick(
        paths.filter { !path.starts(with: $0) && !$0.starts(with: path) } + [path])
      (self[path[...]], self[other[...]]) = (self[other[...]], self[path[...]])
    case 6, 7: self[path[...]] = .word(random.pick(vocabulary.words))
    case 8, 9, 10: self[path[...]] = .word(random.pick(Vocabulary.extremes))
    case 11: self[path[...]] = .list([self[path[...]], .word(random.pick(vocabulary.words))])
    case 12:
      self[path[...]] = .mapping([
        ("value", self[path[...]]), ("confidence", .word(random.pick(["assumed", "sure", ""]))),
        ("source", .word("QN")),
      ])
    case 13: self[parent].insert(self[path[...]], key: random.pick(vocabulary.keys), at: place)
    case 14:
      self[parent].multiply(place, random.pick([2, 45, 46, 64, 65, random.oneIn(100) ? 3000 : 65]))
    default: self[parent].nest(place, random.pick([1, 2, 40, 200]))
    }
  }

  /// The key of a mapping's child, or the index of a list's.
  private func key(_ place: Int) -> String {
    if case .mapping(let pairs) = self { pairs[place].key } else { "\(place)" }
  }

  private mutating func remove(at place: Int) {
    switch self {
    case .mapping(var pairs):
      pairs.remove(at: place)
      self = .mapping(pairs)
    case .list(var elements):
      elements.remove(at: place)
      self = .list(elements)
    case .word: break
    }
  }

  mutating func insert(_ value: FileTree, key: String, at place: Int) {
    switch self {
    case .mapping(var pairs):
      pairs.insert((key, value), at: place)
      self = .mapping(pairs)
    case .list(var elements):
      elements.insert(value, at: place)
      self = .list(elements)
    case .word: break
    }
  }

  private mutating func rename(_ place: Int, _ name: String) {
    guard case .mapping(var pairs) = self else { return }
    pairs[place].key = name
    self = .mapping(pairs)
  }

  /// Adds copies of the child, under new names in a mapping, up to more rows than are allowed.
  private mutating func multiply(_ place: Int, _ count: Int) {
    let (value, name) = (children[place], key(place))
    switch self {
    case .mapping(let pairs): self = .mapping(pairs + (0..<count).map { ("\(name)\($0)", value) })
    case .list(let elements): self = .list(elements + Array(repeating: value, count: count))
    case .word: break
    }
  }

  private mutating func nest(_ place: Int, _ depth: Int) {
    var inner = children
    for _ in 0..<depth { inner[place] = .list([inner[place]]) }
    children = inner
  }
}
