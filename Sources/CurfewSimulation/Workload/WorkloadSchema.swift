import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

/// The workload language: every key, its shape and its description.
enum WorkloadSchema {
  static let version = "workload/1"

  private static let length = DistributionForm.duration.shape
  private static let count = Shape.decimal(0...1_000_000)

  static let file = Record(
    "A workload: a population of devices, users and apps, whose behavior is drawn at random.",
    [
      .required(
        "curfew", .word([version], what: "kind of file"),
        "The kind of this file, and the version of its language."),
      .required("name", .text, "The workload's name."),
      .optional("about", .text, "A description in one sentence."),
      .required(
        "policy", .text, "The policy: a built-in policy's name, or a path relative to this file."),
      .optional("device", .record(device), device.description),
      .optional(
        "daily", .list(.record(daily)),
        "The daily changes to every device, each at a time counted from midnight."),
      .optional("user", .record(user), user.description),
      .optional("usage", .record(usage), usage.description),
      .required("apps", .dictionary(.any(what: "app"), .record(app)), "The sorts of app, by name."),
      .optional(
        "radioTail", .duration, "The time for which a radio stays on after a wake; 10s if absent."),
      .optional("energy", .record(energy), energy.description),
    ])

  static let device = Record(
    "The devices at the start, which is midnight.",
    DeviceFact.starts + [
      .optional(
        "refreshOff", .percentage,
        "The share of devices on which Background App Refresh is off; none if absent."),
      .optional(
        "batteryLife", .record(battery),
        "How the battery discharges and charges; its level is constant if absent."),
    ])

  static let battery = Record(
    "A battery that is discharged and charged at constant rates, in steps of 5%.",
    [
      .required("lasts", .duration, "The time from full to empty."),
      .required("charges", .duration, "The time from empty to full."),
      .optional(
        "lowPowerModeUnder", .percentage,
        "The level below which the user turns Low Power Mode on; never if absent."),
    ])

  static let daily = Record(
    "A daily change.",
    [
      .required("at", .duration, "The time of the change, counted from midnight."),
      .optional(
        "jitter", .duration,
        "The largest random shift, earlier or later, uniformly distributed; none if absent."),
      .optional(
        "chance", .percentage, "The share of days on which the change occurs; all if absent."),
    ]
      + DeviceFact.all.map {
        .optional($0.name, $0.attribute.field.shape, $0.attribute.field.description + ".")
      })

  static let user = Record(
    "The users: they unlock the phone, visit apps one after the other, and leave.",
    [
      .optional(
        "unlocks", count, "Sessions with the phone per day; gaps between sessions are exponential."),
      .optional(
        "rhythm", .list(count),
        "The relative activity of each hour of the day: 24 numbers, from midnight; all equal if absent."
      ),
      .optional(
        "visits", .decimal(1...1_000),
        "The mean number of visits in a session, distributed geometrically; 1 if absent."),
      .optional("visit", length, "The length of a visit."),
      .optional(
        "recency", .percentage,
        "The share of visits to a recently used app; the other visits choose by popularity."),
      .optional(
        "recencyExponent", count,
        "The exponent e: the r-th most recent app has the weight r^-e; 1 if absent."),
      .optional(
        "locks", .percentage,
        "The share of sessions after which the user locks the device."),
      .optional("interruptions", .percentage, "The share of visits that are interrupted."),
      .optional("interruption", length, "The length of an interruption."),
      .optional(
        "accepted", .percentage,
        "The share of interruptions that the user accepts, which ends the visit."),
      .optional(
        "forceQuits", .percentage,
        "The share of sessions after which the user force-quits a recently used app."),
    ])

  static let usage = Record(
    "Recorded users, in place of 'user'.",
    [
      .required("file", .text, "The log: a path relative to this file."),
      .optional(
        "format", .word(UsageFormat.File.allCases.map(\.rawValue), what: "format"),
        "The format of the rows; derived from the file's extension if absent."),
      .required(
        "columns",
        .record(
          Record(
            "The column of each field: its name, its number from 1, or a key of JSON with dots between nested keys.",
            [
              .required("time", column, "The time."),
              .optional("user", column, "The user; if absent, all rows belong to one user."),
              .required("app", column, "The app."),
              .optional("event", column, "The event: see 'events'."),
              .optional(
                "rank", column,
                "The rank in a stack of recent apps, sampled from time to time; the smallest is in the foreground."
              ),
              .optional(
                "duration", .either([.text, columnNumber, .record(duration)]),
                "How long the app was in front: a column in seconds, or a column and its unit."),
            ])), "The column of each field."),
      .optional(
        "time", .word(UsageFormat.TimeNotation.allCases.map(\.rawValue), what: "notation of times"),
        "The notation of times; unixSeconds if absent."),
      .optional("zone", .text, "The zone of local times, such as Europe/Berlin; UTC if absent."),
      .optional(
        "events",
        .dictionary(
          .any(what: "event"),
          .word(UsageFormat.EventMeaning.allCases.map(\.rawValue), what: "meaning")),
        "The meanings of the words in the event column; a row with another word is a bad row."),
      .optional(
        "longestVisit", .duration,
        "The longest visit without a recorded end; if absent, it ends at the next change."),
      .optional(
        "others", .text,
        "The element of 'apps' for apps in the log that have no element of their own; required if there are such apps."
      ),
    ])

