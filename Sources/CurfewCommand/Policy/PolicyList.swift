import ArgumentParser
import CurfewConsole
import CurfewPolicy
import CurfewText

/// `curfew policy list`: the built-in policies.
struct PolicyList: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract:
      "Lists the built-in policies, oldest system first: name, description, and parent.")

  @Flag(help: "Print the list as JSON.")
  var json = false

  func run(on console: Console) throws {
    let policies = try PolicyFile.builtInNames.map { name throws(FileErrors) in
      try PolicyFile.load(name)
    }
    if json { return try console.print(PolicyList.form.json(policies).closed) }
    let width = policies.map(\.name.displayWidth).max() ?? 0
    for policy in policies {
      let parent = policy.parents.first.map { " Extends \($0)." } ?? ""
      try console.show(
        pad(policy.name, width, .left) + "  " + (policy.about ?? "") + parent, margin: width + 2)
    }
  }

  /// `policy-list/1`.
  static let form = ResultForm<[PolicyFile]>(
    "The built-in policies: one object on one line.",
    [.format("policy-list/1"), .objects("policies", policy, "The oldest system first.") { $0 }])

  private static let policy = ResultForm<PolicyFile>("", PolicyFile.keysOfResults)
}

extension PolicyFile {
  /// The keys that describe a policy in results.
  static let keysOfResults: [ResultKey<PolicyFile>] = [
    .text("name") { $0.name }, .text("about", "One sentence.", optional: true) { $0.about },
    .text("file") { $0.file },
    .texts("parents", "The policies that it extends, its direct parent first.") {
      $0.parents
    },
    .text("digest", "Equal for policies that decide alike.") { $0.digest },
  ]
}
