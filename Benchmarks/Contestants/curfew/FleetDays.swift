import CurfewEngine
@_spi(Benchmarks) import CurfewSimulation
import CurfewTrace

/// A day of the shipped workload on the devices of a plan of `fleet-rate/1`.
@MainActor private func fleet(_ plan: borrowing Plan) throws -> (Fleet, devices: Int) {
  let devices = max(1, try plan.number("devices"))
  let seed = plan.text("seed").flatMap { UInt64($0) } ?? 0
  return (
    Fleet(try Workload.shippedPhone(), devices: devices, length: day, seed: seed), devices
  )
}

private let day = Interval.seconds(86_400)

extension Text {
  fileprivate mutating func append(events: Int, suspensions: Int) {
    append("events", events)
    append("checksum", text: UInt64(events) &* 31 &+ UInt64(suspensions))
  }
}

/// The fleet on one thread, with the model that decides what users and apps do.
final class FleetDays: Contestant {
  private let devices: Fleet
  private var figures: Figures?

  init(_ plan: inout Plan) throws { devices = try fleet(plan).0 }

  func run(start: Int64) -> Measurement { .of { figures = devices.run(jobs: 1).figures } }

  func answer(to text: inout Text) {
    guard let figures else { return }
    text.append(events: figures[.events], suspensions: figures.total[.suspensions])
  }
}

/// The bare engine on the same events and deadlines, which were recorded before.
final class TapedDays: Contestant {
  private let tapes: [FleetTape]
  private var played = FleetTape.Counts()

  init(_ plan: inout Plan) throws {
    let (fleet, devices) = try fleet(plan)
    tapes = fleet.tapes(ofFirst: devices)
  }

  func run(start: Int64) -> Measurement {
    .of {
      played = FleetTape.Counts()
      for tape in tapes { tape.play(until: .zero + day, into: &played) }
    }
  }

  func answer(to text: inout Text) {
    text.append(events: played.events, suspensions: played.suspensions)
  }
}
