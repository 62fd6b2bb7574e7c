public import CurfewEngine
public import CurfewText

/// What a real app's `Info.plist` declares about the background, as XML, binary or old-style property list.
///
/// Files from repositories are as their authors left them: with variables that only a build expands, or modes that do not exist. What has a
/// plain meaning is read, with a warning; what has none is an error.
public struct InfoPlist: Hashable, Sendable {
  /// `CFBundleIdentifier`; nil where it is missing, blank, has a variable (`$(…)`, `${…}`) in it, or a control character.
  public let bundleIdentifier: String?
  /// Those of `UIBackgroundModes` that the rules know.
  public let backgroundModes: BackgroundModes
  /// `UIApplicationExitsOnSuspend`; false where it is missing.
  public let exitsOnSuspend: Bool
  /// `BGTaskSchedulerPermittedIdentifiers`, in the order of the file and each one once; variables and wildcards stay as they are written.
  public let permittedIdentifiers: [String]
  /// What can be lived with, by key: a hundred warnings at most.
  public let warnings: [FileDiagnostic]
  /// The path that it was read from; nil for bytes that are from elsewhere.
  public let path: String?

  init(name: String, path: String?, bytes: [UInt8]) throws(FileErrors) {
    let values: [String: PropertyListValue]
    do {
      values = try PropertyList.values(of: InfoPlistReader.keys, in: bytes)
    } catch {
      throw FileErrors([error.diagnostic(in: name)])
    }
    var reader = InfoPlistReader(name: name, values: values)
    bundleIdentifier = reader.bundleIdentifier()
    backgroundModes = reader.backgroundModes()
    exitsOnSuspend = reader.exitsOnSuspend()
    permittedIdentifiers = reader.permittedIdentifiers()
    reader.checkProcessing(backgroundModes, permittedIdentifiers)
    guard reader.errors.isEmpty else { throw FileErrors(reader.errors) }
    warnings = reader.warnings
    self.path = path
  }

  /// Reads the file at `path`.
  ///
  /// Throws if it is missing, not a regular file, unreadable or over `SourceFile.limit`, and what `decode` throws. Never waits for a
  /// writer: a pipe or a device is refused.
  public static func read(_ path: String) throws(FileErrors) -> InfoPlist {
    let bytes: [UInt8]
    do {
      bytes = try FileBytes.read(path, limit: SourceFile.limit)
    } catch {
      switch error {
      case .overLimit: throw FileErrors([PropertyListRefusal.tooLong.diagnostic(in: path)])
      case .failed(let reason): throw FileErrors([FileDiagnostic(file: path, reason)])
      }
    }
    return try InfoPlist(name: path, path: path, bytes: bytes)
  }

  /// The manifest in `bytes`, which errors call `name`.
  ///
  /// Throws if it is empty, over `SourceFile.limit`, not a property list or not a dictionary, or if a key that matters here holds a value of
  /// the wrong type: then every such key is told. The rest of the file is not looked at.
  public static func decode(_ bytes: [UInt8], name: String) throws(FileErrors) -> InfoPlist {
    try InfoPlist(name: name, path: nil, bytes: bytes)
  }
}
