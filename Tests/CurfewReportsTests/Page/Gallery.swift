@testable import CurfewReports

/// A page with one of everything that a page can show, with made-up numbers.
enum Gallery {
  static let page = Page(
    title: "How long should a visit be granted?",
    lead:
      "A grant of 3 minutes lets 90.2 % of uploads finish, 57.9 points more than a grant of 30 seconds; beyond 10 minutes, nothing is gained.",
    subtitle: "1,000 users, 7 days, 20 seeds per point, paired.",
    sections: [
      Page.Section(
        "What a longer grant brings",
        text: ["The same uploads of the same users under each grant."],
        [.curve(curve), .curve(cases)]),
      Page.Section("What differs", [.difference(differences)]),
      Page.Section("How long uploads take", [.distribution(distribution)]),
      Page.Section("Decisions", [.bars(bars), .table(table)]),
      Page.Section("Over time", [.lanes(lanes)]),
    ],
    provenance: [
      ("Experiment", "grants.yaml"), ("Seeds", "1 to 20"), ("Policy", "ios13 (36445c5d32dd86eb)"),
    ])

  static let curve = CurveChart(
    "Uploads that are done",
    text:
      "The share of uploads that are done rises with the grant, from 32.3 % to 99.1 %, and is flat from 10 minutes on.",
    .logarithmic(AxisMeasure("tasks.grant", .seconds)),
    AxisMeasure("uploads that are done", .share),
    [
      .init(
        "hurried app",
        [
          .init(10, 0.11, 0.1...0.12), .init(30, 0.323, 0.311...0.335),
          .init(60, 0.55, 0.53...0.57), .init(180, 0.902, 0.894...0.91),
          .init(600, 0.991, 0.988...0.994), .init(1_800, 0.993, 0.990...0.996),
        ]),
      .init(
        "careful app",
        [
          .init(10, 0.31, 0.29...0.33), .init(30, 0.61, 0.59...0.63), .init(60, 0.79, 0.77...0.81),
          .init(180, 0.96, 0.955...0.965),
          .init(600, 0.995, 0.993...0.997), .init(1_800, 0.996, 0.994...0.998),
        ]),
      .init(
        "app that gives up",
        [
          .init(10, 0.08, 0.06...0.1), .init(30, 0.2, 0.18...0.22), .init(60, 0.3, 0.28...0.32),
          .init(180, 0.41, 0.39...0.43),
          .init(600, 0.45, 0.43...0.47), .init(1_800, 0.46, 0.44...0.48),
        ]),
    ], intervalName: "95 % intervals over 20 seeds")

  static let cases = CurveChart(
    "Deaths per day", text: "ios7 terminates the fewest processes of all shipped policies.",
    .cases(
      "policy",
      ["ios4", "ios7", "ios13", "android14, with a long name that has to be broken somewhere"]),
    AxisMeasure("deaths per user and day"),
    [
      .init(
        "weekday",
        [
          .init(0, 0.021, 0.018...0.024), .init(1, 0.012, 0.01...0.014),
          .init(2, 0.034, 0.03...0.038), .init(3, 0.028, 0.02...0.036),
        ]),
      .init(
        "weekend",
        [
          .init(0, 0.025, 0.02...0.03), .init(1, 0.015, 0.011...0.019),
          .init(2, 0.041, 0.035...0.047), .init(3, 0.03, 0.02...0.04),
        ]),
    ], intervalName: "95 % intervals over 20 seeds")

  static let differences = DifferenceChart(
    "Against a grant of 30 seconds",
    text: "Each longer grant lets more uploads finish; the effect on wake-ups is unknown.",
    AxisMeasure("difference of shares", .points),
    [
      .init("1 minute, uploads that are done", 0.227, 0.215...0.239, verdict: "more"),
      .init("3 minutes, uploads that are done", 0.579, 0.567...0.591, verdict: "more"),
      .init("3 minutes, processes that are killed", -0.12, -0.14 ... -0.1, verdict: "less"),
      .init(
        "3 minutes, wakes that are denied", 0.004, -0.008...0.016,
        verdict: "no visible difference"),
    ], intervalName: "95 % intervals of 20 paired runs")

  static let distribution = DistributionChart(
    "Time until an upload is done",
    text: "Half of all uploads need 40 seconds; one in a hundred needs more than 10 minutes.",
    AxisMeasure("time until done", .seconds), isLogarithmic: true,
    [
      .init(
        "Wi-Fi", [(0.05, 2), (0.1, 4), (0.25, 12), (0.5, 40), (0.75, 95), (0.9, 180), (0.99, 610)]),
      .init(
        "cellular",
        [(0.05, 5), (0.1, 11), (0.25, 33), (0.5, 90), (0.75, 210), (0.9, 500), (0.99, 1_900)]),
    ])

  static let bars = BarChart(
    "Decisions by reason", text: "52 of 70 were allowed; most denials were for the budget.",
    AxisMeasure("decisions", .count),
    [
      .init("allowed", 52, kind: 0), .init("budget", 9, kind: 1), .init("lowPowerMode", 6, kind: 1),
      .init("backgroundRefreshDenied", 3, kind: 1),
    ],
    kinds: ["allowed", "denied"])

  static let table = Table(
    "Processes that ended", [.words("app"), .numbers("at"), .words("reason")],
    [
      ["com.example.mail", "38s", "backgroundTaskAssertionTimeout"],
      ["com.example.news", "3h 12m", "memoryPressure"],
    ])

  static let lanes: LaneChart = {
    var mail = LaneChart.Lane("com.example.mail")
    mail.spans = [.init(0, 0, 8), .init(1, 8, 8), .init(2, 8, 38)]
    mail.bars = [.init(0, 8, 38, "task 'upload', left open")]
    mail.marks = [.init(1, 33, "expiration handler of 'upload'"), .init(0, 38, "terminated")]
    mail.events = [
      (0, "launched", false), (33, "expiration handler of 'upload'", false),
      (38, "terminated", true),
    ]
    var news = LaneChart.Lane("com.example.news")
    news.spans = [.init(0, 8, 20), .init(3, 20, 60)]
    news.bars = [.init(2, 30, 31, "wake 1, fetch"), .init(1, 40, 55, "session audio")]
    news.marks = [.init(2, 45, "fetch denied: budget")]
    return LaneChart(
      "Two apps", text: "mail is terminated at 38s.",
      states: [
        .init("active", .strong), .init("inactive", .middle), .init("background", .warm),
        .init("suspended", .quiet),
        .init("not running", .none),
      ],
      tracks: ["tasks", "sessions", "wakes"],
      signs: [.init("terminated", .cross), .init("expiration", .triangle), .init("denied", .ring)],
      lanes: [mail, news], duration: 60)
  }()
}
