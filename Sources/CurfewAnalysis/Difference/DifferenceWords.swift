import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// The wording of differences between policies.
package enum DifferenceWords {
  /// Describes the situation in which `reason` denies.
  ///
  /// - Parameter modes: The modes of which the denying policy requires one (`needed`), and those
  ///   of which one suffices under the other policy (`enough`).
  static func situation(_ reason: String, _ modes: (needed: [String], enough: [String])) -> String {
    switch reason {
    case "noMultitasking": "always"
    case "modeNotDeclared":
      "to an app that \(declaration(modes.enough.filter { !modes.needed.contains($0) }, and: modes.needed))"
    case "backgroundRefreshRestricted": "where Background App Refresh is restricted"
    case "forceQuit": "after the user has quit the app"
    case "beforeFirstUnlock": "before the first unlock"
    case "budget": "whatever there has been, by a budget of none"
    case "mayNotRelaunch": "while the app is not running"
    default:
      StandardFact.behind(denial: reason).map {
        $0.isMissing ? $0.fact.row.situation.missing : $0.fact.row.situation.holding
      }
        ?? "where '\(reason)' is so"
    }
  }

  private static func declaration(_ others: [String], and needed: [String]) -> String {
    func list(_ modes: [String]) -> String { modes.map { "'\($0)'" }.joined(separator: " or ") }
    return others.isEmpty
      ? "does not declare \(list(needed))" : "declares \(list(others)) and not \(list(needed))"
  }

  /// The sentence for the value at `path`, with % in place of the value; nil if only the key can be
  /// printed. Paths in rows have `*` for their kind.
  package static func phrase(_ path: String) -> String? { phrases[path] ?? phrases[pattern(path)] }

  /// `wakes.*.length` for `wakes.fetch.length`; other paths are unchanged.
  package static func pattern(_ path: String) -> String {
    let keys = path.split(separator: ".")
    return keys.count == 3 ? "\(keys[0]).*.\(keys[2])" : path
  }

  package static let phrases: [String: String] = [
    "foreground": "The number of apps that may be in the foreground at a time is %",
    "lowBattery": "A battery that is not charging is low under %",
    "lowBatteryReset": "A battery that was low is so no more from %",
    "suspendDelay": "An app that holds no assertion is suspended after %",
    "limits.launch": "A launch may take %",
    "limits.launchWarning": "A launch is called slow after %",
    "limits.didEnterBackground": "didEnterBackground may take %",
    "limits.willTerminate": "willTerminate may take %",
    "limits.code": "The code of a watchdog's kill is %",
    "tasks.grant": "A visit to the background is granted %",
    "tasks.grantAfterWake": "A visit to the background that a wake began is granted %",
    "tasks.warning": "Expiration handlers are due before the end of a grant by %",
    "tasks.limit": "The number of tasks that an app may hold open is %",
    "tasks.limitCode": "The code of a kill for holding more tasks is %",
    "tasks.code": "The code of a kill at the end of the grant is %",
    "tasks.ageWarning": "The age from which an open task is worth a diagnostic is %",
    "tasks.thermalExpiry": "The heat at which all grants end early is %",
    "tasks.whenLate": "The answer to a grant whose warning a host delivers late is %",
    "wakes.*.linger": "The assertion outlives a wake's completion by %",
    "wakes.*.leeway": "A start and the end of a linger may come later by %",
    "sessions.*.leeway": "The end of a linger may come later by %",
    "sessions.*.length": "A session may go on in the background for %",
    "sessions.*.warning": "The expiration handler is due before the end of a session by %",
    "sessions.*.overrun": "The answer to a session that overruns is %",
    "sessions.*.code": "The code of an overrun's kill is %",
    "sessions.*.deferral": "A session that has had its length goes on after %",
    "sessions.*.deferralFactor": "Each deferral is longer than the last by a factor of %",
    "sessions.*.deferralMost": "The longest deferral is %",
    "sessions.*.budgets": "The budgets within windows are %",
    "sessions.*.coalesce": "Sessions that come so soon after another are counted with it: %",
    "sessions.*.leastRoom": "A budget admits a session with more run time left than %",
    "sessions.*.linger": "The assertion outlives the session by %",
    "wakes.*.length": "A wake may run %",
    "wakes.*.warning": "The expiration handler is due before the end of a wake by %",
    "wakes.*.unhandledWarning": "The effect of the warning on a wake without a handler is %",
    "wakes.*.completedTwice": "The effect of a wake's second completion is %",
    "wakes.*.overrun": "The answer to a wake that overruns is %",
    "wakes.*.code": "The code of an overrun's kill is %",
    "wakes.*.minimumInterval": "The system's wakes are apart by at least %",
    "wakes.*.alignment": "The system's wakes fall on multiples of %",
    "wakes.*.backoff": "The interval of the system's wakes grows up to a factor of %",
    "wakes.*.backoffFactor": "The next wake is pushed out each time by a factor of %",
    "wakes.*.backoffGrows": "The next wake is pushed out by %",
    "wakes.*.backoffReset": "The next wake is brought back by %",
    "wakes.*.beforeUse": "The system's wakes come before the app is expected to be used by %",
    "wakes.*.admissions": "The number of wakes within the window is %",
    "wakes.*.runTime": "The run time within the window is %",
    "wakes.*.window": "The window of the budget is %",
    "wakes.*.budgets": "The budgets within windows are %",
    "wakes.*.coalesce": "Wakes that come so soon after another are of its session: %",
    "wakes.*.leastRoom": "A budget admits a wake with more run time left than %",
    "groups.*.unusedFor": "An app is of the group once it has not been used for %",
    "groups.*.rank": "The group's rank is %",
    "wakes.*.pending": "The number of requests that may be pending is %",
    "lockedFiles.code": "The code of a kill for a locked file is %",
    "memory.capacity": "The memory of a device that names none is %",
    "memory.warning": "Apps are warned of short memory above %",
    "memory.warningReset": "Apps may be warned of short memory again below %",
    "memory.footprint": "The footprint of an app that names none is %",
    "memory.appLimit": "The memory limit of an app that names none is %",
    "memory.purge": "The apps that make room first are those that are %",
    "memory.purgeAbove": "Apps are purged with more memory in use than %",
    "memory.purgeTo": "Once begun, purging goes on down to %",
    "memory.startCost": "The cost of starting an app that names none is %",
    "cpu.share": "The share of a core that an app in the background may use is %",
    "cpu.window": "The window over which use of the processor counts is %",
    "notifications.kept": "The number of local notifications that an app may have scheduled is %",
    "notifications.locations": "The number of locations that wait for a suspended app is %",
    "notifications.names": "The number of names under which posts are kept is %",
  ]
}
