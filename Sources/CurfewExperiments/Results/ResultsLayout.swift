import GRDB

/// The schema of a results file: tables to write and views to read.
/// `Documentation/formats/results.md` describes each.
enum ResultsLayout {
  /// `curf` in ASCII: SQLite's application id, which names the program that owns a file.
  static let application: Int32 = 0x6375_7266
  /// `results/2`
  static let version: Int32 = 2

  /// The statements that create all tables, indexes and views.
  static let statements = """
    CREATE TABLE experiment (
      id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL, question TEXT, about TEXT, seed INTEGER NOT NULL, devices INTEGER NOT NULL,
      days REAL NOT NULL, pairing TEXT NOT NULL, at_least INTEGER NOT NULL, at_most INTEGER NOT NULL, level REAL NOT NULL,
      baseline INTEGER NOT NULL, version TEXT NOT NULL, digest TEXT NOT NULL, evaluated INTEGER,
      looked_at INTEGER
    ) STRICT;
    CREATE TABLE published (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
    CREATE TABLE parameter (id INTEGER PRIMARY KEY, name TEXT NOT NULL, path TEXT NOT NULL) STRICT;
    CREATE TABLE variant (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, policy TEXT NOT NULL, policy_digest TEXT NOT NULL, workload TEXT NOT NULL,
      workload_digest TEXT NOT NULL
    ) STRICT;
    CREATE TABLE setting (
      variant INTEGER NOT NULL REFERENCES variant, path TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (variant, path)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE missing (
      variant INTEGER NOT NULL REFERENCES variant, app TEXT NOT NULL, class TEXT NOT NULL CHECK (class IN ('session', 'wake')),
      kind TEXT NOT NULL, UNIQUE (variant, app, kind)
    ) STRICT;
    CREATE TABLE measure (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, figure TEXT NOT NULL, app TEXT NOT NULL, about TEXT NOT NULL, unit TEXT NOT NULL,
      divisor TEXT NOT NULL, margin TEXT
    ) STRICT;
    CREATE TABLE run (
      id INTEGER PRIMARY KEY, variant INTEGER NOT NULL REFERENCES variant, repetition INTEGER NOT NULL, seed INTEGER NOT NULL,
      version TEXT NOT NULL, finished TEXT NOT NULL, seconds REAL NOT NULL, UNIQUE (variant, repetition)
    ) STRICT;
    CREATE INDEX run_version ON run (version);
    CREATE TABLE metric (
      id INTEGER PRIMARY KEY, app TEXT NOT NULL, about TEXT NOT NULL, figure TEXT NOT NULL, unit TEXT NOT NULL, UNIQUE (app, about, figure)
    ) STRICT;
    CREATE TABLE value (
      run INTEGER NOT NULL REFERENCES run, metric INTEGER NOT NULL REFERENCES metric, value REAL, PRIMARY KEY (run, metric)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE comparison (
      variant INTEGER NOT NULL REFERENCES variant, measure INTEGER NOT NULL REFERENCES measure, pairs INTEGER NOT NULL, baseline_mean REAL,
      mean REAL, difference REAL, skewness REAL, low REAL, high REAL, verdict TEXT NOT NULL, PRIMARY KEY (variant, measure)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE rare (
      variant INTEGER NOT NULL REFERENCES variant, measure INTEGER NOT NULL REFERENCES measure, baseline_events INTEGER NOT NULL,
      events INTEGER NOT NULL, device_days REAL NOT NULL, baseline_at_least REAL NOT NULL, baseline_at_most REAL NOT NULL,
      at_least REAL NOT NULL, at_most REAL NOT NULL, PRIMARY KEY (variant, measure)
    ) STRICT, WITHOUT ROWID;

    CREATE VIEW figures AS
      SELECT variant.name AS variant, run.repetition, run.seed, metric.app, metric.about, metric.figure, metric.unit, value.value
      FROM value JOIN run ON run.id = value.run JOIN variant ON variant.id = run.variant JOIN metric ON metric.id = value.metric;
    CREATE VIEW measured AS
      SELECT variant.name AS variant, run.repetition, measure.name AS measure, measure.unit,
        CASE WHEN metric.id IS NULL THEN CASE measure.divisor WHEN 'absent' THEN NULL ELSE 0.0 END
          WHEN measure.divisor = 'deviceDay' THEN value.value / (SELECT devices * days FROM experiment) ELSE value.value END AS value
      FROM run JOIN variant ON variant.id = run.variant JOIN measure
        LEFT JOIN metric ON metric.app = measure.app AND metric.about = measure.about AND metric.figure = measure.figure
          AND EXISTS (SELECT 1 FROM value AS present WHERE present.run = run.id AND present.metric = metric.id)
        LEFT JOIN value ON value.run = run.id AND value.metric = metric.id;
    CREATE VIEW differences AS
      SELECT one.variant, one.measure, one.unit, one.repetition, other.value AS baseline, one.value, one.value - other.value AS difference
      FROM measured AS one JOIN measured AS other ON other.measure = one.measure AND other.repetition = one.repetition
        AND other.variant = (SELECT variant.name FROM variant JOIN experiment ON experiment.baseline = variant.id)
      WHERE one.variant <> other.variant;
    CREATE VIEW comparisons AS
      SELECT variant.name AS variant, measure.name AS measure, measure.unit, comparison.pairs, comparison.baseline_mean, comparison.mean,
        comparison.difference, comparison.skewness, comparison.low, comparison.high, comparison.verdict, rare.baseline_events, rare.events,
        rare.device_days, rare.baseline_at_least, rare.baseline_at_most, rare.at_least, rare.at_most
      FROM comparison JOIN variant ON variant.id = comparison.variant JOIN measure ON measure.id = comparison.measure
        LEFT JOIN rare ON rare.variant = comparison.variant AND rare.measure = comparison.measure;
    """

