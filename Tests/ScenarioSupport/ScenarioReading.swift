package import CurfewSimulation
import CurfewText
import TestSupport

/// The errors of a scenario's text, as a person reads them.
package func scenarioErrors(_ text: String, file: String = "mail.yaml") -> [String] {
  do throws(FileErrors) {
    _ = try Scenario.decode(try SourceFile(name: file, bytes: Array(text.utf8)))
    return []
  } catch {
    return keepRefused(text, "scenario", error.diagnostics.map(\.description))
  }
}

package func scenario(_ text: String, file: String = "mail.yaml") throws -> Scenario {
  try Scenario.decode(try SourceFile(name: file, bytes: Array(text.utf8)))
}
