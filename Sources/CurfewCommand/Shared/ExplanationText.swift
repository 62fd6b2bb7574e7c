import CurfewPolicy
import CurfewSimulation
import CurfewTrace

/// Explanations as text: for each, the cause with its place, and the remedy.
enum ExplanationText {
  static func lines(_ explanations: [Explanation]) -> [String] {
    explanations.flatMap { explanation in
      let name = explanations.count > 1 ? "\(explanation.reason): " : ""
      return ["\(name)because \(explanation.because)"]
        + (explanation.remedy.map { ["\(name)\(wish(explanation.reason)): \($0)"] } ?? [])
    }
  }

  private static func wish(_ reason: Explanation.Reason) -> String {
    switch reason {
    case .refusal: "to have it accepted"
    case .denial, .termination, .diagnostic, .memoryWarning: "to allow it"
    }
  }
}

extension TraceExplanations {
  /// Creates the explanations for a run of `scenario`, whose file describes the device and
  /// the apps.
  init(_ scenario: Scenario) {
    self.init(
      policy: scenario.policy,
      device: Explanation.Setting(device: scenario.device, devicePlace: .file(scenario.file)),
      apps: scenario.apps.map {
        Explanation.Setting(app: $0.identifier, manifest: $0.manifest, manifestPlace: .at($0.place))
      })
  }
}
