import CurfewEngine
import CurfewPolicy
import CurfewSimulation
import CurfewTrace

// The article on populations quotes this code; `PopulationsArticleTests` compares it.
/// The share of lost uploads under three grants, for the same hundred users under each.
func lostUploads() throws -> [(grant: String, share: Double)] {
  var camera = WorkloadApp("camera")
  camera.tasks = [TaskModel("upload", work: Distribution(.exponential(mean: 43e9)))]
  var workload = Workload(name: "Uploads", policy: try PolicyFile.load("ios13"), apps: [camera])
  workload.user.unlocks = 40
  workload.user.visit = .logNormal(median: 12.2e9, p90: 180.7e9)
  return try ["30s", "3m", "10m"].map { grant in
    try workload.policy.set("tasks.grant", grant)
    let work = Fleet(workload, devices: 100, length: .seconds(86_400), seed: 1).run(jobs: 2).figures
      .total.work
    return (grant, Double(work[.lost]) / Double(work[.begun]))
  }
}

/// A player that is a closure. With probability 0.5, it keeps playing in the background for ten
/// minutes after the user leaves it.
func player() -> WorkloadApp {
  var player = WorkloadApp("player")
  player.manifest.backgroundModes = .audio
  player.behavior = { turn in
    switch turn.cause {
    case .moment(.callback(.didEnterBackground)):
      guard turn.random.chance(0.5) else { return }
      turn.say(.startSession(turn.app, .audio))
      turn.plan(1, after: .seconds(600))
    case .planned:
      turn.say(.stopSession(turn.app, .audio))
    case .moment, .expiration: break
    }
  }
  return player
}
