// swift-tools-version: 6.2
import PackageDescription

import struct Foundation.URL

// A package of its own, so that whoever embeds Curfew fetches none of this. A package that is named
// by its path has its folder's name for an identity, whatever the clone is called.
let curfew = URL(fileURLWithPath: Context.packageDirectory).deletingLastPathComponent()
  .lastPathComponent

let settings: [SwiftSetting] =
  Context.environment["CURFEW_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let package = Package(
  name: "curfew-benchmarks",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(path: "..", traits: ["RealTime"]),
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    // The canonical cycle: whole app cycles a second, beside the bare queue and a rival.
    .executableTarget(
      name: "CanonicalCycle", dependencies: [.product(name: "CurfewEngine", package: curfew)],
      swiftSettings: settings),
    // Victims under memory pressure, beside a scan of all apps.
    .executableTarget(
      name: "MemoryPressure", dependencies: [.product(name: "CurfewEngine", package: curfew)],
      swiftSettings: settings),
    // A fleet's rate, beside the bare engine's on the same events, and what a second thread gives.
    .executableTarget(
      name: "FleetRate",
      dependencies: [
        .product(name: "CurfewEngine", package: curfew),
        .product(name: "CurfewSimulation", package: curfew),
      ], swiftSettings: settings),
    // What one expiration costs through the whole of a device in real time, beside a bare timer
    // loop on as many deadlines.
    .systemLibrary(name: "CTimer"),
    .executableTarget(
      name: "Expirations",
      dependencies: [
        "CTimer", .product(name: "Curfew", package: curfew),
        .product(name: "CurfewEngine", package: curfew),
        .product(name: "CurfewUV", package: curfew),
      ], swiftSettings: settings),
    // What a background task costs through the API, beside the engine alone and a fake as SDKs
    // have them.
    .executableTarget(
      name: "BeginEnd",
      dependencies: [
        .product(name: "Curfew", package: curfew), .product(name: "CurfewEngine", package: curfew),
      ],
      swiftSettings: settings),
    // What it costs to bound a job, and how late its end comes, beside Task.sleep and a
    // service group.
    .executableTarget(
      name: "Jobs",
      dependencies: [
        .product(name: "Curfew", package: curfew), .product(name: "CurfewUV", package: curfew),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: settings),
    // The timer queue alone, at its ordinary work and at its worst.
    .executableTarget(
      name: "TimerQueueBenchmarks",
      dependencies: [
        .product(name: "CurfewEngine", package: curfew),
        .product(name: "Benchmark", package: "benchmark"),
      ],
      path: "Benchmarks/TimerQueueBenchmarks",
      swiftSettings: settings,
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
  ],
  swiftLanguageModes: [.v6]
)
