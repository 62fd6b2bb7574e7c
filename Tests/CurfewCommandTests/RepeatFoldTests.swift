import CurfewEngine
import CurfewTrace
import TestRuns
import TestSupport
import Testing

@testable import CurfewCommand

@Suite(.inTurn) struct RepeatFoldTests {
  private func paragraphs(_ letters: some Sequence<Character>) -> [Paragraph] {
    letters.enumerated().map { index, letter in
      let line = TraceLine(
        time: Instant(nanoseconds: Int64(index)), app: String(letter),
        .state(from: .inactive, to: .active))
      return Paragraph(time: line.time, entries: [.init(line: line, explanations: [])])
    }
  }

  private func letter(_ paragraph: Paragraph) -> String { paragraph.entries[0].line.app ?? "" }

  private func pieces(_ letters: some Sequence<Character>) -> [RepeatFold.Piece] {
    var fold = RepeatFold(isOn: true)
    return paragraphs(letters).flatMap { fold.add($0) } + fold.finish()
  }

  /// `ab(ab)3` means ab, then ab three more times.
  private func text(_ letters: some Sequence<Character>) -> String {
    pieces(letters).map { piece in
      switch piece {
      case .paragraph(let paragraph): letter(paragraph)
      case .again(let again): "(" + again.paragraphs.map(letter).joined() + ")\(again.count)"
      }
    }.joined()
  }

  @Test(arguments: [
    ("", ""), ("abc", "abc"), ("aa", "aa"), ("aaa", "a(a)2"), ("aaaaab", "a(a)4b"),
    ("ababab", "ab(ab)2"), ("abab", "abab"),
    ("abababa", "ab(ab)2a"), ("xaaabaaab", "xa(a)2baaab"), ("abcabcabcabd", "abc(abc)2abd"),
    ("aabaabaab", "aab(aab)2"),
  ]) func `a third repetition is counted`(_ letters: String, _ folded: String) {
    #expect(text(letters) == folded)
  }

  @Test func `no paragraph is lost, duplicated or moved, whatever the input`() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      let kinds = 1 + random.below(4)
      let letters = (0..<random.below(120)).map { _ in Array("abcd")[random.below(kinds)] }
      var next: Int64 = 0
      for piece in pieces(letters) {
        switch piece {
        case .paragraph(let paragraph):
          #expect(paragraph.time.nanoseconds == next)
          next += 1
        case .again(let again):
          #expect(again.count >= 2 && again.from.nanoseconds == next)
          let count = Int64(again.paragraphs.count)
          for repetition in 0..<again.count {
            for (index, paragraph) in again.paragraphs.enumerated() {
              #expect(
                String(letters[Int(next) + repetition * Int(count) + index]) == letter(paragraph))
            }
          }
          next += count * Int64(again.count)
          #expect(again.until.nanoseconds == next - 1)
        }
      }
      #expect(next == Int64(letters.count))
    }
  }
}
