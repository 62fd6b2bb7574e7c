import CurfewEngine

/// Events from outside: wakes, daily changes and the battery.
extension DeviceRun {
  // MARK: Wakes

  /// Plans the next arrival of a wake. One number identifies both the app and the wake's index.
  mutating func planArrival(_ app: Int, _ index: Int) {
    let sort = plan.sorts[apps[app].sort]
    let rhythm = sort.model.wakes[index].followsRhythm ? plan.rhythm : plan.evenly
    let path = apps[app].path.app(.arrivals).child(sort.wakeNumbers[index])
    var stream = path.stream(apps[app].arrived[index])
    let perDay = sort.model.wakes[index].perDay
    let next = rhythm.next(after: driver.now, perDay: perDay, &stream)
    guard next < .distantFuture else { return }
    plan(Due.arrival.number(app << FleetPlan.wakeBits | index), at: next)
  }

  mutating func arrivalIsDue(_ number: Int) {
    let (app, index) = (number >> FleetPlan.wakeBits, number & (1 << FleetPlan.wakeBits - 1))
    apps[app].arrived[index] += 1
    planArrival(app, index)
    say(.deliver(AppID(rawValue: UInt32(app)), plan.sorts[apps[app].sort].wakes[index]))
  }

  // MARK: The day

  mutating func beginDay() {
    for index in plan.workload.device.daily.indices { planDaily(index, day: 0) }
    planBattery()
  }

  /// The random numbers for one day's change: its jitter, then whether it occurs.
  private func daily(_ index: Int, day: Int) -> RandomStream {
    user.path.device(.daily).child(UInt64(index)).stream(day)
  }

  private mutating func planDaily(_ index: Int, day: Int) {
    let change = plan.workload.device.daily[index]
    var stream = daily(index, day: day)
    let jitter = Int64(Double(change.jitter.nanoseconds) * (2 * stream.unit() - 1))
    let at = Instant.zero + .seconds(Int64(day) * 86_400) + change.at + .nanoseconds(jitter)
    days[index] = day
    if at < .distantFuture { plan(Due.daily.number(index), at: max(driver.now, at)) }
  }

  mutating func dailyIsDue(_ index: Int) {
    let change = plan.workload.device.daily[index]
    var stream = daily(index, day: days[index])
    _ = stream.unit()
    let comes = stream.chance(change.chance)
    planDaily(index, day: days[index] + 1)
    guard comes else { return }
    let before = (facts.charging, facts.battery)
    change.change(&facts)
    say(.setDevice(facts))
    guard (facts.charging, facts.battery) != before else { return }
    cancel(batteryTick)
    planBattery()
  }

  // MARK: The battery

  /// The step in which the battery's level is reported, in percent.
  private static var batteryStep: Int64 { 5 }

  private mutating func planBattery() {
    guard let battery = plan.workload.device.battery,
      facts.charging ? facts.battery < 100 : facts.battery > 0
    else { return }
    let whole = facts.charging ? battery.charges : battery.lasts
    let length = Interval(nanoseconds: whole.nanoseconds / 100 * DeviceRun.batteryStep)
    batteryTick = plan(Due.battery.number(0), at: driver.now + length)
  }

  mutating func batteryIsDue() {
    let step = facts.charging ? DeviceRun.batteryStep : -DeviceRun.batteryStep
    let before = facts.battery
    facts.battery = UInt8(min(100, max(0, Int64(before) + step)))
    // The user switches Low Power Mode only when the level crosses the limit.
    if let limit = plan.workload.device.battery?.lowPowerModeUnder,
      (before < limit) != (facts.battery < limit)
    {
      facts.lowPowerMode = facts.battery < limit
    }
    say(.setDevice(facts))
    planBattery()
  }
}
