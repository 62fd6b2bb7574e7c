import CurfewText

/// The language of experiments: every key with its type and its meaning.
enum ExperimentSchema {
  static let version = "experiment/1"

  /// The value of a key in a file: any scalar. Editors take some scalars for numbers or booleans.
  private static let value = Shape.either([.text, .decimal(0...1_000_000_000), .boolean])

  static let file = Record(
    "An experiment: variants of a workload and its policy that are simulated repeatedly and compared.",
    [
      .required(
        "curfew", .word([version], what: "kind of file"),
        "The kind of file, and the version of its language."),
      .required("name", .text, "The experiment's name."),
      .optional("question", .text, "The experiment's question: a sentence with a question mark."),
      .optional("about", .text, "A description of the experiment."),
      .optional(
        "published", .list(.text),
        "Published results about the question, each with its source."),
      .required(
        "workload", .text,
        "The workload: 'phone', which is built in, or a path relative to this file."),
      .optional(
        "policy", .text,
        "The policy: a built-in policy's name, or a path relative to this file; the workload's if absent."
      ),
      .optional(
        "for", .duration,
        "The time for which each device runs, starting at its midnight; if absent, a day or the length of the log."
      ),
      .optional(
        "devices", .wholeNumber(1...100_000_000),
        "The number of devices in each run; if absent, 100 or one for each recorded user."),
      .optional(
        "seed", .wholeNumber(0...Int64.max),
        "The seed from which the seeds of all runs are derived; 0 if absent."),
      .optional(
        "repetitions", .either([.wholeNumber(2...1_000_000), .record(repetitions)]),
        "The number of runs of each variant; 20 if absent."),
      .optional(
        "pairing", .word(Experiment.Pairing.allCases.map(\.rawValue), what: "pairing"),
        "With common, the default, repetition r has the same seed in every variant; with independent, each run has its own seed."
      ),
      .optional(
        "parameters", .dictionary(.any(what: "parameter"), .record(parameter)),
        "The parameters, by name. Each combination of their values is a variant."),
      .optional(
        "variants", .dictionary(.any(what: "variant"), .dictionary(.any(what: "path"), value)),
        "The variants by name, each with its settings, such as {policy.tasks.grant: 30s}; alternatively 'parameters'."
      ),
      .optional(
        "baseline", .text,
        "The variant that the others are compared with, such as grant=180s; the first if absent."
      ),
      .optional(
        "level", .percentage,
        "The probability that all intervals simultaneously contain the true differences; 95% if absent."
      ),
      .required(
        "measure", .dictionary(.any(what: "measure"), .record(measure)),
        "The figures by which variants are compared, by name."),
    ])

  static let repetitions = Record(
    "As many repetitions as needed. A sweep looks at the comparisons after 'atLeast' repetitions, then each time the number of repetitions has doubled. It stops when all comparisons are decided.",
    [
      .required(
        "atLeast", .wholeNumber(2...1_000_000), "The number of repetitions before the first look."),
      .required(
        "atMost", .wholeNumber(2...1_000_000),
        "The number of repetitions at which the sweep ends, decided or not."),
    ])

  static let parameter = Record(
    "A value that is varied.",
    [
      .required(
        "set", .text,
        "The path of the value: policy.PATH or workload.PATH, with dots between nested keys, or 'policy' or 'workload' as a whole."
      ),
      .optional(
        "values", .list(value),
        "The values, as written in files after the key, with mappings in quotes; alternatively a range:"
      ),
      .optional(
        "from", value, "The first value of a range: a duration, a size, a percentage or a number."),
      .optional("to", value, "The upper limit of a range."),
      .optional(
        "step", value,
        "The difference between a value and the previous one; alternatively 'factor'."),
      .optional(
        "factor", .decimal(1...1_000_000), "The ratio of a value to the previous one."),
    ])

  static let measure = Record(
    "A figure of every run.",
    [
      .required(
        "figure", .text, "The name, as in `curfew fleet --csv`: workLost, completion, delay.p90."
      ),
      .optional("app", .text, "The sort of app; all apps together if absent."),
      .optional(
        "about", .text,
        "The kind, state, piece of work or reason that the figure counts; the whole app if absent."),
      .optional(
        "per", .word(Measure.Per.allCases.map(\.rawValue), what: "unit"),
        "The divisor of totals (counts and seconds): deviceDay, the default, or fleet for no division."
      ),
      .optional(
        "margin", .either([.phrase(MarginText.phrase), .decimal(0...1_000_000_000)]),
        "The smallest difference that matters: a share of the baseline's mean, a duration, or a number in the measure's unit."
      ),
    ])
}
