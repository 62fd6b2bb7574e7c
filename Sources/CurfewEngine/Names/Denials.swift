/// The reasons and facts behind a denial, by the names that files use.
public struct Denials: Hashable, Sendable, CustomStringConvertible {
  /// The reasons, without facts.
  public let reasons: DenialReasons
  /// The facts that failed: `parked` if this fact must not hold but does, `notCharging` if
  /// `charging` must hold but does not.
  public let facts: [String]
  /// The row's `budgets` that have no room, if `budget` is among the reasons: `10m in 2h`. Empty
  /// if the row's `window` denies. The budgets are a detail of the reason `budget`, not reasons
  /// themselves, so comparison ignores them.
  public let budgets: [String]

  /// Creates an empty value: nothing denies.
  public init() { self.init(DenialReasons()) }

  /// Creates denials of these reasons and facts.
  public init(_ reasons: DenialReasons, facts: [String] = [], budgets: [String] = []) {
    (self.reasons, self.facts, self.budgets) = (reasons.withoutFacts, facts, budgets)
  }

  /// Whether the value is empty: nothing denies.
  public var isEmpty: Bool { reasons.isEmpty && facts.isEmpty }

  /// Whether both deny for the same reasons and facts.
  public static func == (a: Denials, b: Denials) -> Bool {
    a.reasons == b.reasons && a.facts == b.facts
  }

  /// Hashes the reasons and facts.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(reasons)
    hasher.combine(facts)
  }

  /// Whether `reason` is among the reasons.
  public func contains(_ reason: DenialReasons) -> Bool { reasons.contains(reason) }

  /// All names, in the order in which reasons are reported.
  public var names: [String] { reasons.fileNames + facts }

  /// All names: `backgroundRefreshDenied, lowPowerMode`; `none` if nothing denies.
  public var description: String { isEmpty ? "none" : names.joined(separator: ", ") }

  /// Whether these denials are listed before `other`.
  package func precedes(_ other: Denials) -> Bool {
    if reasons.rawValue != other.reasons.rawValue {
      return reasons.rawValue < other.reasons.rawValue
    }
    return facts.lexicographicallyPrecedes(other.facts)
  }

  /// Each reason and each fact by itself.
  package var each: [Denials] {
    DenialReasons.all.filter(reasons.contains).map {
      Denials($0, budgets: $0 == .budget ? budgets : [])
    }
      + facts.map { Denials(DenialReasons(), facts: [$0]) }
  }

  /// The name of a fact that must hold and does not: `notCharging`.
  package static func missing(_ fact: String) -> String {
    "not\(fact.prefix(1).uppercased())\(fact.dropFirst())"
  }

  /// Whether `name` says that a fact does not hold.
  package static func isMissing(_ name: String) -> Bool {
    name.hasPrefix("not") && name.dropFirst(3).first?.isUppercase == true
  }
}

extension Denials: ExpressibleByArrayLiteral {
  /// Creates denials of these reasons, without facts: `[.budget, .lowPowerMode]`.
  public init(arrayLiteral reasons: DenialReasons...) { self.init(DenialReasons(reasons)) }
}

extension PolicyNames {
  /// The denials for `reasons`, with the names that files use.
  ///
  /// - Parameters:
  ///   - reasons: The reasons that the engine gives.
  ///   - budgets: The names of the row's budgets that have no room.
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
