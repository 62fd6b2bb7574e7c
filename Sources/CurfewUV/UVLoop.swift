import CLibuv

#if !RealTime
  #error(
    "CurfewUV needs the package's trait RealTime: .package(path: \"…\", traits: [\"RealTime\"])")
#endif

/// A libuv loop on which clocks run: a loop with its own threads, or the program's loop.
///
/// Several clocks may share a loop. The loop is closed by `close`, or when the last reference to it
/// and the last clock on it are released.
public final class UVLoop: Sendable {
  let core: LoopCore
  private let crew: LoopCrew?

  /// Creates a loop that is run by its own threads, all named `curfew.loop`. One thread runs
  /// the loop at a time; another takes over while that thread is in an app's handler. The threads
  /// block the program's signals.
  public init() throws(UVError) {
    core = try LoopCore.own()
    do {
      crew = try LoopCrew(running: core)
    } catch {
      // No other thread runs the loop, so its handles are closed here.
      core.closeHandles()
      while core.runOnce() {}
      core.finish()
      throw error
    }
  }

  /// Attaches to the program's loop, a `uv_loop_t *`, until `close`. Call this while no other
  /// thread is in `uv_run`: on the thread that runs the loop, or before any thread runs it.
  ///
  /// The program runs the loop, on any thread. While the `UVLoop` is open, its handle in the loop
  /// keeps `uv_run` from returning. Once it is closed, its handles no longer do. Clocks and devices
  /// do their work inside the loop's rounds, whichever thread requests it. After `close`, the loop
  /// therefore has to run one more round, unless a tick called `close`. A `uv_run` in progress runs
  /// that round by itself: let it return. If `uv_run` has already returned, or if the program's own
  /// handles keep it running, run one round (`UV_RUN_NOWAIT`) before `uv_loop_close`.
  public init(attachingTo loop: UnsafeMutableRawPointer) throws(UVError) {
    core = try LoopCore.attached(to: loop.assumingMemoryBound(to: uv_loop_t.self))
    crew = nil
  }

  deinit { close() }

  /// Stops the ticks of all clocks on the loop, and closes the loop's handles. When it returns, no
  /// tick is running, unless a tick called it, and no further tick comes.
  ///
  /// May be called from any thread, a tick included, before or after the clocks are stopped,
  /// and more than once. The caller must not hold a lock that a tick waits for. If the loop has
  /// its own threads, the loop is freed and its threads have ended when `close` returns, except
  /// threads in apps' handlers. If a tick called `close`, this happens soon after the tick. In
  /// the program's loop, the handles close in the next round.
  public func close() {
    core.close()
    // If a tick called this, the crew ends after the tick.
    if let crew, !core.isOnLoop { crew.waitUntilOver() }
  }
}
