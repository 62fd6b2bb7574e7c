// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (Context.environment["CURFEW_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)])

// Conditional, so that SwiftPM does not ask for libuv if the trait is off.
let libuv: Target.Dependency = .target(name: "CLibuv", condition: .when(traits: ["RealTime"]))

let package = Package(
  name: "curfew",
  platforms: [
    .macOS(.v13), .macCatalyst(.v16), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1),
  ],
  products: [
    // A static library, because `swift build --product Curfew` then builds only this product.
    // If the type is automatic, SwiftPM builds the whole package: dependents see no difference.
    .library(name: "Curfew", type: .static, targets: ["Curfew"]),
    .library(name: "CurfewTesting", targets: ["CurfewTesting"]),
    .library(name: "CurfewEngine", targets: ["CurfewEngine", "CurfewPolicy", "CurfewTrace"]),
    .library(name: "CurfewSimulation", targets: ["CurfewSimulation"]),
    .library(name: "CurfewUV", targets: ["CurfewUV"]),
    .library(name: "CurfewMetrics", targets: ["CurfewMetrics"]),
    // The harness of the benchmark suite, for the package in `Benchmarks` alone.
    .library(name: "CurfewBench", targets: ["CurfewBenchCommand"]),
    .executable(name: "curfew", targets: ["CurfewCommand"]),
  ],
  traits: [
    .trait(name: "RealTime", description: "The real clock, CurfewUV. Needs libuv."),
    .trait(
      name: "Experiments",
      description: "The command's policy experiments and their results. Needs SQLite."),
    .trait(
      name: "Benchmarks", description: "The harness of the benchmark suite, CurfewBench.",
      enabledTraits: ["RealTime"]),
    .trait(
      name: "Command", description: "The command and its load test, CurfewLoadTest.",
      enabledTraits: ["RealTime", "Experiments"]),
    .trait(
      name: "Metrics",
      description: "CurfewMetrics, which reports a device's counts and lateness to swift-metrics."),
    .default(enabledTraits: ["RealTime", "Experiments", "Command", "Metrics"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // Makes every decision. Imports nothing but a hint to the processor, which only C can express.
    .target(name: "CurfewEngine", dependencies: ["CPrefetch"], swiftSettings: settings),
    .systemLibrary(name: "CPrefetch"),
    // System calls for processes that only C can make. Contains no logic.
    .target(name: "CProcess"),
    // Locks, threads, clocks, descriptors, signals, processes. Knows nothing of Curfew.
    .target(
      name: "CurfewSystem", dependencies: ["CProcess", "CTimerDescriptor"], swiftSettings: settings),
    // The strict YAML subset, shapes, schemas, scalars, located errors. Knows nothing of Curfew.
    .target(
      name: "CurfewText", dependencies: ["CurfewSystem", .product(name: "Yams", package: "Yams")],
      swiftSettings: settings),
    // Embeds the shipped files. Only C can do so without a literal for every byte. No logic.
    .target(name: "CShippedFiles"),
    // The policy language, the shipped profiles, and the manifests of apps.
    .target(
      name: "CurfewPolicy",
      dependencies: ["CurfewEngine", "CurfewSystem", "CurfewText", "CShippedFiles"],
      swiftSettings: settings),
    // Reads the property lists of apps.
    .target(
      name: "CurfewManifest",
      dependencies: ["CurfewEngine", "CurfewSystem", "CurfewText", "CurfewPolicy"],
      swiftSettings: settings),
    // Traces: the vocabulary for an engine's inputs and outputs, replay, and the lives and figures
    // of apps.
    .target(
      name: "CurfewTrace",
      dependencies: ["CurfewEngine", "CurfewSystem", "CurfewText", "CurfewPolicy"],
      swiftSettings: settings),
    // Explanations for people: why something happened, and how two policies or two runs differ.
    .target(
      name: "CurfewAnalysis",
      dependencies: ["CurfewEngine", "CurfewText", "CurfewPolicy", "CurfewTrace"],
      swiftSettings: settings),
    // The embedding API: runs real closures on a virtual clock or on a real clock that the
    // program supplies.
    .target(
      name: "Curfew",
      dependencies: [
        "CurfewEngine", "CurfewSystem", "CurfewText", "CurfewPolicy", "CurfewManifest",
        "CurfewTrace",
      ],
      swiftSettings: settings),
    // Definitions that only C can express: a constructor, a replacement for clock_gettime,
    // and access to the runtime's objects. Contains no logic.
    .target(name: "CVirtualTime"),
    // Swift concurrency on a clock that a test controls. Does not depend on Curfew.
    .target(name: "VirtualConcurrency", dependencies: ["CVirtualTime"], swiftSettings: settings),
    // Runs the async code of a test on a device's virtual clock, for Swift Testing (as a trait)
    // and for XCTest.
    .target(
      name: "CurfewTesting", dependencies: ["Curfew", "VirtualConcurrency"], swiftSettings: settings
    ),
    // The real clock: one timerfd on a libuv loop. The API has no libuv types.
    .target(
      name: "CurfewUV", dependencies: ["Curfew", "CurfewEngine", "CurfewSystem", libuv],
      swiftSettings: settings),
    // A device's counts and lateness, for any backend of swift-metrics.
    .target(
      name: "CurfewMetrics",
      dependencies: [
        "Curfew", "CurfewSystem",
        .product(
          name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
      ],
      swiftSettings: settings),
    // Simulations: modelled apps in virtual time.
    .target(
      name: "CurfewSimulation",
      dependencies: [
        "CurfewEngine", "CurfewSystem", "CurfewText", "CurfewPolicy", "CurfewManifest",
        "CurfewTrace",
      ],
      swiftSettings: settings),
    // Statistics of experiments and benchmarks: intervals of differences, sequential plans.
    .target(name: "CurfewStatistics", dependencies: ["CurfewSimulation"], swiftSettings: settings),
    // The benchmark suite: workloads, contestants, runs and their results.
    .target(
      name: "CurfewBench",
      dependencies: [
        "CurfewEngine", "CurfewSystem", "CurfewText", "CurfewSimulation", "CurfewStatistics",
      ],
      swiftSettings: settings),
    // Output for people: pages about runs and experiments, traces for Perfetto, figures
    // for dashboards.
    .target(
      name: "CurfewReports",
      dependencies: [
        "CurfewEngine", "CurfewText", "CurfewPolicy", "CurfewTrace", "CurfewAnalysis",
        "CurfewSimulation", "CurfewBench",
      ],
      swiftSettings: settings),
    // The version of the build, and the commit and digest of its sources, which a plugin records.
    .target(name: "CurfewRelease", swiftSettings: settings, plugins: ["BuildID"]),
    .plugin(
      name: "BuildID", capability: .buildTool(), path: "Sources/BuildID", exclude: ["build-id.sh"]),
    // Experiments: runs variants of workloads and policies repeatedly, compares them, and keeps
    // the results in SQLite.
    .target(
      name: "CurfewExperiments",
      dependencies: [
        "CurfewEngine", "CurfewText", "CurfewPolicy", "CurfewTrace", "CurfewSimulation",
        "CurfewStatistics", "CurfewRelease",
        .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Experiments"])),
      ],
      swiftSettings: settings),
    // The load test: simulates thousands of apps, plans their actions, and measures the lateness.
    .target(
      name: "CurfewLoadTest",
      dependencies: [
        "Curfew", "CurfewUV", "CurfewEngine", "CurfewSystem", "CurfewText", "CurfewPolicy",
        "CurfewTrace", "CurfewStatistics",
        .product(
          name: "Histogram", package: "hdrhistogram-swift", condition: .when(traits: ["Command"])),
      ],
      swiftSettings: settings),
    // Parts that all commands share: number options, the screen, tables, messages, progress.
    .target(
      name: "CurfewConsole",
      dependencies: [
        "CurfewSystem", "CurfewText",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser",
          condition: .when(traits: ["Command", "Benchmarks"])),
      ],
      swiftSettings: settings),
    // The command `bench`.
    .target(
      name: "CurfewBenchCommand",
      dependencies: [
        "CurfewBench", "CurfewConsole", "CurfewSystem", "CurfewText",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser",
          condition: .when(traits: ["Command", "Benchmarks"])),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "CurfewCommand",
      dependencies: [
        "CurfewEngine", "CurfewSystem", "CurfewText", "CurfewPolicy", "CurfewTrace",
        "CurfewAnalysis", "CurfewSimulation", "CurfewStatistics", "CurfewExperiments",
        "CurfewReports", "CurfewLoadTest", "CurfewUV", "CurfewRelease", "CurfewBench",
        "CurfewConsole", "Curfew",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser",
          condition: .when(traits: ["Command"])),
        .product(
          name: "Histogram", package: "hdrhistogram-swift", condition: .when(traits: ["Command"])),
      ],
      swiftSettings: settings),
    // The only module that includes the header of Linux's timer descriptors, which Swift's C
    // library leaves out. Contains no logic.
    .systemLibrary(name: "CTimerDescriptor"),
    // The only module that includes libuv's header. Contains no logic.
    .systemLibrary(
      name: "CLibuv", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),

    // Limits for tests: how many cases they try, and how many run at the same time.
    .target(name: "TestRuns", path: "Tests/TestRuns", swiftSettings: settings),
    // Code shared by the tests of several modules.
    .target(
      name: "TestSupport", dependencies: ["CurfewEngine", "CurfewText", "CurfewPolicy"],
      path: "Tests/TestSupport", swiftSettings: settings),
    .target(
      name: "ScenarioSupport", dependencies: ["CurfewSimulation", "CurfewText", "TestSupport"],
      path: "Tests/ScenarioSupport", swiftSettings: settings),
    .target(
      name: "BenchSupport", dependencies: ["CurfewBench"], path: "Tests/BenchSupport",
      swiftSettings: settings),
    .testTarget(
      name: "CurfewTestingTests", dependencies: ["CurfewTesting", "Curfew", "VirtualConcurrency"],
      swiftSettings: settings),
    .testTarget(
      name: "CurfewEngineTests", dependencies: ["CurfewEngine", "TestSupport", "TestRuns"],
      swiftSettings: settings),
    .testTarget(
      name: "CurfewTextTests",
      dependencies: [
        "CurfewText", "CurfewPolicy", "CurfewTrace", "CurfewSimulation", "CurfewEngine",
        "ScenarioSupport", "TestSupport", "TestRuns",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CurfewPolicyTests",
      dependencies: [
        "CurfewPolicy", "CurfewAnalysis", "CurfewText", "CurfewEngine", "ScenarioSupport",
        "TestSupport", "TestRuns",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CurfewManifestTests",
      dependencies: ["CurfewManifest", "CurfewText", "CurfewEngine", "TestSupport", "TestRuns"],
      swiftSettings: settings),
    .testTarget(
      name: "CurfewTraceTests",
      dependencies: [
        "CurfewTrace", "CurfewPolicy", "CurfewText", "CurfewEngine", "TestSupport", "TestRuns",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CurfewAnalysisTests",
      dependencies: ["CurfewAnalysis", "CurfewPolicy", "CurfewText", "TestSupport", "TestRuns"],
      swiftSettings: settings),
    .testTarget(
      name: "CurfewSimulationTests",
      dependencies: [
        "CurfewSimulation", "CurfewText", "CurfewPolicy", "CurfewManifest", "CurfewTrace",
        "CurfewAnalysis", "CurfewEngine", "ScenarioSupport", "TestSupport", "TestRuns",
      ],
      exclude: ["Rules"],
      swiftSettings: settings),
    .testTarget(
      name: "CurfewReportsTests",
      dependencies: [
        "CurfewReports", "CurfewSimulation", "CurfewTrace", "CurfewPolicy", "CurfewText",
        "CurfewEngine", "CurfewBench", "BenchSupport", "TestSupport", "TestRuns",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CurfewBenchTests",
      dependencies: [
        "CurfewBench", "CurfewStatistics", "CurfewSimulation", "CurfewSystem", "CurfewText",
        "BenchSupport", "TestSupport", "TestRuns",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CurfewBenchCommandTests",
      dependencies: [
        "CurfewBenchCommand", "CurfewBench", "CurfewConsole", "CurfewText", "BenchSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CurfewExperimentsTests",
      dependencies: [
        "CurfewExperiments", "CurfewSimulation", "CurfewStatistics", "CurfewText", "CurfewPolicy",
        "CurfewEngine", "CurfewRelease", "TestSupport", "TestRuns",
        .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Experiments"])),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CurfewTests",
      dependencies: [
        "Curfew", "CurfewEngine", "CurfewSystem", "CurfewText", "CurfewPolicy", "CurfewManifest",
        "CurfewTrace", "TestSupport", "TestRuns",
      ],
      swiftSettings: settings),
    // Protocols shaped like those of SDKs, compiled in both language modes from the same sources.
    .testTarget(name: "SeamTests", dependencies: ["Curfew"], swiftSettings: settings),
    .testTarget(
      name: "SeamTestsInSwift5", dependencies: ["Curfew"], swiftSettings: [.swiftLanguageMode(.v5)],
      plugins: ["SameSources"]),
    .plugin(name: "SameSources", capability: .buildTool(), path: "Tests/SameSources"),
    // A module whose types have everyday names, and a test that imports both this module
    // and Curfew.
    .target(name: "Neighbor", path: "Tests/Neighbor"),
    .testTarget(name: "NeighborTests", dependencies: ["Curfew", "Neighbor"]),
    .testTarget(
      name: "CurfewMetricsTests",
      dependencies: [
        "TestRuns", "CurfewMetrics", "Curfew", "CurfewEngine", "CurfewUV",
        .product(
          name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
        .product(
          name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CurfewLoadTestTests",
      dependencies: [
        "TestRuns", "CurfewLoadTest", "CurfewStatistics", "Curfew", "CurfewUV", "CurfewSystem",
        "CurfewText", "CurfewPolicy", "CurfewTrace", "CurfewAnalysis", "CurfewEngine",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CurfewCommandTests",
      dependencies: [
        "CurfewCommand", "Curfew", "CurfewEngine", "CurfewSystem", "CurfewText", "CurfewPolicy",
        "CurfewTrace", "CurfewAnalysis", "CurfewSimulation", "CurfewLoadTest", "CurfewExperiments",
        "CurfewStatistics", "CurfewRelease", "CurfewBench", "CurfewConsole", "BenchSupport",
        "TestSupport", "TestRuns",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CLibuvTests", dependencies: ["TestRuns", libuv, "CurfewSystem"],
      swiftSettings: settings),
    .testTarget(
      name: "CurfewUVTests",
      dependencies: [
        "CurfewUV", "Curfew", "CurfewEngine", "CurfewSystem", libuv, "TestSupport", "TestRuns",
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)

// SwiftPM builds every target of the root package, even if its trait is off. `CURFEW_PLAIN` removes
// the targets of all traits, so that the rest can be built and tested without them. (All packages
// are still fetched here, because Package.resolved lists them. A package that depends on this one
// has its own Package.resolved.)
if Context.environment["CURFEW_PLAIN"] != nil {
  package.products.removeAll {
    ["CurfewUV", "CurfewMetrics", "CurfewBench", "curfew"].contains($0.name)
  }
  package.targets.removeAll { target in
    [
      "CLibuv", "CurfewUV", "CurfewExperiments", "CurfewLoadTest", "CurfewMetrics", "CurfewCommand",
      "CurfewRelease", "BuildID", "CurfewConsole", "CurfewBenchCommand",
    ].contains { $0 == target.name || $0 + "Tests" == target.name }
  }
}

#if os(Linux)
  // VirtualConcurrency and its tests work only on Linux, with a single toolchain.
  package.targets.append(
    .testTarget(
      name: "VirtualConcurrencyTests", dependencies: ["VirtualConcurrency", "CVirtualTime"],
      swiftSettings: settings))
#endif

// `CURFEW_TESTS=CurfewTests,CurfewUVTests` keeps only these test targets and their dependencies, so
// that they can be built in another configuration.
if let names = Context.environment["CURFEW_TESTS"] {
  let plugins = package.targets.filter { $0.type == .plugin }.map(\.name)
  var kept = Set(plugins)
  var open = names.split(separator: ",").map(String.init)
  while let name = open.popLast() {
    guard kept.insert(name).inserted, let target = package.targets.first(where: { $0.name == name })
    else { continue }
    for dependency in target.dependencies {
      switch dependency {
      case .byNameItem(let name, _), .targetItem(let name, _): open.append(name)
      default: break
      }
    }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { product in
    switch product {
    case let library as Product.Library: !kept.isSuperset(of: library.targets)
    case let executable as Product.Executable: !kept.isSuperset(of: executable.targets)
    default: false
    }
  }
}
