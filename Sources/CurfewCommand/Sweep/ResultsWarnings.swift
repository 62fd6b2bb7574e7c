import CurfewExperiments
import CurfewText

extension Console {
  /// Warns about gaps in the results: kinds that a policy does not have, runs of several builds.
  func warn(of missing: [MissingKind], _ builds: [ResultsFile.Build], in file: String) {
    for sentence in missing.sentences { tell(Message(.warning, sentence, file: file)) }
    if let mixture = builds.mixture {
      tell(Message(.warning, "the runs were \(mixture)", file: file))
    }
  }
}

extension ResultsFile.Build {
  static let form = ResultForm<ResultsFile.Build>(
    "", [.text("build") { $0.name }, .count("runs") { $0.runs }])
}

/// A missing kind, with the name of its variant.
struct MissingKindOfVariant {
  let missing: MissingKind
  let variant: String

  static let form = ResultForm<MissingKindOfVariant>(
    "",
    [
      .text("variant") { $0.variant }, .text("policy") { $0.missing.policy },
      .text("app") { $0.missing.app },
      .text("class", words: ["session", "wake"]) { $0.missing.isWake ? "wake" : "session" },
      .text("kind") { $0.missing.kind },
    ])
}

extension ResultsSummary {
  var missing: [MissingKindOfVariant] {
    missingKinds.map { MissingKindOfVariant(missing: $0, variant: variants[$0.variant].name) }
  }
}
