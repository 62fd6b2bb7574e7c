import CurfewEngine
import CurfewText

/// Remarks about background modes that no rule mentions.
enum UnknownMode {
  /// Values that Apple documents for `UIBackgroundModes` and that no policy here mentions.
  static let withoutRules = ["nearby-interaction", "network-authentication", "push-to-talk"]

  /// Xcode shows a mode as a phrase, which people copy into the file instead of the mode's value.
  /// The table has only phrases that do not contain the words of the value. `App plays audio`
  /// is missing, because it contains `audio`.
  private static let phrases = [
    "app provides voice over ip services": "voip",
    "app communicates with an accessory": "external-accessory",
    "app downloads content from the network": "fetch",
    "app downloads content in response to push notifications": "remote-notification",
    "app communicates using corebluetooth": "bluetooth-central",
    "app shares data using corebluetooth": "bluetooth-peripheral",
    "app processes data in the background": "processing",
    "app processes newsstand kit downloads": "newsstand-content",
  ]
  /// The longest text that is compared. All phrases are shorter.
  private static let longest = 100

  /// `'background-processing' is not a background mode; did you mean 'processing'?`
  static func remark(on mode: String) -> String {
    if withoutRules.contains(mode) {
      return "'\(mode)' is a mode of iOS that no rule here covers; ignored"
    }
    let hint =
      nearest(to: mode).map { "; did you mean '\($0)'?" }
      ?? "; expected one of: \(BackgroundModes.fileNames.joined(separator: ", "))"
    return "\(mode.quoted) is not a background mode\(hint)"
  }

  /// Compares the spelling, then Xcode's phrases. If neither matches, finds the first mode whose
  /// words all occur in the text.
  private static func nearest(to mode: String) -> String? {
    guard mode.utf8.count <= longest else { return nil }
    let names = BackgroundModes.fileNames + withoutRules
    if let name = NearestName.to(mode, among: names) ?? phrases[mode.lowercased()] { return name }
    let words = mode.lowercased().split { !$0.isLetter }
    return names.first { $0.split(separator: "-").allSatisfy(words.contains) }
  }
}
