/// A place in a file that a person wrote, for errors and policy values.
public struct SourcePlace: Hashable, Sendable, CustomStringConvertible {
  /// The displayed name of the file.
  public var file: String
  /// The line, counted from 1.
  public var line: Int
  /// The column, counted from 1 in Unicode scalars, as YAML counts them.
  public var column: Int

  /// Creates the place at `line` and `column` of `file`.
  package init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// `file:line:column`, which editors and terminals turn into a link.
  public var description: String { "\(file):\(line):\(column)" }
}

extension SourcePlace {
  /// Whether this place comes before `other` in the same file.
  package func precedes(_ other: SourcePlace) -> Bool {
    (line, column) < (other.line, other.column)
  }
}
