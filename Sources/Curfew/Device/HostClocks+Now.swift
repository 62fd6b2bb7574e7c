import CurfewSystem
public import CurfewTrace

extension HostClocks {
  /// The clocks of this host now. Where the system has no id of its boot, the instant of the boot
  /// in whole minutes stands for it.
  public static func now() -> HostClocks {
    let uptime = SystemClock.boottime.now
    let wall = max(0, SystemClock.timeOfDay)
    let id = try? FileBytes.read("/proc/sys/kernel/random/boot_id", limit: 64)
    let boot = id.map { String(decoding: $0.filter { $0 > 0x20 }, as: UTF8.self) }
    return HostClocks(
      boot: boot ?? "booted at \((wall - uptime) / 60_000_000_000)", uptime: uptime, wall: wall)
  }
}
