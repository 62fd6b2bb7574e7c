import CurfewManifest
import CurfewText
import Foundation

/// The same manifest in each format of a property list.
enum PlistForm: CaseIterable {
  case xml, binary

  static let xmlText = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
      <key>CFBundleIdentifier</key><string>com.example.mail</string>
      <key>CFBundleVersion</key><string>$(CURRENT_PROJECT_VERSION)</string>
      <key>UIApplicationExitsOnSuspend</key><true/>
      <key>UIBackgroundModes</key>
      <array><string>audio</string><string>processing</string><string>remote-notification</string></array>
      <key>BGTaskSchedulerPermittedIdentifiers</key>
      <array><string>com.example.mail.sync</string><string>com.example.mail.éclair</string></array>
      <key>Other</key>
      <array><dict><key>a</key><real>2.5</real></dict><date>2026-01-01T00:00:00Z</date><data>AAAA</data><integer>-1</integer></array>
    </dict>
    </plist>
    """

  var bytes: [UInt8] {
    get throws {
      switch self {
      case .xml: Array(Self.xmlText.utf8)
      case .binary: try binaryForm(of: Self.xmlText)
      }
    }
  }
}

/// A manifest with one key, whose value is on line 5; `fetches` adds the mode that task
/// identifiers need.
func manifest(_ key: String, _ value: String, fetches: Bool = false) -> String {
  """
  <?xml version="1.0" encoding="UTF-8"?>
  <plist version="1.0">
  <dict>
  <key>\(key)</key>
  \(value)\(fetches ? "<key>UIBackgroundModes</key><array><string>fetch</string></array>" : "")
  </dict>
  </plist>
  """
}

func manifest(modes: [String]) -> [UInt8] {
  Array(
    manifest(
      "UIBackgroundModes", "<array>\(modes.map { "<string>\($0)</string>" }.joined())</array>"
    ).utf8)
}

/// The property list `xml` in the binary form.
func binaryForm(of xml: String) throws -> [UInt8] {
  let list = try PropertyListSerialization.propertyList(
    from: Data(xml.utf8), options: [], format: nil)
  return Array(
    try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0))
}

func bothForms(of xml: String) throws -> [[UInt8]] { [Array(xml.utf8), try binaryForm(of: xml)] }

/// The warnings without their places, which the binary form lacks.
func descriptions(_ plist: InfoPlist) -> [String] { unplaced(plist.warnings.map(\.description)) }

/// `Info.plist:4:1: error: …` as `Info.plist: error: …`
func unplaced(_ lines: [String]) -> [String] {
  lines.map { $0.replacing(#/^([^:]*):\d+:\d+: /#) { "\($0.output.1): " } }
}
