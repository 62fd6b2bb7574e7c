import TestRuns
import Testing

/// Everything that waits on a real clock, one test at a time: they would be late for each other.
@Suite(.inTurn, .serialized) enum RealTimeTests {}
