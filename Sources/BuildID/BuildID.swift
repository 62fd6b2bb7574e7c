import Foundation
import PackagePlugin

/// Writes `SourceState.swift` into the target that uses this: the commit that the package stands
/// at, and a digest of its sources.
///
/// The command runs when a file under `Sources`, or the commit that is checked out, is another one
/// than at the last build. A prebuild command runs, and `Context.gitInformation` is evaluated, only
/// when SwiftPM plans a build anew. The command is a script, because whoever depends on any product
/// of the package builds the tools of its plugins.
@main struct BuildID: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let package = context.package.directoryURL
    let script = package.appending(path: "Sources/BuildID/build-id.sh")
    let output = context.pluginWorkDirectoryURL.appending(path: "SourceState.swift")
    let checkout = Self.checkout(of: package)
    return [
      .buildCommand(
        displayName: "Identifying the sources", executable: URL(filePath: "/bin/sh"),
        arguments: [
          script.path, checkout.isEmpty ? "archive" : "clone", package.path, output.path,
        ],
        inputFiles: Self.sources(of: package) + checkout, outputFiles: [output])
    ]
  }

  /// Every file under `Sources` but hidden ones.
  private static func sources(of package: URL) -> [URL] {
    let found = FileManager.default.enumerator(
      at: package.appending(path: "Sources"), includingPropertiesForKeys: [.isDirectoryKey],
      options: .skipsHiddenFiles)
    return (found?.allObjects ?? []).compactMap { $0 as? URL }
      .filter { (try? $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == false }
      .sorted { $0.path < $1.path }
  }

  /// The files that change when another commit is checked out: `HEAD`, and its log, which gets
  /// a line for each commit, reset and checkout. None if the package is no clone, or keeps no such
  /// log: then the commit cannot be followed, and is not named.
  private static func checkout(of package: URL) -> [URL] {
    var folder = package.appending(path: ".git")
    // Worktrees and submodules have a file there, with the folder's path.
    if let link = try? String(contentsOf: folder, encoding: .utf8), link.hasPrefix("gitdir: ") {
      let path = link.dropFirst("gitdir: ".count).prefix { !$0.isNewline }
      folder = URL(filePath: String(path), relativeTo: package).absoluteURL
    }
    let files = ["HEAD", "logs/HEAD"].map { folder.appending(path: $0) }
    return files.allSatisfy { FileManager.default.fileExists(atPath: $0.path) } ? files : []
  }
}
