import CLibuv

#if !RealTime
  #error(
    "CurfewUV needs the package's trait RealTime: .package(path: \"…\", traits: [\"RealTime\"])")
#endif

/// A libuv loop that clocks run on: one with threads of its own, or the program's.
///
/// Several clocks may share a loop. It is closed by `close`, or when the last reference to it
/// and the last clock on it are released.
public final class UVLoop: Sendable {
  let core: LoopCore
  private let crew: LoopCrew?

  /// Creates a loop that is run by threads of its own, all named `curfew.loop`: one at a time,
  /// the others while that one is in an app's handler. The threads block the program's signals.
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

  /// Attaches to the program's loop, a `uv_loop_t *`, for as long as this is open. Call it while no
  /// other thread is in `uv_run`: on the thread that runs the loop, or before any thread does.
  ///
  /// The program runs the loop, on any thread. While this is open, a handle in the loop keeps
  /// `uv_run` from returning; after it is closed, no handle of it does. Work that clocks
  /// and devices need from the loop is done inside the loop's rounds, whichever thread asks for
  /// it. So after `close`, unless it was called from a tick, the loop has to run one more round. A
  /// `uv_run` in progress does that by itself: let it return. If it has already returned, or if the
  /// program's own handles keep it running, run one round (`UV_RUN_NOWAIT`) before `uv_loop_close`.
  public init(attachingTo loop: UnsafeMutableRawPointer) throws(UVError) {
    core = try LoopCore.attached(to: loop.assumingMemoryBound(to: uv_loop_t.self))
    crew = nil
  }

  deinit { close() }

  /// Stops the ticks of all clocks on the loop, and closes its handles: when it returns no tick
  /// is running, unless it is called from one, and none will come.
  ///
  /// May be called from any thread, a tick included, before or after the clocks are stopped,
  /// and more than once. It must not be called under a lock that a tick waits for. If the loop
  /// has threads of its own, it is freed when this returns, and its threads have ended except
  /// those in apps' handlers; if this is called from a tick, that happens soon after the tick. In
  /// the program's loop the handles close in the next round.
  public func close() {
    core.close()
    // In a tick, the crew ends after the tick.
    if let crew, !core.isOnLoop { crew.waitUntilOver() }
  }
}
