import CurfewEngine
package import CurfewText

extension TraceLine {
  /// What the line says behind its time, its app and its type: keys and values as files have them,
  /// in the order of files. Of an event its `do` is not among them.
  ///
  /// Callbacks are called by UIKit's names.
  package var pairs: [(key: String, value: Plain)] {
    if case .event(let deed) = body {
      return (deed.verb.row.values + deed.verb.row.traced).compactMap { value in
        value.write(deed).map { (value.name, $0) }
      }
    }
    var values = LineValues()
    return LineType.of(body, &values)?.values.compactMap { value in
      value.write(values).map { (value.name, $0) }
    } ?? []
  }

  /// Its `type` in files.
  package var typeName: String {
    var values = LineValues()
    return LineType.of(body, &values)?.name ?? "event"
  }
}
