import CurfewEngine
import CurfewPolicy
import CurfewSimulation

/// A kind of session or wake that a variant's workload uses but for which its policy has no row.
/// The policy always denies the kind.
package struct MissingKind: Hashable, Sendable {
  /// The variant's index.
  package let variant: Int
  /// The name of the variant's policy.
  package let policy: String
  /// The sort of app that uses the kind.
  package let app: String
  /// The kind, by its name in files.
  package let kind: String
  /// Whether the kind is a wake; otherwise it is a session.
  package let isWake: Bool
}

extension Experiment {
  /// The kinds without a row in their policy, variant by variant, in the order of each workload.
  package var missingKinds: [MissingKind] {
    variants.enumerated().flatMap { place, variant in
      let policy = variant.workload.policy
      return variant.workload.apps.flatMap { app in
        let wakes = app.wakes.map { ($0.kind, true) }
        let sessions = app.sessions.map { ($0.kind, false) }
        return (sessions + wakes).filter { kind, isWake in
          app.asks(for: kind) && !policy.policy.hasRow(of: kind, isWake: isWake)
        }.map { kind, isWake in
          MissingKind(
            variant: place, policy: policy.name, app: app.name, kind: kind.rawValue, isWake: isWake)
        }
      }
    }
  }
}

extension Policy {
  fileprivate func hasRow(of name: KindName, isWake: Bool) -> Bool {
    guard let kind = names.kind(name) else { return false }
    return isWake ? wakes[kind] != nil : sessions[kind] != nil
  }
}

extension [MissingKind] {
  /// Whether the difference of a figure between two variants is meaningful. The difference
  /// is meaningless if a kind is missing in only one of the two, and
  ///
  /// - the figure is about that kind, or
  /// - the figure is about no kind, and counts an app that uses the missing kind, or all
  ///   apps together.
  ///
  /// A total therefore depends on every kind, because the effect of the denials on the total
  /// is unknown. A figure about a kind that both policies have does not depend on the missing kind.
  func compares(_ figure: String, app: String, about: String, between one: Int, and other: Int)
    -> Bool
  {
    let (ones, others) = (uses(in: one), uses(in: other))
    let apart = ones.symmetricDifference(others)
    let isAboutKind = !about.isEmpty && FigureCatalog.things(of: figure).contains(.kinds)
    return !apart.contains {
      (isAboutKind ? $0.kind == about : true) && (app.isEmpty || $0.app == app)
    }
  }

  private struct Use: Hashable {
    let app: String
    let kind: String
  }

  private func uses(in variant: Int) -> Set<Use> {
    Set(lazy.filter { $0.variant == variant }.map { Use(app: $0.app, kind: $0.kind) })
  }

  /// A sentence for each policy and sort of kind: `Wakes that are always denied under 'android14',
  /// which has no row for them: fetch, remoteNotification`.
  package var sentences: [String] {
    var groups: [(policy: String, isWake: Bool, kinds: [String])] = []
    for missing in self {
      if !groups.contains(where: { $0.policy == missing.policy && $0.isWake == missing.isWake }) {
        groups.append((missing.policy, missing.isWake, []))
      }
      for place in groups.indices
      where groups[place].policy == missing.policy && groups[place].isWake == missing.isWake {
        if !groups[place].kinds.contains(missing.kind) { groups[place].kinds.append(missing.kind) }
      }
    }
    return groups.map { group in
      "\(group.isWake ? "Wakes" : "Sessions") that are always denied under '\(group.policy)', which has no row for them: "
        + group.kinds.joined(separator: ", ")
    }
  }
}
