public import CurfewEngine
import CurfewSystem
public import CurfewText

/// The background declarations of a real app's `Info.plist`, an XML or binary property list.
///
/// Files are read as they stand in repositories, with variables that only a build expands, or modes
/// that do not exist. A value with a clear meaning is read, with a warning; any other value
/// is an error.
public struct InfoPlist: Hashable, Sendable {
  /// `CFBundleIdentifier`; nil if it is missing or blank, or contains a control character or a
  /// variable (`$(…)`, `${…}`) that was not given.
  public let bundleIdentifier: String?
  /// The values of `UIBackgroundModes` that the rules know.
  public let backgroundModes: BackgroundModes
  /// The other values of `UIBackgroundModes`, in the order of the file. A policy may know some
  /// of them.
  public let otherModes: [String]
  /// `UIApplicationExitsOnSuspend`; false if it is missing.
  public let exitsOnSuspend: Bool
  /// `BGTaskSchedulerPermittedIdentifiers`, in the order of the file, without duplicates. Wildcards
  /// and variables that were not given stay as written.
  public let permittedIdentifiers: [String]
  /// Warnings about the file and its keys, then about the values, by key, then about the variables.
  /// In an XML list, a warning about a key or a value has a line. There are at most a hundred
  /// warnings about the file, and at most a hundred about variables.
  public var warnings: [FileDiagnostic] {
    fileWarnings + requestWarnings
      + unusedVariables.map { FileDiagnostic(.warning, file: name, $0.message) }
  }
  /// The path that the list was read from; nil if its bytes came from elsewhere.
  public let path: String?

  /// The warnings except `requestWarnings` and `unusedVariables`.
  package let fileWarnings: [FileDiagnostic]
  /// The warnings about modes and identifiers that do not go together. They matter only
  /// if both the modes and the identifiers come from the file.
  package let requestWarnings: [FileDiagnostic]
  package let unusedVariables: [UnusedVariable]
  /// The remarks in `fileWarnings` about `otherModes`, by mode.
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
  /// A pipe is read until it is closed.
  ///
  /// - Parameter variables: Build settings by name, which fill `$(NAME)` and
  ///   `${NAME:rfc1034identifier}` in the values that are read; see `decode`.
  /// - Throws: An error if the file is missing, a directory, unreadable or larger than
  ///   `SourceFile.limit`, or if `decode` throws.
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

  /// The manifest in `bytes`. `name` is the name of the file in errors.
  ///
  /// If the call throws, the error lists every key whose value has the wrong type. The rest of the
  /// file is not checked.
  ///
  /// - Parameter variables: Build settings by name:
  ///   `["PRODUCT_BUNDLE_IDENTIFIER": "com.example.mail"]` fills `$(PRODUCT_BUNDLE_IDENTIFIER)`.
  ///   The modifiers `rfc1034identifier`, `identifier`, `lower` and `upper` are applied as Xcode
  ///   does. A value is inserted unchanged. A variable that no value refers to gets a warning.
  /// - Throws: An error if the list is empty, larger than `SourceFile.limit`, not a property list
  ///   or not a dictionary, or if one of the keys above has a value of the wrong type.
  public static func decode(_ bytes: [UInt8], name: String, variables: [String: String] = [:])
    throws(FileErrors) -> InfoPlist
  {
    try InfoPlist(name: name, path: nil, bytes: bytes, variables: variables)
  }
}
