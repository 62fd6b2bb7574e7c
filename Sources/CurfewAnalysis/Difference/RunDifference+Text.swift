import CurfewEngine
import CurfewPolicy
import CurfewText
import CurfewTrace

extension RunDifference.Change {
  /// `remoteNotification: 5 denied (lowPowerMode), allowed before, by wakes.remoteNotification.blockedBy; first com.example.mail at 3h 18m.`
  package var sentence: String {
    let what =
      switch sort {
      case .decision: "\(kind): \(count) \(decision)"
      case .expiration: "\(kind): \(count) \(expiration)"
      case .end: "\(count == 1 ? "1 end" : "\(count) ends") \(end)"
      }
    let by = rule.map { ", by \($0)" } ?? ""
    let who = firstApp.map { "\($0) " } ?? ""
    return "\(what)\(by); \(count == 1 ? "" : "first ")\(who)at \(times)."
  }

  private var decision: String {
    switch (before, after) {
    case (let old?, let new?) where old == new: "\(RunDifference.answer(new)) at another time"
    case (let old?, let new?): "\(RunDifference.answer(new)), \(RunDifference.answer(old)) before"
    case (nil, let new?):
      "\(RunDifference.answer(new)) that \(count == 1 ? "was" : "were") not requested before"
    case (let old?, nil): "\(RunDifference.answer(old)) before, and no longer requested"
    case (nil, nil): ""
    }
  }

  private var expiration: String {
    let out = count == 1 ? "runs out" : "run out"
    return switch (before, after) {
    case (let old?, let new?) where old == new: "\(out) (\(new.joined())) at another time"
    case (let old?, let new?): "\(out) (\(new.joined())) instead of (\(old.joined()))"
    case (nil, let new?): "\(out) (\(new.joined())) and did not before"
    case (let old?, nil):
      "ran out (\(old.joined())) before and no longer \(count == 1 ? "does" : "do")"
    case (nil, nil): ""
    }
  }

  private var end: String {
    switch (before, after) {
    case (let old?, let new?) where old == new:
      "as \(new.joined()) \(count == 1 ? "comes" : "come") at another time"
    case (let old?, let new?): "as \(new.joined()) instead of \(old.joined())"
    case (nil, let new?): "as \(new.joined()) that did not happen before"
    case (let old?, nil): "as \(old.joined()) that no longer \(count == 1 ? "happens" : "happen")"
    case (nil, nil): ""
    }
  }

  /// `38s instead of 3m 8s`
  private var times: String {
    let (old, new) = (first.before.map(HumanTime.text), first.after.map(HumanTime.text))
    if let old, let new, old != new { return "\(new) instead of \(old)" }
    return new ?? old ?? ""
  }
}

extension RunDifference {
  /// `allowed`, `denied (lowPowerMode)`
  fileprivate static func answer(_ reasons: [String]) -> String {
    reasons.isEmpty ? "allowed" : "denied (\(reasons.joined(separator: ", ")))"
  }
}
