/// Why something was denied, as files tell it: reasons, and facts by their names.
public struct Denials: Hashable, Sendable, CustomStringConvertible {
  /// The reasons, without facts.
  public let reasons: DenialReasons
  /// The facts that failed: `parked` where it holds and must not, `notCharging` where it does
  /// not and must.
  public let facts: [String]
  /// Those of the row's `budgets` that have no room, where `budget` is among the reasons:
  /// `10m in 2h`. None where it is the row's `window`. How it denies in detail, and no reason
  /// of its own: where it differs, denials are equal all the same.
  public let budgets: [String]

  /// Nothing denies.
  public init() { self.init(DenialReasons()) }

  /// These reasons and facts.
  public init(_ reasons: DenialReasons, facts: [String] = [], budgets: [String] = []) {
    (self.reasons, self.facts, self.budgets) = (reasons.withoutFacts, facts, budgets)
  }

  /// Whether nothing denies.
  public var isEmpty: Bool { reasons.isEmpty && facts.isEmpty }

  /// Whether the same denies.
  public static func == (a: Denials, b: Denials) -> Bool {
    a.reasons == b.reasons && a.facts == b.facts
  }

  /// What denies.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(reasons)
    hasher.combine(facts)
  }

  /// Whether that reason is among them.
  public func contains(_ reason: DenialReasons) -> Bool { reasons.contains(reason) }

  /// Every name, in the order in which reasons are told.
  public var names: [String] { reasons.fileNames + facts }

  /// Their names: `backgroundRefreshDenied, lowPowerMode`; `none` where nothing denies.
  public var description: String { isEmpty ? "none" : names.joined(separator: ", ") }

  /// The order in which denials are listed.
  package func precedes(_ other: Denials) -> Bool {
    if reasons.rawValue != other.reasons.rawValue {
      return reasons.rawValue < other.reasons.rawValue
    }
    return facts.lexicographicallyPrecedes(other.facts)
  }

  /// Each of them by itself.
  package var each: [Denials] {
    DenialReasons.all.filter(reasons.contains).map {
      Denials($0, budgets: $0 == .budget ? budgets : [])
    }
      + facts.map { Denials(DenialReasons(), facts: [$0]) }
  }

  /// What a fact is called that has to hold and does not: `notCharging`.
  package static func missing(_ fact: String) -> String {
    "not\(fact.prefix(1).uppercased())\(fact.dropFirst())"
  }

  /// The fact that `name` says does not hold; nil where it says nothing of the sort.
  package static func isMissing(_ name: String) -> Bool {
    name.hasPrefix("not") && name.dropFirst(3).first?.isUppercase == true
  }
}

extension Denials: ExpressibleByArrayLiteral {
  /// These reasons, and no facts: `[.budget, .lowPowerMode]`.
  public init(arrayLiteral reasons: DenialReasons...) { self.init(DenialReasons(reasons)) }
}

extension PolicyNames {
  /// What files say where that denies.
  ///
  /// - Parameter budgets: What those of the row's budgets are called that have no room.
  public func denials(_ reasons: DenialReasons, budgets: [String] = []) -> Denials {
    guard !reasons.blocked.isEmpty || !reasons.missing.isEmpty else {
      return Denials(reasons, budgets: budgets)
    }
    return Denials(
      reasons, facts: names(of: reasons.blocked) + names(of: reasons.missing).map(Denials.missing),
      budgets: budgets)
  }
}

extension Denials {
  /// See `DenialReasons.noMultitasking`.
  public static let noMultitasking = Denials(DenialReasons.noMultitasking)
  /// See `DenialReasons.kindNotInPolicy`.
  public static let kindNotInPolicy = Denials(DenialReasons.kindNotInPolicy)
  /// See `DenialReasons.modeNotInPolicy`.
  public static let modeNotInPolicy = Denials(DenialReasons.modeNotInPolicy)
  /// See `DenialReasons.modeNotDeclared`.
  public static let modeNotDeclared = Denials(DenialReasons.modeNotDeclared)
  /// See `DenialReasons.exitsOnSuspend`.
  public static let exitsOnSuspend = Denials(DenialReasons.exitsOnSuspend)
  /// See `DenialReasons.backgroundRefreshDenied`.
  public static let backgroundRefreshDenied = Denials(DenialReasons.backgroundRefreshDenied)
  /// See `DenialReasons.backgroundRefreshRestricted`.
  public static let backgroundRefreshRestricted = Denials(DenialReasons.backgroundRefreshRestricted)
  /// See `DenialReasons.lowPowerMode`.
  public static let lowPowerMode = Denials(DenialReasons.lowPowerMode)
  /// See `DenialReasons.lowBattery`.
  public static let lowBattery = Denials(DenialReasons.lowBattery)
  /// See `DenialReasons.forceQuit`.
  public static let forceQuit = Denials(DenialReasons.forceQuit)
  /// See `DenialReasons.beforeFirstUnlock`.
  public static let beforeFirstUnlock = Denials(DenialReasons.beforeFirstUnlock)
  /// See `DenialReasons.mayNotRelaunch`.
  public static let mayNotRelaunch = Denials(DenialReasons.mayNotRelaunch)
  /// See `DenialReasons.terminating`.
  public static let terminating = Denials(DenialReasons.terminating)
  /// See `DenialReasons.budget`.
  public static let budget = Denials(DenialReasons.budget)
  /// See `DenialReasons.interval`.
  public static let interval = Denials(DenialReasons.interval)
}
