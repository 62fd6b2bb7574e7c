import CurfewEngine
import CurfewPolicy
import CurfewText
import TestRuns
import TestSupport
import Testing

/// Names that a policy declares: kinds, modes and facts.
@Suite(.inTurn) struct OwnNameTests {
  private static let child = "curfew: policy/1\nname: mine\nextends: ios13\n"
  private static let car =
    child + """
      modes: {guidance: Turn-by-turn guidance.}
      facts:
        parked: {of: device, about: The gear is in park.}
        restricted: {of: app, unset: true}
      sessions:
        navigation: {mode: guidance, blockedBy: parked}
      wakes:
        carUpdate: {start: interval, mode: [guidance, fetch], requires: [charging, connected], length: 10s, overrun: tell}
        backup: {start: request, pending: 2, blockedBy: restricted, length: 1m, overrun: drop, waitsForIdle: true}

      """

  @Test
  func
    `kinds, modes and facts of a policy's own follow the standard ones, in the order of their names`()
    throws
  {
    let names = try policy(Self.car).policy.names
    #expect(names.kinds.dropFirst(19).map(\.rawValue) == ["navigation", "backup", "carUpdate"])
    #expect(
      names.modes.dropFirst(10) == ["guidance"]
        && names.facts.dropFirst(11) == ["parked", "restricted"])
    #expect(
      names.class(of: "navigation") == .session && names.class(of: "backup") == .wake
        && names.class(of: "navgation") == nil)
    #expect(names.kind(.processing) == .processing && names.kind("backup")?.rawValue == 20)
  }

  @Test
  func
    `a policy's own rows are read like standard ones, and the table gives the values that they omit`()
    throws
  {
    let file = try policy(Self.car)
    let names = file.policy.names
    let update = try #require(file.policy.wakes[names.kind("carUpdate")!])
    #expect(
      update.start == .interval && update.overrun == .tell && update.stopsTaskClock
        && update.linger == .zero)
    #expect(names.names(of: update.modes) == ["fetch", "guidance"])
    #expect(names.names(of: update.conditions.requires) == ["charging", "connected"])
    #expect(
      file.entry("wakes.carUpdate.relaunches")?.text == "false"
        && file.entry("wakes.carUpdate.mode")?.text == "fetch, guidance")
    let backup = try #require(file.policy.wakes[names.kind("backup")!])
    #expect(backup.start == .request && backup.pendingLimit == 2 && backup.waitsForIdle)
    #expect(
      names.names(of: file.policy.facts.ofDevice) == ["parked"]
        && names.names(of: file.policy.facts.ofApps) == ["restricted"])
    #expect(names.names(of: file.policy.facts.unset) == ["restricted"])
    // A standard session is admitted by the mode of its own name, and a standard wake keeps its
    // own start.
    #expect(
      file.entry("sessions.audio.mode")?.text == "audio"
        && file.entry("wakes.fetch.start")?.text == "opportunity")
    #expect(file.policy.sessions[.audio]?.modes == nil && file.policy.wakes[.fetch]?.start == nil)
  }

  @Test func `the order in which things are declared changes neither numbers nor digest`() throws {
    let two = "  navigation: {mode: guidance, blockedBy: parked}\n"
    let swapped = Self.car.replacing(two, with: "  zoom: {mode: none}\n" + two)
    let other = Self.car.replacing(two, with: two + "  zoom: {mode: none}\n")
    #expect(try policy(swapped).digest == policy(other).digest)
    #expect(try policy(swapped).digest != policy(Self.car).digest)
    #expect(try policy(swapped).policy.names == policy(other).policy.names)
  }

  @Test func `a child removes a row with one word, and a grandchild restores it`() throws {
    let files = [
      "without.yaml":
        "curfew: policy/1\nname: without\nextends: ios13\nwakes: {fetch: none}\nsessions: {audio: none}\n",
      "again.yaml":
        "curfew: policy/1\nname: again\nextends: without.yaml\nwakes: {fetch: {length: 9s, overrun: drop}}\n",
      "short.yaml":
        "curfew: policy/1\nname: short\nextends: without.yaml\nwakes: {fetch: {overrun: drop}}\n",
    ]
    try withFolder(files) { folder in
      let without = try PolicyFile.load("\(folder)/without.yaml")
      #expect(
        without.policy.wakes[.fetch] == nil && without.policy.sessions[.audio] == nil
          && without.policy.wakes[.appRefresh] != nil)
      #expect(without.entry("wakes.fetch.length") == nil)
      #expect(without.path(ofDenial: .kindNotInPolicy, kind: .fetch) == "wakes.fetch")
      #expect(without.place(of: "wakes.fetch")?.description == "\(folder)/without.yaml:4:9")
      let again = try PolicyFile.load("\(folder)/again.yaml")
      #expect(
        again.policy.wakes[.fetch]?.length == .seconds(9)
          && again.policy.wakes[.fetch]?.relaunches == false)
      #expect(
        errors(in: folder) { () throws(FileErrors) in
          _ = try PolicyFile.load("\(folder)/short.yaml")
        } == [
          "short.yaml:4:9: error: missing 'wakes.fetch.length'; a row that no parent has needs 'length' and 'overrun'"
        ])
    }
  }

  @Test func `a program sets and forbids rows of its own`() throws {
    var file = try PolicyFile.load("ios13")
    try file.set("facts.parked", "{of: device}")
    try file.set("wakes.carUpdate", "{length: 10s, overrun: drop, requires: parked}")
    try file.set("wakes.fetch", "none")
    #expect(file.policy.wakes[.fetch] == nil && file.policy.names.kind("carUpdate") != nil)
    #expect(
      errors { () throws(FileErrors) in try file.set("wakes.fetch", "nne") } == [
        "wakes.fetch:1:1: error: expected a mapping or 'none', found 'nne'; did you mean 'none'?"
      ])
  }

  @Test func `names with another meaning are refused at their place`() {
    #expect(
      policyErrors(
        Self.child + """
          modes: {audio: Sound.}
          facts:
            charging: {of: device}
            notParked: {of: device}
            budget: {of: app}
            parked: {}
          sessions:
            fetch: {}
            twice: {mode: none}
          wakes:
            audio: {length: 1s, overrun: drop}
            twice: {length: 1s, overrun: drop}
            didEnterBackground: {length: 1s, overrun: drop}
            9lives: {length: 1s, overrun: drop}

          """) == [
          "mine.yaml:4:9: error: 'audio' is a mode that every policy knows",
          "mine.yaml:6:3: error: 'charging' is a fact that every policy knows",
          "mine.yaml:7:3: error: 'notParked' is the name of a fact that does not hold; name the fact itself",
          "mine.yaml:8:3: error: 'budget' means something else",
          "mine.yaml:11:3: error: 'fetch' is a wake, not a session",
          "mine.yaml:14:3: error: 'audio' is a session, not a wake",
          "mine.yaml:15:3: error: 'twice' cannot be both a session and a wake",
          "mine.yaml:16:3: error: 'didEnterBackground' means something else",
          "mine.yaml:17:3: error: a wake's name is a letter, then letters, digits and '-', 64 at most; found '9lives'",
        ])
    #expect(
      policyErrors(Self.child + "facts: {parked: {}}\n") == [
        "mine.yaml:4:9: error: missing 'facts.parked.of'; a fact belongs to the device or to an app"
      ])
  }

  @Test func `an unknown name in a value is an error that names the nearest`() {
    let found = policyErrors(
      Self.car.replacing("mode: guidance", with: "mode: guidence").replacing(
        "requires: [charging, connected]", with: "requires: chargin"))
    #expect(
      found == [
        "mine.yaml:9:22: error: unknown mode 'guidence'; did you mean 'guidance'?",
        "mine.yaml:11:67: error: unknown fact 'chargin'; did you mean 'charging'?",
      ])
    #expect(
      policyErrors(Self.car.replacing("mode: guidance", with: "mode: zzz")).first?.hasSuffix(
        "processing, guidance; a policy declares its own in 'modes'") == true)
    #expect(
      policyErrors(
        Self.child + "sessions: {audio: {requires: charging, blockedBy: [wifi, charging]}}\n") == [
          "mine.yaml:4:30: error: the row requires 'charging' and is blocked by it; nothing would ever be allowed"
        ])
  }

  @Test
  func
    `a removed row keeps its name, also when the policy is written, and a misspelt one is reported`()
    throws
  {
    let child = try policy(Self.child + "wakes: {beacon: none}\n")
    let again = try policy(child.text)
    #expect(
      again.policy == child.policy && again.digest == child.digest
        && child.text.contains("\n  beacon: none\n"))
    let errors = policyErrors(Self.child + "wakes: {fecth: none}\n")
    #expect(
      errors.count == 1
        && errors[0].hasSuffix("there is no row 'fecth' to remove; did you mean 'fetch'?"),
      "\(errors)")
  }

  @Test
  func
    `a row with nearly the name of another, and without the values that a new row needs, is a misspelling`()
  {
    #expect(
      policyErrors(Self.child + "sessions: {loction: {linger: 2s}}\nwakes: {fecth: {code: none}}\n")
        == [
          "mine.yaml:4:12: error: unknown session 'loction'; did you mean 'location'? A row of the policy's own needs 'mode'",
          "mine.yaml:5:9: error: unknown wake 'fecth'; did you mean 'fetch'? A row of the policy's own needs 'length' and 'overrun'",
        ])
    #expect(
      policyErrors(Self.child + "sessions: {zoom: {linger: 2s}}\n") == [
        "mine.yaml:4:12: error: missing 'sessions.zoom.mode'; a row that no parent has needs 'mode'"
      ])
  }

  @Test func `a key that has no effect on how a wake starts is an error there`() {
    #expect(
      policyErrors(
        Self.child
          + "wakes:\n  newsstand: {alignment: 5m}\n  mine: {length: 1s, overrun: drop, pending: 3}\n"
      ) == [
        "mine.yaml:5:26: error: 'alignment' has no effect on 'newsstand', whose 'start' is 'event'; it applies to 'opportunity' or 'request'",
        "mine.yaml:6:46: error: 'pending' has no effect on 'mine', whose 'start' is 'event'; it applies to 'request'",
      ])
    #expect(
      policyErrors(Self.child + "wakes: {fetch: {start: event}}\n") == [
        "mine.yaml:4:24: error: 'minimumInterval' has no effect on 'fetch', whose 'start' is 'event'; it applies to 'opportunity', 'interval' or 'request'",
        "mine.yaml:4:24: error: 'alignment' has no effect on 'fetch', whose 'start' is 'event'; it applies to 'opportunity' or 'request'",
        "mine.yaml:4:24: error: 'backoff' has no effect on 'fetch', whose 'start' is 'event'; it applies to 'opportunity'",
      ])
  }

  @Test func `sixty-four names of a sort are allowed, and one more is an error at its place`()
    throws
  {
    func facts(_ count: Int) -> String { (0..<count).map { "  f\($0): {of: device}\n" }.joined() }
    func rows(_ count: Int) -> String {
      (0..<count).map { "  k\($0): {length: 1s, overrun: drop}\n" }.joined()
    }
    func modes(_ count: Int) -> String { (0..<count).map { "  m\($0): A mode.\n" }.joined() }
    let full = try policy(
      Self.child + "modes:\n\(modes(54))facts:\n\(facts(53))wakes:\n\(rows(45))"
    ).policy.names
    #expect(full.kinds.count == 64 && full.modes.count == 64 && full.facts.count == 64)
    #expect(
      policyErrors(Self.child + "modes:\n\(modes(55))facts:\n\(facts(54))wakes:\n\(rows(46))") == [
        "mine.yaml:59:3: error: a policy has at most 64 modes, 10 of them standard; found 55 of its own",
        "mine.yaml:114:3: error: a policy has at most 64 facts, 11 of them standard; found 54 of its own",
        "mine.yaml:161:3: error: a policy has at most 64 kinds, 19 of them standard; found 46 of its own",
      ])
  }
}