  /// The name of the measure's divisor in the file. If nothing is divided, the name says what
  /// an absent figure means: under `none` it counts as 0, under `absent` as no value.
  static func divisor(of measure: Measure) -> String {
    if measure.isTotal, measure.per == .deviceDay { return "deviceDay" }
    return FigureCatalog.isZeroWhereAbsent(measure.figure) ? "none" : "absent"
  }

  /// A description of the damage in a file that claims this layout; nil if the data is consistent.
  /// Tables must be exactly as created, so that SQLite itself checks types and columns.
  static func flaw(_ database: Database) throws -> String? {
    let made = try DatabaseQueue().write { empty -> [String: String] in
      try empty.execute(sql: statements)
      return Dictionary(
        uniqueKeysWithValues: try Row.fetchAll(empty, sql: schema).map { ($0["name"], $0["sql"]) })
    }
    let found = Dictionary(
      try Row.fetchAll(database, sql: schema).map { ($0["name"] as String, $0["sql"] as String) },
      uniquingKeysWith: { first, _ in first })
    if let other = made.keys.sorted().first(where: { found[$0] != made[$0] }) {
      return "'\(other)' has changed since it was created"
    }
    let check = try String.fetchOne(database, sql: "PRAGMA quick_check(1)") ?? ""
    guard check == "ok" else { return check }
    for (what, query) in conditions
    where try Bool.fetchOne(database, sql: "SELECT \(query)") != true { return what }
    return nil
  }

  private static let schema = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"

  /// Conditions in addition to the types, each with the message for its violation.
  private static let conditions = [
    ("there is no experiment", "(SELECT count(*) FROM experiment) = 1"),
    (
      "the experiment's numbers are out of range",
      """
      (SELECT devices > 0 AND days > 0 AND days < 1e9 AND level BETWEEN 0.4 AND 1 AND at_least BETWEEN 0 AND at_most AND at_most <= 1000000
        AND ifnull(evaluated, 2) BETWEEN 2 AND 1000000 AND pairing IN ('common', 'independent') FROM experiment)
      """
    ),
    (
      "the variants are not numbered from 1",
      "(SELECT count(*) > 0 AND min(id) = 1 AND max(id) = count(*) FROM variant)"
    ),
    (
      "the baseline is not a variant",
      "(SELECT baseline IN (SELECT id FROM variant) FROM experiment)"
    ),
    (
      "the measures are not numbered from 1",
      "(SELECT ifnull(min(id), 1) = 1 AND ifnull(max(id), 0) = count(*) FROM measure)"
    ),
    (
      "a missing kind belongs to no variant",
      "NOT EXISTS (SELECT 1 FROM missing WHERE variant NOT IN (SELECT id FROM variant))"
    ),
    (
      "a run belongs to no variant, or to no repetition",
      "NOT EXISTS (SELECT 1 FROM run WHERE variant NOT IN (SELECT id FROM variant) OR repetition NOT BETWEEN 0 AND 999999)"
    ),
    (
      "a value belongs to no run or figure, or is out of range",
      "NOT EXISTS (SELECT 1 FROM value WHERE abs(value) > 1e140 OR run NOT IN (SELECT id FROM run) OR metric NOT IN (SELECT id FROM metric))"
    ),
    (
      "a comparison belongs to no variant or measure",
      "NOT EXISTS (SELECT 1 FROM comparison WHERE variant NOT IN (SELECT id FROM variant) OR measure NOT IN (SELECT id FROM measure))"
    ),
    (
      "bounds of rare events belong to no comparison, or are out of range",
      """
      NOT EXISTS (SELECT 1 FROM rare WHERE NOT EXISTS (SELECT 1 FROM comparison AS c WHERE c.variant = rare.variant AND c.measure = rare.measure)
        OR min(baseline_events, events) < 0 OR device_days <= 0 OR NOT at_least BETWEEN 0 AND at_most OR NOT at_most < 1e140
        OR NOT baseline_at_least BETWEEN 0 AND baseline_at_most OR NOT baseline_at_most < 1e140)
      """
    ),
  ]
}
