import CurfewText

/// The language of experiments: every key, what it may be and what it means.
enum ExperimentSchema {
  static let version = "experiment/1"

  /// What a file has after a key: any scalar, of which some are no texts to an editor.
  private static let value = Shape.either([.text, .decimal(0...1_000_000_000), .boolean])

  static let file = Record(
    "An experiment: variants of a workload and its policy that are simulated again and again and compared.",
    [
      .required(
        "curfew", .word([version], what: "kind of file"),
        "What kind of file this is, and the version of its language."),
      .required("name", .text, "The experiment's name."),
      .optional("question", .text, "What it asks, a sentence with a question mark."),
      .optional("about", .text, "What it is about."),
      .optional(
        "published", .list(.text),
        "What others have published about the question, each with its source."),
      .required(
        "workload", .text,
        "The workload: 'phone', which is built in, or a path relative to this file."),
      .optional(
        "policy", .text,
        "The policy: a built-in policy's name, or a path relative to this file; the workload's where absent."
      ),
      .optional(
        "for", .duration,
        "How long each device runs, from its midnight on; a day where absent, or as long as the log is."
      ),
      .optional(
        "devices", .wholeNumber(1...100_000_000),
        "How many devices each run has; 100 where absent, or one for each recorded user."),
      .optional(
        "seed", .wholeNumber(0...Int64.max),
        "What the seeds of all runs are derived from; 0 where absent."),
      .optional(
        "repetitions", .either([.wholeNumber(2...1_000_000), .record(repetitions)]),
        "How many runs each variant has; 20 where absent."),
      .optional(
        "pairing", .word(Experiment.Pairing.allCases.map(\.rawValue), what: "pairing"),
        "Whether repetition r of every variant has the same seed, common where absent, or each run one of its own."
      ),
      .optional(
        "parameters", .dictionary(.any(what: "parameter"), .record(parameter)),
        "What is varied, by name: there is a variant for each combination of their values."),
      .optional(
        "variants", .dictionary(.any(what: "variant"), .dictionary(.any(what: "path"), value)),
        "The variants, written out: by name what each of them sets, such as {policy.tasks.grant: 30s}; or 'parameters'."
      ),
      .optional(
        "baseline", .text,
        "The variant that the others are compared with, such as grant=180s; the first where absent."
      ),
      .optional(
        "level", .percentage,
        "How likely all intervals together are to hold the true differences; 95% where absent."),
      .required(
        "measure", .dictionary(.any(what: "measure"), .record(measure)),
        "What variants are compared by, by name."),
    ])

  static let repetitions = Record(
    "As many as it takes: a sweep looks at the comparisons after 'atLeast' repetitions, then each time there are twice as many, and stops when all are decided.",
    [
      .required(
        "atLeast", .wholeNumber(2...1_000_000), "How many there are before the first look."),
      .required("atMost", .wholeNumber(2...1_000_000), "After how many it ends, decided or not."),
    ])

  static let parameter = Record(
    "A value that is varied.",
    [
      .required(
        "set", .text,
        "What: policy.PATH, workload.PATH (keys with dots between them, as files nest them), 'policy' or 'workload' as a whole."
      ),
      .optional(
        "values", .list(value),
        "Its values, each what a file has after the key; a mapping in quotes. Or a range:"),
      .optional(
        "from", value, "The first value of a range: a duration, a size, a percentage or a number."),
      .optional("to", value, "The last value of a range at most."),
      .optional("step", value, "How far apart values are; or 'factor'."),
      .optional("factor", .decimal(1...1_000_000), "How many times as great the next value is."),
    ])

  static let measure = Record(
    "A figure of every run.",
    [
      .required(
        "figure", .text, "Which, as `curfew fleet --csv` calls it: workLost, completion, delay.p90."
      ),
      .optional("app", .text, "The sort of app; all together where absent."),
      .optional(
        "about", .text,
        "What of it: a kind, a state, a piece of work, a reason; the app as a whole where absent."),
      .optional(
        "per", .word(Measure.Per.allCases.map(\.rawValue), what: "unit"),
        "What totals, counts and seconds, are divided by: deviceDay where absent, or fleet, nothing."
      ),
      .optional(
        "margin", .either([.phrase(MarginText.phrase), .decimal(0...1_000_000_000)]),
        "The smallest difference that matters: a share of the baseline's mean, a duration, or a number in the measure's unit."
      ),
    ])
}
