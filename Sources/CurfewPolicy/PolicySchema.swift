import CurfewText

/// The policy language: every key, its shape and its meaning.
enum PolicySchema {
  static let version = "policy/1"

  /// A whole file.
  static let file = Record(
    "A policy: which background execution is admitted, for how long, and what happens at the end. "
      + "With 'extends', values that are not written are the parent's.",
    [
      .required(
        "curfew", .word([version], what: "kind of file"),
        "The kind of file, and the version of its language."),
      .required("name", .text, "The policy's name."),
      .optional(
        "extends", .text, "The parent: a built-in policy's name, or a path relative to this file."),
      .optional("about", .text, "One sentence about the policy."),
    ] + values.fields + [
      .optional(
        "sources", .dictionary(.any(what: "source"), .text),
        "Short keys for the 'source' of values.")
    ] + Provenance.fields)

  /// The part of a file that is inherited, listed and digested.
  static let values = Record("The values of a policy.", PolicyGroup.all.flatMap(\.fields))
}
