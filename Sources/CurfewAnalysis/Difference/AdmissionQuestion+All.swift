import CurfewEngine
import CurfewPolicy
import CurfewTrace

extension AdmissionQuestion {
  /// Every combination of the inputs that rows test. The `facts` are varied one at a time, in both
  /// states, since a single failing fact suffices to deny.
  ///
  /// - Parameters:
  ///   - manifests: The sets of modes that an app may declare.
  ///   - batteries: The battery levels to try.
  static func all(
    _ kind: KindName, presences: [Presence], manifests: [[String]], batteries: Set<UInt8>,
    facts: [String], _ policy: PolicyFile
  ) -> [AdmissionQuestion] {
    let plain = all(kind, presences: presences, manifests: manifests, batteries: batteries)
    let varied = facts.flatMap { name in
      [true, false].flatMap { holds in
        plain.compactMap { question in
          policy.changes(having: name, hold: holds).first.map { question.changed(by: [$0]) }
        }
      }
    }
    return plain + varied
  }

  private static func all(
    _ kind: KindName, presences: [Presence], manifests: [[String]], batteries: Set<UInt8>
  ) -> [AdmissionQuestion] {
    var all: [AdmissionQuestion] = []
    let powers = batteries.sorted().flatMap { [($0, false), ($0, true)] }
    for presence in presences {
      for modes in manifests {
        var app = AppManifest()
        for mode in modes { app.declare(mode) }
        for refresh in BackgroundRefreshStatus.allCases.reversed() {
          for isLowPowerModeOn in [false, true] {
            for (battery, charging) in powers {
              let device = DeviceFacts(
                backgroundRefresh: refresh, lowPowerMode: isLowPowerModeOn, battery: battery,
                charging: charging)
              all.append(AdmissionQuestion(kind, app: app, presence: presence, device: device))
            }
          }
        }
      }
    }
    return all
  }
}

extension PolicyFile {
  /// The names of the kinds that have a row, in the language's order: `rows(of: "wakes")`.
  func rows(of group: String) -> [String] {
    var rows: [String] = []
    for entry in entries {
      let keys = entry.path.split(separator: ".")
      if keys.count == 3, keys[0] == group, rows.last != String(keys[1]) {
        rows.append(String(keys[1]))
      }
    }
    return rows
  }
}
