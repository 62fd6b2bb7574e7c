import Curfew
import CurfewTesting
import Testing

/// Faults of apps, SDKs and platforms that users reported in public, each reduced to its smallest
/// input with the right outcome. The faulty client shows the symptom of its report; the fixed
/// one passes.
///
/// Each test name begins with the report. Reports that cannot be expressed are listed below, each
/// with its missing word.
@Suite(
  "Field bugs", .enabled(if: VirtualTime.isAvailable, "Swift's executors cannot be replaced here"))
struct FieldBugs {
  /// Reports that no test can express, each with its missing word.
  static let unsayable = [
    (
      report: "wire-ios#4935: a begin that loses the race with the suspension",
      missing: "a begin that comes too late for an app that still runs"
    ),
    (
      report: "luka#134, posthog#213: a launch before the first unlock",
      missing: "protected data, and such a launch"
    ),
    (
      report:
        "realm-swift#8690, sqlcipher#156: a file of class complete while the device is locked",
      missing: "protected data"
    ),
    (
      report: "CommonsFinder#50, workmanager#700: continued processing, registered twice",
      missing: "continued processing"
    ),
    (
      report:
        "phonegap-plugin-push#391, cocoa#958: a timer without a run loop, a launch of 3.4 s of processor time",
      missing: "run loops, and processor time in the launch's limit"
    ),
    (
      report: "ubuntu-touch#651: music on the charger plays on after its five minutes",
      missing: "a length that holds if a fact does"
    ),
    (
      report: "codelab-android-workmanager#192: two runs of a job that never completes overlap",
      missing: "work that goes on when its wake is over"
    ),
    (
      report: "auto-tab-discard#17: a pinned tab that is never discarded",
      missing: "a pin: the last to be purged is purged too"
    ),
    (
      report: "ExoPlayer#4829, seedvault#271: services at 10.9 % and 18.7 % of a core",
      missing: "a limit of processor time for each kind of session"
    ),
    (
      report: "flutterfire#6388, Mercurygram#15: a push of normal priority in Doze",
      missing: "a wake that waits for a fact instead of being denied"
    ),
    (
      report:
        "systemd#17579, #360: the device sleeps when all apps are free or five seconds are over",
      missing: "the device's own sleep"
    ),
  ]

  @Test(.disabled("each waits for its missing word"), arguments: unsayable)
  func `a report that cannot be expressed yet`(_ row: (report: String, missing: String)) {
    Issue.record("\(row.report): \(row.missing)")
  }

  /// A device of the given policy with an app in front.
  static func app(
    _ manifest: AppManifest = AppManifest(), under policy: PolicyFile = .ios13,
    delegate: (any AppDelegate)? = nil
  ) -> (Device, App) {
    let device = Device(policy: policy)
    let app = device.register("com.example.app", manifest: manifest, delegate: delegate)
    app.launch()
    return (device, app)
  }

  /// The app's answers to its callbacks.
  final class Answers: AppDelegate {
    private let answer: @Sendable (Callback, App) -> Void
    private let answerWake: @Sendable (Wake) -> Void

    init(_ answer: @escaping @Sendable (Callback, App) -> Void = { _, _ in }) {
      (self.answer, answerWake) = (answer, { $0.complete() })
    }
    init(toWakes answer: @escaping @Sendable (Wake) -> Void) {
      (self.answer, answerWake) = ({ _, _ in }, answer)
    }

    func applicationDidFinishLaunching(_ app: App) { answer(.didFinishLaunching, app) }
    func applicationDidBecomeActive(_ app: App) { answer(.didBecomeActive, app) }
    func applicationDidEnterBackground(_ app: App) { answer(.didEnterBackground, app) }
    func application(_ app: App, didReceive wake: Wake) { answerWake(wake) }
  }

  /// An identifier that a client stores.
  final class Stored: @unchecked Sendable { var identifier = BackgroundTaskIdentifier.invalid }
}

/// The app's last end, in the words of a crash report.
extension App {
  var lastEnd: String? {
    processEnds.last.map { "\($0.reason) \($0.code.map { "\($0)" } ?? "") at \($0.instant)" }
  }
}
