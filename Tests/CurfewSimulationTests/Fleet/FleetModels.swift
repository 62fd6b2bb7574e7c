import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewTrace

/// Small populations whose figures have closed forms.
enum FleetModels {
  static let day = Interval.seconds(86_400)

  static func seconds(_ seconds: Double) -> Double { seconds * 1e9 }

  /// One app that the user opens `opens` times a day, for a second each.
  static func workload(
    _ policy: String = "ios13", opens: Double = 200, _ change: (inout WorkloadApp) -> Void
  ) throws -> Workload {
    var app = WorkloadApp("app")
    change(&app)
    var workload = Workload(name: "x", policy: try PolicyFile.load(policy), apps: [app])
    workload.user.unlocks = opens
    workload.user.visit = Distribution(.constant(seconds(1)))
    return workload
  }

  static func run(
    _ workload: Workload, devices: Int, days: Int64 = 1, seed: UInt64 = 1, jobs: Int = 2
  ) -> Figures {
    Fleet(workload, devices: devices, length: .seconds(86_400 * days), seed: seed).run(jobs: jobs)
      .figures
  }

  /// Whether a share of `count` trials is within five standard deviations of `expected`.
  static func isNear(_ share: Double, _ expected: Double, of count: Int) -> Bool {
    abs(share - expected) < 5 * (expected * (1 - expected) / Double(count)).squareRoot() + 1e-12
  }
}
