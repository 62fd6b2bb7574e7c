// swift-tools-version: 6.2
import PackageDescription

import struct Foundation.URL

// This is a separate package, so programs that embed Curfew do not fetch its dependencies. A
// package given by its path is identified by its folder's name, which depends on the clone.
let curfew = URL(fileURLWithPath: Context.packageDirectory).deletingLastPathComponent()
  .lastPathComponent

let settings: [SwiftSetting] =
  Context.environment["CURFEW_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let package = Package(
  name: "curfew-benchmarks",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(path: "..", traits: ["Benchmarks"]),
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    // The harness; everything in it is in CurfewBenchCommand.
    .executableTarget(
      name: "bench", dependencies: [.product(name: "CurfewBench", package: curfew)],
      swiftSettings: settings),
    // Fixed amounts of work, whose instructions `bench count` counts. Valgrind 3.19 ends at debug
    // information in DWARF 5. Checks of exclusive access to the properties of a work would be
    // a third of its instructions.
    .executableTarget(
      name: "counts",
      dependencies: [
        .product(name: "Curfew", package: curfew), .product(name: "CurfewEngine", package: curfew),
        .product(name: "CurfewSimulation", package: curfew),
      ],
      swiftSettings: settings + [.unsafeFlags(["-enforce-exclusivity=unchecked"])],
      linkerSettings: [.unsafeFlags(["-Xlinker", "--strip-debug"], .when(platforms: [.linux]))]),
    // The canonical cycle: app cycles per second, compared with the bare queue and a rival.
    .executableTarget(
      name: "CanonicalCycle", dependencies: [.product(name: "CurfewEngine", package: curfew)],
      swiftSettings: settings),
    // Victims under memory pressure, compared with a scan of all apps.
    .executableTarget(
      name: "MemoryPressure", dependencies: [.product(name: "CurfewEngine", package: curfew)],
      swiftSettings: settings),
    // The rate of a fleet, compared with the bare engine on the same events, and the speed-up from
    // a second thread.
    .executableTarget(
      name: "FleetRate",
      dependencies: [
        .product(name: "CurfewEngine", package: curfew),
        .product(name: "CurfewSimulation", package: curfew),
      ], swiftSettings: settings),
    // The cost of one expiration on a whole device in real time, compared with a bare timer loop on
    // the same number of deadlines.
    .systemLibrary(name: "CTimer"),
    .executableTarget(
      name: "Expirations",
      dependencies: [
        "CTimer", .product(name: "Curfew", package: curfew),
        .product(name: "CurfewEngine", package: curfew),
        .product(name: "CurfewUV", package: curfew),
      ], swiftSettings: settings),
    // The cost of a background task through the API, compared with the engine alone and a fake
    // like those in SDKs.
    .executableTarget(
      name: "BeginEnd",
      dependencies: [
        .product(name: "Curfew", package: curfew), .product(name: "CurfewEngine", package: curfew),
      ],
      swiftSettings: settings),
    // The cost of bounding a job, and the lateness of its end, compared with Task.sleep and a
    // service group.
    .executableTarget(
      name: "Jobs",
      dependencies: [
        .product(name: "Curfew", package: curfew), .product(name: "CurfewUV", package: curfew),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: settings),
    // The timer queue alone, in ordinary and worst cases.
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