  /// A column's name or number. Editors read `2` as a number, not as text.
  static let column = Shape.either([.text, columnNumber])
  private static let columnNumber = Shape.wholeNumber(1...10_000)

  static let duration = Record(
    "Lengths in a column.",
    [
      .required("column", column, "The column."),
      .optional(
        "unit",
        .word(UsageFormat.DurationUnit.allCases.map(\.rawValue), what: "unit"),
        "The unit of its numbers; s if absent."),
    ])

  static let energy = Record(
    "The weights of the energy proxy: a weighted sum of causes of energy use, not a measurement.",
    [
      .optional(
        "backgroundSecond", count,
        "The weight of a second for which an app runs in the background; 1 if absent."),
      .optional(
        "processorSecond", count,
        "The weight of a second of a processor core used in the background; 0 if absent."),
      .optional(
        "radioSecond", count, "The weight of a second for which the radio is on; 1 if absent."),
      .optional("coldLaunch", count, "The weight of a process start; 1 if absent."),
    ])

  static let app = Record(
    "A sort of app: its installations, its declarations and its behavior.",
    [
      .optional(
        "count", .wholeNumber(1...10_000), "The number of apps of this sort; 1 if absent."),
      .optional(
        "share", .percentage,
        "The share of devices on which each of them is installed; all if absent."),
      .optional(
        "popularity", count,
        "The relative weight with which users choose each of them; 1 if absent."),
      .optional(
        "refreshOff", .percentage,
        "The share of users who have turned its Background App Refresh off."),
      .optional(
        "footprint", DistributionForm.size.shape,
        "Its memory, drawn once for each device; the policy's value if absent."),
    ]
      + AppManifest.fields.map(\.field).filter {
        !["footprint", "backgroundRefresh", "permittedIdentifiers"].contains($0.name)
      } + [
        .optional(
          "returns",
          .dictionary(.words(Callback.fileNames + ["expirationHandler"], what: "callback"), length),
          "The time to return from each callback and from expiration handlers; 0s if absent."
        ),
        .optional(
          "processor", .share(upTo: 6_400),
          "The share of a processor core that the app uses in the background."),
        .optional(
          "tasks", .dictionary(.any(what: "task"), .record(task)),
          "Work that comes up when the user leaves the app, by name."),
        .optional(
          "sessions", .dictionary(.any(what: "session"), .record(session)),
          "Sessions that begin when the user leaves the app, by kind."),
        .optional("wakes", .dictionary(.any(what: "wake"), .record(wake)), "Wakes, by kind."),
      ])

  static let task = Record(
    "Work that comes up when the user leaves the app. The app begins a background task for it.",
    [
      .required("work", length, "The time that the work takes."),
      .optional("chance", .percentage, "The probability that the work comes up; 100% if absent."),
      .optional(
        "withoutHandler", .percentage, "The share of tasks that are begun with a nil handler."),
      .optional("leaks", .percentage, "The share of handlers that do not end their task."),
      .optional(
        "unfinished", .word(TaskModel.Unfinished.allCases.map(\.rawValue), what: "fate"),
        "The fate of work that is cut off: lost (the default), or restarted or resumed when the user opens the app."
      ),
    ])

  static let session = Record(
    "A session that begins when the user leaves the app.",
    [
      .required("length", length, "The length of the session."),
      .optional("chance", .percentage, "The probability that the session begins; 100% if absent."),
    ])

  static let wake = Record(
    "How wakes of one kind come about, and the work that the app does in them.",
    [
      .optional("perDay", count, "Wakes from the world per day, on average; a Poisson process."),
      .optional(
        "followsRhythm", .boolean,
        "Whether these wakes follow 'user.rhythm'; uniform over the day if absent."),
      .optional(
        "interval", .duration,
        "The interval at which the app asks for such wakes, for example a minimum fetch interval."),
      .optional(
        "earliest", .duration,
        "The earliest start of a request, counted from its submission; the app submits a request whenever the user leaves it and whenever such a wake begins."
      ),
      .optional("requiresNetwork", .boolean, "Whether such requests require a network."),
      .optional("requiresPower", .boolean, "Whether such requests require power."),
      .optional("work", length, "The time that the app works during a wake; none if absent."),
      .optional("newData", .percentage, "The share of wakes that find new data; all if absent."),
    ])
}
