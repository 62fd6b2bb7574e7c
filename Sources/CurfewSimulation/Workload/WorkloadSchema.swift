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
    "A workload: a population of devices, users and apps, whose behaviour is drawn.",
    [
      .required(
        "curfew", .word([version], what: "kind of file"),
        "The kind of this file, and the version of its language."),
      .required("name", .text, "The workload's name."),
      .optional("about", .text, "One sentence about it."),
      .required(
        "policy", .text, "The policy: a built-in policy's name, or a path relative to this file."),
      .optional("device", .record(device), device.description),
      .optional(
        "daily", .list(.record(daily)),
        "The changes of every device on every day, at a time from midnight."),
      .optional("user", .record(user), user.description),
      .optional("usage", .record(usage), usage.description),
      .required("apps", .dictionary(.any(what: "app"), .record(app)), "The sorts of app, by name."),
      .optional(
        "radioTail", .duration, "How long a radio stays on after a wake; 10s where absent."),
      .optional("energy", .record(energy), energy.description),
    ])

  static let device = Record(
    "The devices at the start, which is midnight.",
    DeviceFact.starts + [
      .optional(
        "refreshOff", .percentage,
        "The share of devices on which Background App Refresh is off; none where absent."),
      .optional(
        "batteryLife", .record(battery),
        "How the battery runs down and is charged; the level stays as it is where absent."),
    ])

  static let battery = Record(
    "A battery that runs down and is charged evenly, in steps of 5%.",
    [
      .required("lasts", .duration, "From full to empty."),
      .required("charges", .duration, "From empty to full."),
      .optional(
        "lowPowerModeUnder", .percentage,
        "The level under which the user turns Low Power Mode on; never where absent."),
    ])

  static let daily = Record(
    "A daily change.",
    [
      .required("at", .duration, "When, from midnight."),
      .optional(
        "jitter", .duration, "So much earlier or later at most, evenly; none where absent."),
      .optional("chance", .percentage, "On how many days; all where absent."),
    ]
      + DeviceFact.all.map {
        .optional($0.name, $0.attribute.field.shape, $0.attribute.field.description + ".")
      })

  static let user = Record(
    "The users: they unlock the phone, visit apps one after the other, and leave.",
    [
      .optional(
        "unlocks", count, "How often a day; gaps are exponential, from the end of one to the next."),
      .optional(
        "rhythm", .list(count),
        "How busy each hour of the day is, beside the others: 24 numbers, from midnight; alike where absent."
      ),
      .optional(
        "visits", .decimal(1...1_000),
        "How many apps are visited each time, in the mean; geometric; 1 where absent."),
      .optional("visit", length, "How long a visit lasts."),
      .optional(
        "recency", .percentage,
        "The share of visits to an app that was used lately; the others go by popularity."),
      .optional(
        "recencyExponent", count,
        "The r-th of those used lately is r^-this as likely as the last; 1 where absent."),
      .optional(
        "locks", .percentage,
        "The share of times after which the user locks the device."),
      .optional("interruptions", .percentage, "The share of visits that are interrupted."),
      .optional("interruption", length, "How long an interruption lasts."),
      .optional(
        "accepted", .percentage,
        "The share of interruptions that the user follows, which ends the visit."),
      .optional(
        "forceQuits", .percentage,
        "How often, after the last visit, an app that was used lately is force-quit."),
    ])

  static let usage = Record(
    "Users that were recorded, in the place of 'user'.",
    [
      .required("file", .text, "The log: a path relative to this file."),
      .optional(
        "format", .word(UsageFormat.File.allCases.map(\.rawValue), what: "format"),
        "How rows are written; by the file's ending where absent."),
      .required(
        "columns",
        .record(
          Record(
            "Where in a row each thing stands: names of columns, their numbers from 1, or keys of JSON with dots between them.",
            [
              .required("time", .text, "The time."),
              .optional("user", .text, "The user; one user's log where absent."),
              .required("app", .text, "The app."),
              .optional("event", .text, "The event: see 'events'."),
              .optional(
                "rank", .text,
                "The place in a stack of recent apps that was looked at from time to time; the least is in front."
              ),
              .optional(
                "duration", .either([.text, .record(duration)]),
                "How long the app was in front: a column in seconds, or a column and its unit."),
            ])), "Where in a row each thing stands."),
      .optional(
        "time", .word(UsageFormat.TimeNotation.allCases.map(\.rawValue), what: "notation of times"),
        "How times are written; unixSeconds where absent."),
      .optional("zone", .text, "The zone of local times, such as Europe/Berlin; UTC where absent."),
      .optional(
        "events",
        .dictionary(
          .any(what: "event"),
          .word(UsageFormat.EventMeaning.allCases.map(\.rawValue), what: "meaning")),
        "The meanings of the words of the event column: a row with another one is a bad row."),
      .optional(
        "longestVisit", .duration,
        "A visit whose end nobody recorded is over after so long; until the next where absent."),
      .optional(
        "others", .text,
        "Which of 'apps' stands for apps of the log that are not among them; the first where absent."
      ),
    ])

  static let duration = Record(
    "Lengths in a column.",
    [
      .required("column", .text, "The column."),
      .optional(
        "unit",
        .word(UsageFormat.DurationUnit.allCases.map(\.rawValue), what: "unit"),
        "The unit of its numbers; s where absent."),
    ])

  static let energy = Record(
    "The weights of the energy proxy, which measures nothing: it adds up what usually costs energy.",
    [
      .optional(
        "backgroundSecond", count, "A second that an app runs in the background; 1 where absent."),
      .optional(
        "processorSecond", count,
        "A second of a processor core that apps use in the background; 0 where absent."),
      .optional("radioSecond", count, "A second that the radio is on; 1 where absent."),
      .optional("coldLaunch", count, "A process that is begun; 1 where absent."),
    ])

  static let app = Record(
    "A sort of app: who has it, what it declares, and how it behaves.",
    [
      .optional(
        "count", .wholeNumber(1...10_000), "How many apps of this sort there are; 1 where absent."),
      .optional(
        "share", .percentage, "The share of devices that have each of them; all where absent."),
      .optional(
        "popularity", count, "How likely users choose each, beside the others; 1 where absent."),
      .optional(
        "refreshOff", .percentage,
        "The share of users who have turned its Background App Refresh off."),
      .optional(
        "footprint", DistributionForm.size.shape,
        "Its memory, drawn once for a device; the policy's figure where absent."),
    ]
      + AppManifest.fields.map(\.field).filter {
        !["footprint", "backgroundRefresh", "permittedIdentifiers"].contains($0.name)
      } + [
        .optional(
          "returns",
          .dictionary(.words(Callback.fileNames + ["expirationHandler"], what: "callback"), length),
          "How long it takes to return from callbacks and from expiration handlers; at once where absent."
        ),
        .optional(
          "processor", .share(upTo: 6_400),
          "The share of a processor core that it uses in the background."),
        .optional(
          "tasks", .dictionary(.any(what: "task"), .record(task)),
          "Work that comes up when the user leaves it, by name."),
        .optional(
          "sessions", .dictionary(.any(what: "session"), .record(session)),
          "Sessions that begin when the user leaves it, by kind."),
        .optional("wakes", .dictionary(.any(what: "wake"), .record(wake)), "Wakes, by kind."),
      ])

  static let task = Record(
    "Work that comes up when the user leaves the app, and for which it begins a background task.",
    [
      .required("work", length, "How long it takes."),
      .optional("chance", .percentage, "How likely it comes up; always where absent."),
      .optional(
        "withoutHandler", .percentage, "The share of tasks that are begun with a nil handler."),
      .optional("leaks", .percentage, "The share of handlers that do not end their task."),
      .optional(
        "unfinished", .word(TaskModel.Unfinished.allCases.map(\.rawValue), what: "fate"),
        "The fate of work that is cut off: lost (where absent), begun again when the user opens the app, or its rest."
      ),
    ])

  static let session = Record(
    "A session that begins when the user leaves the app.",
    [
      .required("length", length, "How long it goes on."),
      .optional("chance", .percentage, "How likely it is on; always where absent."),
    ])

  static let wake = Record(
    "How wakes of a kind come about, and what the app does in them.",
    [
      .optional("perDay", count, "How many the world asks for a day: a Poisson process."),
      .optional(
        "followsRhythm", .boolean,
        "Whether the world is as busy as 'user.rhythm'; evenly where absent."),
      .optional(
        "interval", .duration,
        "How often the app asks the system for one: a fetch's least interval."),
      .optional(
        "earliest", .duration,
        "The earliest start of a request, from its submission; the app submits one each time it is left, and each time one begins."
      ),
      .optional("requiresNetwork", .boolean, "Whether such requests require a network."),
      .optional("requiresPower", .boolean, "Whether such requests require power."),
      .optional("work", length, "How long the app works in one; nothing where absent."),
      .optional("newData", .percentage, "The share of them that find new data; all where absent."),
    ])
}
