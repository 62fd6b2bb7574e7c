import Curfew
import CurfewMetrics
import Testing

@Suite struct MetricsExamples {
  @Test func `a device's metrics, at their own pace or the program's`() async {
    let device = Device(policy: .ios13)
    let metrics = DeviceMetrics(device, dimensions: [("device", "kitchen")])
    let reporting = Task { await metrics.run(every: .seconds(10)) }
    metrics.report()
    reporting.cancel()
    await reporting.value
  }
}
