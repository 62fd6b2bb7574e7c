import Curfew
import Neighbor
import Testing

/// Everyday names mean the neighbor's types, and Curfew's values need none of them.
@Suite struct NeighborTests {
  @Test func `a neighbor's types keep their names`() {
    let (event, trace, task, action, engine) = (Event(), Trace(), TaskID(), Action(), Engine())
    #expect(
      type(of: event) == Neighbor.Event.self && type(of: trace) == Neighbor.Trace.self
        && type(of: task) == Neighbor.TaskID.self)
    #expect(type(of: action) == Neighbor.Action.self && type(of: engine) == Neighbor.Engine.self)
    let others: [Any] = [Driver(), Policy(), Manifest(), Budget(), Post(), Answer(), TimerQueue()]
    #expect(others.count == 7)
  }

  @Test func `instants are counted and traces are read beside them`() throws {
    let device = Device(policy: .ios13)
    let app = device.register("mail")
    device.startRecording()
    app.launch()
    _ = app.beginBackgroundTask(withName: "upload")
    device.home()
    device.advance(by: .seconds(30))
    let end = try #require(app.processEnds.last)
    #expect(
      end.instant == .zero + .seconds(30) && end.instant - .seconds(10) == .zero + .seconds(20))
    #expect(device.now - end.instant == .zero)
    let recorded: Device.Trace = device.recordedTrace(name: "neighbor")
    #expect(
      recorded.lines.contains {
        if case .task(.begin, _, name: "upload") = $0.body { true } else { false }
      })
  }
}
