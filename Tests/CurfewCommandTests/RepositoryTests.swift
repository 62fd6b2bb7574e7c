import Foundation
import TestRuns
import Testing

/// The repository as a newcomer sees it.
@Suite(.inTurn) struct RepositoryTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: root.appendingPathComponent(".git").path),
      "it is not a clone"))
  func `the top level has these files and folders, and no other`() throws {
    let git = Process()
    (git.executableURL, git.arguments) = (
      URL(fileURLWithPath: "/usr/bin/env"), ["git", "-C", Self.root.path, "ls-files"]
    )
    let output = Pipe()
    git.standardOutput = output
    try git.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    git.waitUntilExit()
    let names = Set(
      text.split(separator: "\n").compactMap { $0.split(separator: "/").first }.map(String.init))
    #expect(
      names.filter { !$0.hasPrefix(".") }.sorted() == [
        "Benchmarks", "CHANGELOG.md", "Documentation", "LICENSE", "Package.swift", "Policies",
        "README.md", "Sources", "Tests",
      ])
  }
}
