public import CurfewPolicy
public import CurfewText

extension AppManifest {
  /// The manifest in an `Info.plist`, XML or binary.
  ///
  /// `warnings` lists the oddities of the file: a mode that does not exist, a misspelt key,
  /// a variable without a value.
  /// - Parameter variables: Build settings by name:
  ///   `["PRODUCT_BUNDLE_IDENTIFIER": "com.example.mail"]` fills `$(PRODUCT_BUNDLE_IDENTIFIER)`.
  /// - Throws: The errors in the file, each with its place.
  public init(infoPlist path: String, variables: [String: String] = [:]) throws(FileErrors) {
    self.init(try InfoPlist.read(path, variables: variables))
  }

  /// The manifest that `plist` declares, with its warnings.
  public init(_ plist: InfoPlist) {
    self.init(
      backgroundModes: plist.backgroundModes, exitsOnSuspend: plist.exitsOnSuspend,
      permittedIdentifiers: plist.permittedIdentifiers,
      otherModes: plist.otherModes)
    remarks = ManifestRemarks(plist.warnings)
  }
}
