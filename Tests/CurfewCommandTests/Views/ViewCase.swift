import CurfewEngine
import CurfewPolicy
import Testing

/// A situation in which a reason comes about, and what has to be said about it.
struct ViewCase: CustomTestStringConvertible {
  /// What has to be told.
  let reason: Explanation.Reason
  /// Whose word it is, and what it is called.
  let owner: Explanation.Owner
  let key: String
  /// What has to stand in the words, beside the place.
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

  /// The policy of its own, where the case has rows for one.
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
