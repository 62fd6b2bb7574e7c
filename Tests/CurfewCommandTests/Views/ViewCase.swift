import CurfewEngine
import CurfewPolicy
import Testing

/// A situation that produces a reason, and what the explanation must say.
struct ViewCase: CustomTestStringConvertible {
  /// The reason that must be reported.
  let reason: Explanation.Reason
  /// The origin of the value, and its key.
  let owner: Explanation.Owner
  let key: String
  /// Words that the explanation must contain in addition to the place.
  var words = ""
  var policy = "ios13"
  var device = ""
  var app = ""
  let steps: [String]

  init(
    _ reason: Explanation.Reason, _ owner: Explanation.Owner, _ key: String, words: String = "",
    policy: String = "ios13",
    device: String = "",
    app: String = "", _ steps: String...
  ) {
    self.reason = reason
    self.owner = owner
    self.key = key
    self.words = words
    self.policy = policy
    self.device = device
    self.app = app
    self.steps = steps
  }

  var testDescription: String {
    "\(reason): \(owner.rawValue) \(key)\(words.isEmpty ? "" : ", \(words)")"
  }

  /// The case's own policy, if it has rows for one.
  var ownPolicy: String? {
    policy.contains(":") ? "curfew: policy/1\nname: own\nextends: ios13\n\(policy)\n" : nil
  }

  var scenario: String {
    """
    curfew: scenario/1
    name: \(reason)
    policy: \(ownPolicy == nil ? policy : "own.yaml")
    device: {\(device)}
    apps:
      app: {\(app)}
      other: {footprint: 1B}
    timeline:
    \(steps.map { "  - {at: \($0)}" }.joined(separator: "\n"))

    """
  }
}
