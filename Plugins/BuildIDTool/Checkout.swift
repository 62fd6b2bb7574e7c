import Foundation

/// The commit that a clone stands at.
struct Checkout {
  let commit: String
  /// The name that Git gives to the commit's folder `Sources`.
  let sources: String

  /// Asks Git; nil if there is none, it refuses, or the package is a folder of another repository, whose commits say nothing of it.
  init?(of package: URL) {
    let (git, answer) = (Process(), Pipe())
    git.executableURL = URL(filePath: "/usr/bin/env")
    git.arguments = ["git", "-C", package.path, "rev-parse", "--show-prefix", "HEAD", "HEAD:Sources"]
    // Git's hooks set variables that name another repository, or another index.
    git.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") }
    (git.standardOutput, git.standardError) = (answer, FileHandle.nullDevice)
    do { try git.run() } catch { return nil }
    let text = String(decoding: answer.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    git.waitUntilExit()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard git.terminationStatus == 0, lines.count >= 3, lines[0].isEmpty else { return nil }
    (commit, sources) = (String(lines[1]), String(lines[2]))
  }
}
