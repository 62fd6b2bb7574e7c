import CLibuv

#if !RealTime
  #error(
    "CurfewUV needs the package's trait RealTime: .package(path: \"…\", traits: [\"RealTime\"])")
#endif

/// A libuv loop that clocks run on: one of its own with a thread of its own, or one that the
/// program already has.
///
/// Several clocks may share a loop. It is closed by `close`, or when nobody holds it and no clock
/// of it any more.
public final class UVLoop: Sendable {
  let core: LoopCore
  private let crew: LoopCrew?

  /// A loop of its own, run by threads of its own, all of them `curfew.loop`: one at a time,
  /// the others while that is in an app's handler. None of them takes a signal of the program's.
  public init() throws(UVFailure) {
    core = try LoopCore.own()
    do {
      crew = try LoopCrew(running: core)
    } catch {
      // Nobody else runs it to its end.
      core.closeHandles()
      while core.runOnce() {}
      core.finish()
      throw error
    }
  }

  /// The program's loop: a `uv_loop_t *`, for as long as this is open. To be called while no other
  /// thread is in `uv_run`: on the thread that runs the loop, or before any does.
  ///
  /// The program runs it, on whatever thread it likes. While this is open it has a handle
  /// in the loop that keeps `uv_run` from returning, for a device that waits has something to do;
  /// once it is closed nothing of it does. All that clocks and devices on it ask of the loop, from
  /// any thread, is done inside the loop's rounds. So after `close`, unless that was called from
  /// a tick, the loop has to go round once more, which a `uv_run` that is under way does by itself:
  /// let it return, or where it has returned already, or the program's own handles keep it, have it
  /// go round once (`UV_RUN_NOWAIT`) before `uv_loop_close`.
  public init(attachingTo loop: UnsafeMutableRawPointer) throws(UVFailure) {
    core = try LoopCore.attached(to: loop.assumingMemoryBound(to: uv_loop_t.self))
    crew = nil
  }

  deinit { close() }

  /// Ends the ticks of all clocks on the loop, and its handles: when it returns no tick is running,
  /// unless it is called from one, and none will come.
  ///
  /// May be called from any thread, a tick included, before or after the clocks are stopped, and
  /// more than once. It must not be called under a lock that a tick waits for. A loop of its own
  /// is gone when it returns, and its threads have done their last but for those in apps' handlers;
  /// called from a tick, it is gone soon after the tick. In the program's loop the handles close
  /// when the loop goes round.
  public func close() {
    core.close()
    // In a tick it comes to its end when that has.
    if let crew, !core.isOnLoop { crew.waitUntilOver() }
  }
}
