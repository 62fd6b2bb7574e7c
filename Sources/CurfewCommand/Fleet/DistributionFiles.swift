import CurfewLoadTest
import CurfewSimulation
import CurfewTrace
import Foundation
import Histogram

extension FigureResult {
  /// Writes each distribution to its own file in `folder`, which is created if it does not exist.
  func writeDistributions(to folder: String, on console: Console) throws {
    // If this fails, opening the first file reports why.
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var names: Set<String> = []
    for distribution in figures.distributions(under: policy) {
      var name = DistributionName.text(distribution)
      // 'a.b' and 'c' give the same name as 'a' and 'b.c'.
      while !names.insert(name).inserted { name += "+" }
      let file = try console.open("\(folder)/\(name).hgrm", "--hgrm", besides: [])
      try file.write(distribution.hgrm)
      try file.close()
    }
  }
}

extension FigureDistribution {
  /// The text of its file. Each value is the upper bound of its bucket.
  fileprivate var hgrm: String {
    var histogram = Histogram<UInt64>(
      highestTrackableValue: UInt64(max(2, tally.greatest)), numberOfSignificantValueDigits: .three)
    for bucket in tally.buckets {
      histogram.record(UInt64(min(bucket.upperBound, tally.greatest)), count: UInt64(bucket.count))
    }
    return unit == "s" ? histogram.hgrm("seconds", per: 1e9) : histogram.hgrm(unit, per: 1)
  }
}

/// The name of a distribution's file: `camera.upload.delay`.
private enum DistributionName {
  static func text(_ distribution: FigureDistribution) -> String {
    [distribution.app.isEmpty ? "all" : distribution.app, distribution.about, distribution.figure]
      .filter { !$0.isEmpty }
      .map(written).joined(separator: ".")
  }

  /// The name with only characters that every file system allows; others are percent-encoded.
  private static func written(_ name: String) -> String {
    let sound = CharacterSet(
      charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_")
    return name.addingPercentEncoding(withAllowedCharacters: sound) ?? name
  }
}
