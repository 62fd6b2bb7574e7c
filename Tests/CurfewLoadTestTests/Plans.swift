import CurfewLoadTest
import CurfewPolicy
import Foundation

/// Options of a plan under a built-in policy: by default segments of 2 s at 1/100.
func options(_ policy: String = "ios13", apps: Int, segments: Int = 1, seed: UInt64 = 1) throws
  -> LoadTestOptions
{
  var options = LoadTestOptions(policy: try PolicyFile.load(policy))
  options.apps = apps
  options.segments = segments
  options.lengthNanoseconds = Int64(segments) * 2_000_000_000
  options.seed = seed
  return options
}

/// ios13 with these additional lines.
func own(_ lines: String) throws -> PolicyFile {
  let file = FileManager.default.temporaryDirectory.appendingPathComponent(
    "own-\(UUID().uuidString).yaml")
  defer { try? FileManager.default.removeItem(at: file) }
  try Data("curfew: policy/1\nname: own\nextends: ios13\n\(lines)\n".utf8).write(to: file)
  return try PolicyFile.load(file.path)
}
