import CurfewEngine
import CurfewText

// The keys of a group of apps.

extension GroupRules {
  static let keys: [PolicyKey<GroupRules>] = [
    .init(
      "unusedFor", \.unusedFor, .durationOrNone("time"), absent: .zero,
      "How long the app must not have been in the foreground; for an app that never was, the time counts from the beginning."
    ).positive,
    .facts("requires", \.conditions.requires, "Facts that have to hold."),
    .facts("blockedBy", \.conditions.blockedBy, "Facts that must not hold."),
    .init(
      "rank", \.rank, .number(0...1_000), absent: 0,
      "An app that fits several groups is in the group with the highest rank; among equal ranks, in the group with the longest 'unusedFor', then in the first by name."
    ),
  ]
}
