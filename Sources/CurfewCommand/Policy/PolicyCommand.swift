import ArgumentParser

/// `curfew policy`: lists, shows, checks and compares policies.
struct PolicyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Lists, shows, checks and compares policies.",
    subcommands: [PolicyList.self, PolicyShow.self, PolicyCheck.self, PolicyDiff.self])
}
