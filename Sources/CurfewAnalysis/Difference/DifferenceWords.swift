import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// The wording of differences between policies.
package enum DifferenceWords {
  /// Describes the situation in which `reason` denies.
  ///
  /// - Parameter modes: The modes of which the denying policy requires one (`needed`), and the
  ///   modes of which one suffices under the other policy (`enough`).
  static func situation(_ reason: String, _ modes: (needed: [String], enough: [String])) -> String {
    switch reason {
    case "noMultitasking": "always"
    case "modeNotDeclared":
      "to an app that \(declaration(modes.enough.filter { !modes.needed.contains($0) }, and: modes.needed))"
    case "backgroundRefreshRestricted": "where Background App Refresh is restricted"
    case "forceQuit": "after the user has quit the app"
    case "beforeFirstUnlock": "before the first unlock"
    case "budget": "regardless of earlier runs, by a budget of zero"
    case "mayNotRelaunch": "while the app is not running"
    default:
      StandardFact.behind(denial: reason).map {
        $0.isMissing ? $0.fact.row.situation.missing : $0.fact.row.situation.holding
      }
        ?? "where '\(reason)' applies"
    }
  }

  private static func declaration(_ others: [String], and needed: [String]) -> String {
    func list(_ modes: [String]) -> String { modes.map { "'\($0)'" }.joined(separator: " or ") }
    return others.isEmpty
      ? "does not declare \(list(needed))" : "declares \(list(others)) and not \(list(needed))"
  }

  /// The sentence for the value at `path`, with % in place of the value; nil if there is no
  /// sentence and the key is printed. Paths in rows have `*` for their kind.
  package static func phrase(_ path: String) -> String? { phrases[path] ?? phrases[pattern(path)] }

  /// `wakes.*.length` for `wakes.fetch.length`; other paths are unchanged.
  package static func pattern(_ path: String) -> String {
    let keys = path.split(separator: ".")
    return keys.count == 3 ? "\(keys[0]).*.\(keys[2])" : path
  }

  package static let phrases: [String: String] = [
    "foreground": "The number of apps that may be in the foreground at a time is %",
    "lowBattery": "A battery that is not charging is low below %",
    "lowBatteryReset": "A low battery is no longer low from % on",
    "suspendDelay": "An app that holds no assertion is suspended after %",
    "limits.launch": "A launch may take %",
    "limits.launchWarning": "A launch is reported as slow after %",
    "limits.didEnterBackground": "didEnterBackground may take %",
    "limits.didEnterBackgroundWarning":
      "The time after which didEnterBackground is reported as slow is %",
    "limits.withoutAssertionWarning":
      "The time after which a busy run loop without an assertion is reported is %",
    "limits.willTerminate": "willTerminate may take %",
    "limits.code": "The code of a watchdog's kill is %",
    "tasks.grant": "A visit to the background is granted %",
    "tasks.grantAfterWake": "A visit to the background that a wake began is granted %",
    "tasks.warning": "Expiration handlers are due % before the end of a grant",
    "tasks.limit": "The number of tasks that an app may hold open is %",
    "tasks.limitCode": "The code of a kill for holding too many tasks is %",
    "tasks.code": "The code of a kill at the end of the grant is %",
    "tasks.ageWarning": "The age at which an open task gets a diagnostic is %",
    "tasks.thermalExpiry": "The thermal state at which all grants end early is %",
    "tasks.whenLate": "The action for a grant whose warning a host delivers late is %",
    "wakes.*.linger": "The assertion outlives a wake's completion by %",
    "wakes.*.leeway": "A start and the end of a linger may come later by %",
    "sessions.*.leeway": "The end of a linger may come later by %",
    "sessions.*.length": "A session may run in the background for %",
    "sessions.*.warning": "The expiration handler is due % before the end of a session",
    "sessions.*.overrun": "The action for a session that overruns is %",
    "sessions.*.code": "The code of an overrun's kill is %",
    "sessions.*.deferral": "A session that has reached its length continues after %",
    "sessions.*.deferralFactor": "The factor from one deferral to the next is %",
    "sessions.*.deferralMost": "The longest deferral is %",
    "sessions.*.budgets": "The budgets within windows are %",
    "sessions.*.coalesce":
      "The pause after which a session still counts as the same session is %",
    "sessions.*.leastRoom": "A budget admits a session if the run time left is more than %",
    "sessions.*.linger": "The assertion outlives the session by %",
    "wakes.*.length": "A wake may run %",
    "wakes.*.warning": "The expiration handler is due % before the end of a wake",
    "wakes.*.unhandledWarning": "The effect of the warning on a wake without a handler is %",
    "wakes.*.completedTwice": "The effect of a wake's second completion is %",
    "wakes.*.overrun": "The action for a wake that overruns is %",
    "wakes.*.code": "The code of an overrun's kill is %",
    "wakes.*.minimumInterval": "The least time between the system's wakes is %",
    "wakes.*.alignment": "The system's wakes fall on multiples of %",
    "wakes.*.backoff": "The interval of the system's wakes grows up to a factor of %",
    "wakes.*.backoffFactor": "The factor by which the next wake is postponed each time is %",
    "wakes.*.backoffGrows": "The next wake is postponed by %",
    "wakes.*.backoffReset": "The next wake is brought back by %",
    "wakes.*.beforeUse": "The time from the system's wakes to the app's expected use is %",
    "wakes.*.admissions": "The number of wakes within the window is %",
    "wakes.*.runTime": "The run time within the window is %",
    "wakes.*.window": "The window of the budget is %",
    "wakes.*.budgets": "The budgets within windows are %",
    "wakes.*.coalesce":
      "The pause after which a wake still counts as the same session is %",
    "wakes.*.leastRoom": "A budget admits a wake if the run time left is more than %",
    "groups.*.unusedFor": "An app belongs to the group if it has not been used for %",
    "groups.*.rank": "The group's rank is %",
    "wakes.*.pending": "The number of requests that may be pending is %",
    "lockedFiles.code": "The code of a kill for a locked file is %",
    "memory.capacity": "The default memory of a device is %",
    "memory.warning": "Apps are warned of short memory above %",
    "memory.warningReset": "Apps may be warned of short memory again below %",
    "memory.footprint": "The default footprint of an app is %",
    "memory.appLimit": "The default memory limit of an app is %",
    "memory.purge": "The order in which apps are purged is %",
    "memory.purgeAbove": "Apps are purged if the memory in use exceeds %",
    "memory.purgeTo": "Purging continues down to %",
    "memory.startCost": "The default cost of starting an app is %",
    "cpu.share": "The share of a core that an app in the background may use is %",
    "cpu.window": "The window in which processor use is counted is %",
    "notifications.kept": "The number of local notifications that an app may have scheduled is %",
    "notifications.locations": "The number of locations that wait for a suspended app is %",
    "notifications.names": "The number of names under which posts are kept is %",
  ]
}
