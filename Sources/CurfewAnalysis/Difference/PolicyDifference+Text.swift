import CurfewPolicy
import CurfewText
import CurfewTrace

extension PolicyDifference {
  /// One sentence for each change: rows, then answers, then the values that no answer mentions.
  package var sentences: [String] {
    rowSentences + answerSentences + valueSentences
  }

  private var rowSentences: [String] {
    let kinds = (
      "that are new, and were always denied before", "that are always denied now", "up to"
    )
    let groups = ("that are new", "that no longer exist", "not used for")
    return [
      ("sessions", "Sessions", kinds), ("wakes", "Wakes", kinds),
      ("groups", "Groups of apps", groups),
    ].flatMap {
      group, name, words in
      [(true, words.0), (false, words.1)].compactMap { isNew, what -> String? in
        let rows = rows.filter { $0.group == group && $0.isNew == isNew }
        guard !rows.isEmpty else { return nil }
        let words = rows.map { row in
          row.kind + (isNew ? row.length.map { " (\(words.2) \($0))" } ?? "" : "")
        }
        return "\(name) \(what): \(words.joined(separator: ", "))."
      }
    }
  }

  /// One sentence for each set of kinds and values, in which situations with the same change
  /// are joined.
  private var answerSentences: [String] {
    var told: [Answer] = []
    for answer in answers {
      let same = told.firstIndex {
        $0.isDenied == answer.isDenied && $0.kinds == answer.kinds && $0.paths == answer.paths
      }
      if let same { told[same].situation += " or " + answer.situation } else { told.append(answer) }
    }
    return told.map(\.sentence)
  }

  /// One sentence for each change of a value; rows with the same change share a sentence.
  private var valueSentences: [String] {
    let told = Set(answers.flatMap(\.paths))
    var groups: [(value: Value, kinds: [String])] = []
    for value in values where !told.contains(value.path) {
      let same = groups.firstIndex { $0.value.isLike(value) }
      if let same {
        groups[same].kinds += value.kind.map { [$0] } ?? []
      } else {
        groups.append((value, value.kind.map { [$0] } ?? []))
      }
    }
    return groups.map { $0.value.sentence(of: $0.kinds) }
  }
}

extension PolicyDifference.Answer {
  /// `fetch, remoteNotification: denied while Low Power Mode is on; before, allowed (wakes.*.blockedBy).`
  package var sentence: String {
    let (now, then) = isDenied ? ("denied", "allowed") : ("allowed", "denied")
    var keys: [String] = []
    for path in paths {
      let key = paths.count > 1 ? DifferenceWords.pattern(path) : path
      if !keys.contains(key) { keys.append(key) }
    }
    let place = keys.isEmpty ? "" : " (\(keys.joined(separator: ", ")))"
    return "\(kinds.joined(separator: ", ")): \(now) \(situation); before, \(then)\(place)."
  }
}

extension PolicyDifference.Value {
  /// The name in files of the kind whose row has the value; nil outside of rows.
  fileprivate var kind: String? {
    let keys = path.split(separator: ".")
    return keys.count == 3 ? String(keys[1]) : nil
  }

  /// Whether `other` is the same change in another row.
  fileprivate func isLike(_ other: PolicyDifference.Value) -> Bool {
    DifferenceWords.pattern(path) == DifferenceWords.pattern(other.path)
      && before.text == other.before.text
      && after.text == other.after.text
  }

  /// `A visit to the background is granted 30s instead of 3m (tasks.grant), 2m 30s less.`
  fileprivate func sentence(of kinds: [String]) -> String {
    let values = "\(after.written) instead of \(before.written)"
    let key = kinds.count > 1 ? DifferenceWords.pattern(path) : path
    let subject = kinds.isEmpty ? "" : "\(kinds.joined(separator: ", ")): "
    guard let phrase = DifferenceWords.phrase(path) else {
      let about =
        PolicyFile.about(path).map { ": \($0.prefix(1).lowercased())\($0.dropFirst())" } ?? "."
      return "\(subject)\(key) is \(values)\(about)"
    }
    let words = kinds.isEmpty ? phrase : phrase.prefix(1).lowercased() + phrase.dropFirst()
    return "\(subject)\(words.replacing("%", with: values)) (\(key))\(distance)."
  }

  /// `, 2m 30s less` if the values are durations; otherwise empty.
  private var distance: String {
    guard let old = try? DurationText.nanoseconds(in: before.text),
      let new = try? DurationText.nanoseconds(in: after.text)
    else {
      return ""
    }
    return ", \(HumanTime.text(ofNanoseconds: abs(new - old))) \(new < old ? "less" : "more")"
  }
}

extension PolicyFile {
  /// The description of the key at `path`, in one sentence.
  fileprivate static func about(_ path: String) -> String? {
    if let key = PolicyFile.abouts.first(where: { $0.path == path }) { return key.about }
    // A policy's own row has the same keys as any other row.
    let pattern = DifferenceWords.pattern(path)
    return PolicyFile.abouts.first { DifferenceWords.pattern($0.path) == pattern }?.about
  }
}
