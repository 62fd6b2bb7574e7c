import Foundation
import PackagePlugin

/// Compiles the sources of Tests/SeamTests into the target that uses this plugin: SwiftPM does not
/// let two targets share a folder, and a copy might become stale.
@main struct SameSources: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folder = context.package.directoryURL.appending(path: "Tests/SeamTests")
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .sorted { $0.path < $1.path }.map {
        file in
        let copy = context.pluginWorkDirectoryURL.appending(path: file.lastPathComponent)
        return .buildCommand(
          displayName: "Copying \(file.lastPathComponent)", executable: URL(filePath: "/bin/cp"),
          arguments: [file.path, copy.path],
          inputFiles: [file], outputFiles: [copy])
      }
  }
}
