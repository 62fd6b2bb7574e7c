public import CurfewEngine
import CurfewSystem
public import CurfewText

/// The background declarations of a real app's `Info.plist`, an XML or binary property list.
///
/// Files from repositories are as their authors left them: with variables that only a build
/// expands, or modes that do not exist. What has a plain meaning is read, with a warning; what has
/// none is an error.
public struct InfoPlist: Hashable, Sendable {
  /// `CFBundleIdentifier`; nil where it is missing, blank, has a variable (`$(…)`, `${…}`) in it
  /// that was not given, or a control character.
  public let bundleIdentifier: String?
  /// Those of `UIBackgroundModes` that the rules know.
  public let backgroundModes: BackgroundModes
  /// Its other values, in the order of the file: a policy may know some of them.
  public let otherModes: [String]
  /// `UIApplicationExitsOnSuspend`; false where it is missing.
  public let exitsOnSuspend: Bool
  /// `BGTaskSchedulerPermittedIdentifiers`, in the order of the file and each one once; wildcards,
  /// and variables that were not given, stay as they are written.
  public let permittedIdentifiers: [String]
  /// What can be lived with: first about the file and its keys, then about the values by key, then
  /// about the variables; each with its line where the list is a text. A hundred warnings of a file
  /// at most, and a hundred of variables.
  public var warnings: [FileDiagnostic] {
    fileWarnings + requestWarnings
      + unusedVariables.map { FileDiagnostic(.warning, file: name, $0.message) }
  }
  /// The path that it was read from; nil for bytes that are from elsewhere.
  public let path: String?

  /// The warnings but for the following.
  package let fileWarnings: [FileDiagnostic]
  /// Those of modes and identifiers that do not go together, which matter where both are
  /// the file's.
  package let requestWarnings: [FileDiagnostic]
  package let unusedVariables: [UnusedVariable]
  /// What `fileWarnings` say of `otherModes`, by mode.
  package let remarksOnModes: [String: FileDiagnostic]
  private let name: String

  init(name: String, path: String?, bytes: [UInt8], variables: [String: String]) throws(FileErrors)
  {
    let content: PropertyListContent
    do {
      content = try PropertyList.content(of: InfoPlistReader.keys, in: bytes)
    } catch {
      throw FileErrors([error.diagnostic(in: name)])
    }
    var reader = InfoPlistReader(name: name, content: content, variables: BuildVariables(variables))
    reader.checkKind()
    reader.checkKeys()
    bundleIdentifier = reader.bundleIdentifier()
    (backgroundModes, otherModes) = reader.backgroundModes()
    exitsOnSuspend = reader.exitsOnSuspend()
    permittedIdentifiers = reader.permittedIdentifiers()
    guard reader.errors.isEmpty else { throw FileErrors(reader.errors) }
    fileWarnings = reader.warnings
    remarksOnModes = reader.remarksOnModes
    reader.checkRequests(backgroundModes, permittedIdentifiers)
    requestWarnings = Array(reader.warnings.dropFirst(fileWarnings.count))
    unusedVariables = reader.variables.unused()
    (self.name, self.path) = (name, path)
  }

  /// Reads the file at `path`.
  ///
  /// Throws if it is missing, a directory, unreadable or over `SourceFile.limit`, and what `decode`
  /// throws. A pipe is read to its end, and waited for.
  /// - Parameter variables: Build settings by name, which fill `$(NAME)` and
  ///   `${NAME:rfc1034identifier}` in the values that are read; see `decode`.
  public static func read(_ path: String, variables: [String: String] = [:]) throws(FileErrors)
    -> InfoPlist
  {
    let bytes: [UInt8]
    do {
      bytes = try FileBytes.read(path, limit: SourceFile.limit)
    } catch {
      if case .overLimit = error {
        throw FileErrors([PropertyListRefusal.tooLong.diagnostic(in: path)])
      }
      throw SourceFile.refusal(of: path, error, SourceFile.limit)
    }
    return try InfoPlist(name: path, path: path, bytes: bytes, variables: variables)
  }

  /// The manifest in `bytes`, which errors call `name`.
  ///
  /// Throws if it is empty, over `SourceFile.limit`, not a property list or not a dictionary, or if
  /// a key that matters here holds a value of the wrong type: then every such key is told. The rest
  /// of the file is not looked at.
  /// - Parameter variables: Build settings by name:
  ///   `["PRODUCT_BUNDLE_IDENTIFIER": "com.example.mail"]` fills `$(PRODUCT_BUNDLE_IDENTIFIER)`.
  ///   The modifiers `rfc1034identifier`, `identifier`, `lower` and `upper` are applied, as Xcode
  ///   does. A value is put in as it stands; one that fills nothing is warned of.
  public static func decode(_ bytes: [UInt8], name: String, variables: [String: String] = [:])
    throws(FileErrors) -> InfoPlist
  {
    try InfoPlist(name: name, path: nil, bytes: bytes, variables: variables)
  }
}
