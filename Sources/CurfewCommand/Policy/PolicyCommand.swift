import ArgumentParser

/// `curfew policy`: what there is of policies, what one says, whether a file is one, and what
/// another changes.
struct PolicyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Lists, shows, checks and compares policies.",
    subcommands: [PolicyList.self, PolicyShow.self, PolicyCheck.self, PolicyDiff.self])
}
