// swift-tools-version: 6.2
import Foundation
import PackageDescription

// This is a separate package, so programs that embed Curfew do not fetch its dependencies. A
// package given by its path is identified by its folder's name, which depends on the clone.
let curfew = URL(fileURLWithPath: Context.packageDirectory).deletingLastPathComponent()
  .lastPathComponent

let settings: [SwiftSetting] =
  Context.environment["CURFEW_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

// The folders of the contestants that are written in Swift. Each has more than its Swift files, and
// beside them are contestants in other languages.
let swiftFolders = [
  "Shared", "bare-engine", "bare-loop", "bare-queue", "counts", "curfew", "dispatch", "engine",
  "fake", "lazy-heap", "scan", "service-group", "task-job", "task-sleep", "task-sleep-job",
]

/// The files and folders of `Contestants` that are no Swift sources.
func otherFiles() -> [String] {
  let contestants = URL(fileURLWithPath: Context.packageDirectory).appending(path: "Contestants")
  func names(_ folder: URL) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
  }
  let others = names(contestants).filter { !swiftFolders.contains($0) }
  let beside = swiftFolders.flatMap { folder in
    names(contestants.appending(path: folder)).filter { !$0.hasSuffix(".swift") }
      .map { "\(folder)/\($0)" }
  }
  return others + beside
}

let package = Package(
  name: "curfew-benchmarks",
  platforms: [.macOS(.v13)],
  products: [
    .executable(name: "bench", targets: ["bench"]),
    .executable(name: "contestants", targets: ["contestants"]),
  ],
  dependencies: [
    .package(path: "..", traits: ["Benchmarks"]),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    // The harness: runs contestants and compares them.
    .executableTarget(
      name: "bench", dependencies: [.product(name: "CurfewBench", package: curfew)],
      swiftSettings: settings),
    // All contestants that are written in Swift, and the fixed amounts of work whose instructions
    // `bench count` counts. The harness gives it the name of one. Valgrind 3.19 ends at debug
    // information in DWARF 5.
    .executableTarget(
      name: "contestants",
      dependencies: [
        "CFetch", "CTimer",
        .product(name: "Curfew", package: curfew), .product(name: "CurfewEngine", package: curfew),
        .product(name: "CurfewSimulation", package: curfew),
        .product(name: "CurfewUV", package: curfew),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Contestants", exclude: otherFiles(), sources: swiftFolders, swiftSettings: settings,
      linkerSettings: [.unsafeFlags(["-Xlinker", "--strip-debug"], .when(platforms: [.linux]))]),
    // The header of Linux's timer descriptors, which Swift's C library leaves out.
    .systemLibrary(name: "CTimer"),
    // Loads memory into the processor's cache in time, which only C can express.
    .systemLibrary(name: "CFetch"),
  ],
  swiftLanguageModes: [.v6]
)
