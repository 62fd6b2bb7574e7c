import CurfewConsole
import CurfewExperiments
import CurfewText

/// The results of a sweep, for a person.
struct SweepText {
  let summary: ResultsSummary
  let screen: Screen

  var text: String {
    var parts = [
      [screen.style.bold(screen.plain(heading))]
        + (summary.question.map { [screen.plain($0)] } ?? [])
    ]
    if summary.comparisons.isEmpty {
      parts.append(["\(HumanCount.text(summary.runs, "run")) so far; nothing is compared yet"])
    } else {
      parts.append([screen.plain(SweepSentence(summary).text)])
      parts += summary.measures.indices.map(table)
      parts.append([footnote])
    }
    return parts.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  private var heading: String {
    let length = "\(HumanNumber.rounded(summary.days)) \(summary.days == 1 ? "day" : "days")"
    return
      "\(summary.name): \(HumanCount.text(summary.devices, "device")) for \(length) in each run, seed \(summary.seed)"
  }

  private func table(_ place: Int) -> [String] {
    let measure = summary.measures[place]
    let rows = summary.comparisons.filter { $0.measure == place }.map { found in
      [
        summary.variants[found.variant].name, SweepSentence.number(found.baselineMean),
        SweepSentence.number(found.mean),
        SweepSentence.signed(found.difference),
        SweepSentence.interval(found.interval, or: found.rare),
        SweepSentence.number(found.skewness), SweepSentence.words(of: found),
      ]
    }
    let header = [
      "\(measure.name), \(measure.unit)", summary.variants[summary.baseline].name, "variant",
      "difference", "interval", "skewness", "",
    ]
    return TextTable(header: header.map(screen.plain), rows: rows, endsInText: true).lines(
      on: screen)
  }

  private var footnote: String {
    let pairing =
      summary.pairing == "common"
      ? "with the same seeds in every variant" : "each with its own seed"
    let intervals = "the intervals hold jointly with \(HumanNumber.percent(summary.level))"
    return
      ([
        "\(HumanCount.text(summary.repetitions, "repetition"))\(summary.looks) \(pairing); \(intervals)"
      ]
      + (summary.afterthought.map { [$0] } ?? []))
      .joined(separator: "\n")
  }
}
