import Curfew
import CurfewMetrics
import Testing

@Suite struct MetricsExamples {
  @Test func `a device's metrics are reported every 10 seconds and on request`() async {
    let device = Device(policy: .ios13)
    let metrics = DeviceMetrics(device, dimensions: [("device", "kitchen")])
    let reporting = Task { await metrics.run(every: .seconds(10)) }
    metrics.report()
    reporting.cancel()
    await reporting.value
  }
}
