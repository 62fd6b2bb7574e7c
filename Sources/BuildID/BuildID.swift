import Foundation
import PackagePlugin

/// Writes `SourceState.swift` into the target that uses this plugin. The file names the commit
/// that is checked out. It has a digest of the sources if they differ from that commit or no commit
/// is known.
///
/// The command runs when a file under `Sources` or the checked-out commit has changed since
/// the last build. A prebuild command, or `Context.gitInformation`, would be evaluated only when
/// SwiftPM makes a new build plan. The command is a script because every package that depends on
/// a product of this package would have to build a compiled tool.
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

  /// Every file under `Sources` except hidden ones.
  private static func sources(of package: URL) -> [URL] {
    let found = FileManager.default.enumerator(
      at: package.appending(path: "Sources"), includingPropertiesForKeys: [.isDirectoryKey],
      options: .skipsHiddenFiles)
    return (found?.allObjects ?? []).compactMap { $0 as? URL }
      .filter { (try? $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == false }
      .sorted { $0.path < $1.path }
  }

  /// The files that change when another commit is checked out: `HEAD`, and its log, which gets
  /// a line for each commit, reset and checkout. Empty if the package is not a clone or has no such
  /// log. In that case the commit cannot be tracked and is not named.
  private static func checkout(of package: URL) -> [URL] {
    var folder = package.appending(path: ".git")
    // In a worktree or submodule, `.git` is a file that holds the folder's path.
    if let link = try? String(contentsOf: folder, encoding: .utf8), link.hasPrefix("gitdir: ") {
      let path = link.dropFirst("gitdir: ".count).prefix { !$0.isNewline }
      folder = URL(filePath: String(path), relativeTo: package).absoluteURL
    }
    let files = ["HEAD", "logs/HEAD"].map { folder.appending(path: $0) }
    return files.allSatisfy { FileManager.default.fileExists(atPath: $0.path) } ? files : []
  }
}
