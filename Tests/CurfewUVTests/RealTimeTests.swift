import TestRuns
import Testing

/// Everything that waits on a real clock, one test at a time: parallel tests would delay
/// each other.
@Suite(.inTurn, .serialized) enum RealTimeTests {}
