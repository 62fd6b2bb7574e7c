extension String {
  /// This text as a scalar of the YAML subset, in quotes if it would mean something else without
  /// them. Line breaks become spaces, because quoted text cannot contain them.
  package var writtenScalar: String {
    let line = split(whereSeparator: \.isNewline).joined(separator: " ")
    let scalar = SourceNode.Scalar(text: line, isQuoted: false)
    let isPlain =
      line.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
      && line.first?.isLetter == true
    let isOther = scalar.isNothing || scalar.isBareSwitch || (try? BooleanText.read(line)) != nil
    return isPlain && !isOther ? line : JSONText.string(line).written
  }
}
