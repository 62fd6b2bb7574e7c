import CurfewEngine
import TestRuns
import TestSupport
import Testing

@testable import Curfew

/// The places of open tasks.
@Suite(.inTurn) struct OpenTasksTests {
  private func contradiction(_ device: Device) -> String? {
    device.core.withState { $0.tasks.contradiction() }
  }

  @Test func `no task is at two places, and free places hold nothing, in random lives`() throws {
    var (begun, reused) = (0, 0)
    for seed in Campaign.seeds(10) {
      var random = SeededGenerator(seed: seed)
      let device = Device(policy: .ios13)
      let apps = ["mail", "chat", "maps"].map { device.register($0) }
      var (tasks, slots) = ([(app: App, task: BackgroundTaskIdentifier)](), Set<UInt32>())
      for step in 0..<300 {
        let app = random.pick(apps)
        switch random.below(20) {
        case 0...2: app.launch()
        case 3...4: device.home()
        case 5: random.oneIn(2) ? app.crash() : app.forceQuit()
        case 6: device.advance(by: .seconds(random.pick([0, 1, 20, 40])))
        case 7...13:
          var request = TaskBegin(name: "upload", origin: .unknown)
          if random.oneIn(2) { request.handler = .cancelling {} }
          if random.oneIn(2) { request.whenLost = {} }
          let task = device.core.beginTask(app.id, request)
          guard task != .invalid else { break }
          begun += 1
          if !slots.insert(task.task.slot).inserted { reused += 1 }
          tasks.append((app, task))
        default:
          guard !tasks.isEmpty else { break }
          // Ended tasks stay in the list, so that some are ended twice.
          let (owner, task) = random.pick(tasks.suffix(6))
          owner.endBackgroundTask(task)
        }
        try #require(contradiction(device) == nil, "seed \(seed), step \(step)")
      }
      device.close()
      try #require(contradiction(device) == nil, "seed \(seed), closed")
    }
    #expect(begun > 100 && reused > 50, "\(begun) tasks, \(reused) at used places")
  }

  @Test func `a place that is taken twice contradicts the count`() {
    let device = Device(policy: .ios13)
    let app = device.register("mail")
    app.launch()
    let task = app.beginBackgroundTask()
    var (tasks, record) = (OpenTasks(), device.core.withState { $0.apps[app.id] })
    record.lastTask = .max
    for _ in 0..<2 {
      var request = TaskBegin(name: "", origin: .unknown)
      _ = tasks.insert(task.task, of: app.id, &request, at: device.core.now, &record)
    }
    #expect(tasks.contradiction() == "1 places have a task, 2 tasks are open")
  }
}
