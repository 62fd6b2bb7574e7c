import CurfewPolicy
import CurfewText
import CurfewTrace
import TestSupport

/// Creates random deeds and manifests, with the fields that their tables declare.
extension SeededGenerator {
  mutating func deed(_ row: VerbRow, _ own: [String: [String]]) -> EngineInput {
    var deed = EngineInput(row.verb)
    repeat {
      deed = EngineInput(row.verb)
      read(row.values + row.traced, into: &deed, of: row.name, own)
      // Values that are drawn one by one may not fit together.
    } while deed.verb == .setDevice && deed.device == nil || deed.crashProblem != nil
    return deed
  }

  mutating func manifest(_ own: [String: [String]]) -> AppManifest {
    var manifest = AppManifest()
    read(AppManifest.fields + AppManifest.traced, into: &manifest, of: "app", own)
    return manifest
  }

  private mutating func read<Root>(
    _ values: [Attribute<Root>], into root: inout Root, of owner: String, _ own: [String: [String]]
  ) {
    for value in values where value.field.presence == .required || oneIn(2) {
      let plain = plain(value.field, of: owner, own)
      guard let isRead = try? value.read(&root, plain), isRead else {
        preconditionFailure("\(owner).\(value.name) does not read \(plain)")
      }
    }
  }
}

extension VerbRow.Subject {
  /// Whether an app is named this time.
  func isNamed(_ random: inout SeededGenerator) -> Bool {
    switch self {
    case .none: false
    case .required: true
    case .inFront, .optional: random.oneIn(2)
    }
  }
}
