import CurfewEngine

/// What happens to the device and to its apps from outside.
extension DeviceRun {
  // MARK: Wakes

  /// An app's wake is planned under one number: the app, and the place of the model.
  mutating func planArrival(_ app: Int, _ index: Int) {
    let wake = plan.sorts[apps[app].sort].model.wakes[index]
    let rhythm = wake.followsRhythm ? plan.rhythm : plan.evenly
    let next = rhythm.next(after: driver.now, perDay: wake.perDay, &apps[app].arrivals)
    guard next < .distantFuture else { return }
    plan(Due.arrival.number(app << 6 | index), at: next)
  }

  mutating func arrivalIsDue(_ number: Int) {
    let (app, index) = (number >> 6, number & 63)
    planArrival(app, index)
    say(.deliver(AppID(rawValue: UInt32(app)), plan.sorts[apps[app].sort].wakes[index]))
  }

  // MARK: The day

  mutating func beginDay() {
    for index in plan.workload.device.daily.indices { planDaily(index, day: 0) }
    planBattery()
  }

  private mutating func planDaily(_ index: Int, day: Int64) {
    let change = plan.workload.device.daily[index]
    let jitter = Int64(Double(change.jitter.nanoseconds) * (2 * chance.unit() - 1))
    let at = day * 86_400_000_000_000 + change.at.nanoseconds + jitter
    plan(Due.daily.number(index), at: max(driver.now, Instant(nanoseconds: at)))
  }

  mutating func dailyIsDue(_ index: Int) {
    let change = plan.workload.device.daily[index]
    // Of two that fall on one day because one came early and one late, each has its own.
    let day = (driver.now.nanoseconds + 43_200_000_000_000 - change.at.nanoseconds) / 86_400_000_000_000
    planDaily(index, day: day + 1)
    guard chance.chance(change.chance) else { return }
    let wasCharging = facts.isCharging
    change.change(&facts)
    setDevice()
    if facts.isCharging != wasCharging {
      cancel(batteryTick)
      planBattery()
    }
  }

  private mutating func setDevice() { say(.setDevice(facts)) }

  // MARK: The battery

  /// The battery's level is told in steps of so many percent.
  private static var batteryStep: Int64 { 5 }

  private mutating func planBattery() {
    guard let battery = plan.workload.device.battery, facts.isCharging ? facts.battery < 100 : facts.battery > 0 else { return }
    let whole = facts.isCharging ? battery.charges : battery.lasts
    let length = Interval(nanoseconds: whole.nanoseconds / 100 * DeviceRun.batteryStep)
    batteryTick = plan(Due.battery.number(0), at: driver.now + length)
  }

  mutating func batteryIsDue() {
    let step = facts.isCharging ? DeviceRun.batteryStep : -DeviceRun.batteryStep
    facts.battery = UInt8(min(100, max(0, Int64(facts.battery) + step)))
    if let limit = plan.workload.device.battery?.lowPowerModeUnder { facts.lowPowerMode = facts.battery < limit }
    setDevice()
    planBattery()
  }
}
