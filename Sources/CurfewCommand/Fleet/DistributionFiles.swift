import CurfewReports
import CurfewSimulation
import Foundation

extension FigureResult {
  /// Writes every distribution to a file of its own in `folder`, which is made where there is none.
  func writeDistributions(to folder: String, on console: Console) throws {
    // Where it cannot be made the first file says why.
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var names: Set<String> = []
    for distribution in figures.distributions(under: policy) {
      var name = DistributionName.text(distribution)
      // 'a.b' and 'c' are written like 'a' and 'b.c'.
      while !names.insert(name).inserted { name += "+" }
      let file = try console.open("\(folder)/\(name).hgrm", "--hgrm", besides: [])
      try file.write(PercentileText.hgrm(distribution.tally, unit: distribution.unit).trimmingCharacters(in: .newlines))
      try file.close()
    }
  }
}

/// What a distribution's file is called.
private enum DistributionName {
  /// `camera.upload.delay`
  static func text(_ distribution: FigureDistribution) -> String {
    [distribution.app.isEmpty ? "all" : distribution.app, distribution.about, distribution.figure].filter { !$0.isEmpty }
      .map(written).joined(separator: ".")
  }

  /// As a file may be called anywhere: what else stands in a name is told by its bytes.
  private static func written(_ name: String) -> String {
    let sound = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_")
    return name.addingPercentEncoding(withAllowedCharacters: sound) ?? name
  }
}
