#if os(Linux)
  import CLibuv
  import CurfewSystem

  /// One run of `TimerPerTask`: a loop, its handles, and the state of their callbacks. Everything
  /// is on one thread.
  final class TimerPerTaskRun {
    private let begins: [Int64]
    private let rounding: TimerPerTask.Rounding
    private let isStopped: () -> Bool
    /// The tasks in the order in which they begin, and the number that have begun.
    private let order: [Int]
    private var begun = 0
    private var log: FiringLog
    /// The loop's time when a timer last fired. Timers that fire at the same time count as
    /// one wake-up.
    private var lastWakeUp: UInt64?
    private let nextBegin: TimerDescriptor
    private let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    private let driver = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
    private let watch = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
    private let timers: UnsafeMutablePointer<uv_timer_t>

    init(
      deadlines: [Int64], begins: [Int64], rounding: TimerPerTask.Rounding,
      isStopped: @escaping () -> Bool
    ) throws(UVError) {
      self.begins = begins
      self.rounding = rounding
      self.isStopped = isStopped
      order = begins.indices.sorted { (begins[$0], $0) < (begins[$1], $1) }
      log = FiringLog(deadlines)
      timers = .allocate(capacity: deadlines.count)
      nextBegin = try TimerDescriptor(.monotonic)
      let answer = uv_loop_init(loop)
      guard answer == 0 else { throw UVError(answer: answer, attempt: "create a loop") }
      uv_loop_set_data(loop, Unmanaged.passUnretained(self).toOpaque())
      for index in deadlines.indices {
        require(uv_timer_init(loop, timers + index), "create a timer")
      }
      require(uv_timer_init(loop, watch), "create a timer")
      require(uv_poll_init(loop, driver, nextBegin.descriptor), "watch a timerfd")
    }

    deinit {
      timers.deallocate()
      watch.deallocate()
      driver.deallocate()
      loop.deallocate()
    }

    /// The run to which a callback's loop belongs.
    private static func find(_ loop: UnsafeMutablePointer<uv_loop_t>) -> TimerPerTaskRun {
      guard let data = uv_loop_get_data(loop) else { preconditionFailure("A loop without a run") }
      return Unmanaged<TimerPerTaskRun>.fromOpaque(data).takeUnretainedValue()
    }

    /// Runs until the last deadline has fired or `isStopped` returns true, and closes everything.
    func finish() -> Lateness {
      let watching = uv_timer_start(
        watch,
        { handle in
          guard let loop = handle?.pointee.loop else { return }
          if TimerPerTaskRun.find(loop).isStopped() { uv_stop(loop) }
        }, 100, 100)
      require(watching, "start a timer")
      let driving = uv_poll_start(driver, Int32(UV_READABLE.rawValue)) { handle, _, _ in
        guard let loop = handle?.pointee.loop else { return }
        TimerPerTaskRun.find(loop).begin()
      }
      require(driving, "watch a timerfd")
      log.start()
      // Creating the timers took time, so the loop's time is out of date.
      uv_update_time(loop)
      begin()
      if log.remaining > 0, !isStopped() { uv_run(loop, UV_RUN_DEFAULT) }

      for index in order {
        uv_close(
          UnsafeMutableRawPointer(timers + index).assumingMemoryBound(to: uv_handle_t.self), nil)
      }
      uv_close(UnsafeMutableRawPointer(watch).assumingMemoryBound(to: uv_handle_t.self), nil)
      uv_close(UnsafeMutableRawPointer(driver).assumingMemoryBound(to: uv_handle_t.self), nil)
      uv_run(loop, UV_RUN_DEFAULT)
      require(uv_loop_close(loop), "close a loop")
      return log.finish()
    }

    /// Starts the timers of the tasks that begin by now, and sets the `timerfd` to the next begin.
    private func begin() {
      _ = nextBegin.take()
      while begun < order.count {
        let index = order[begun]
        guard begins[index] <= UVClock.Source.monotonic.read() else {
          nextBegin.set(begins[index])
          return
        }
        start(index)
        begun += 1
      }
    }

    private func start(_ index: Int) {
      let deadline = log.deadlines[index]
      let milliseconds =
        switch rounding {
        case .up: (deadline + 999_999) / 1_000_000 - Int64(uv_now(loop))
        case .none: (deadline - begins[index]) / 1_000_000
        }
      let answer = uv_timer_start(
        timers + index, { TimerPerTaskRun.fire($0) }, UInt64(max(0, milliseconds)), 0)
      require(answer, "start a timer")
    }

    private static func fire(_ timer: UnsafeMutablePointer<uv_timer_t>?) {
      guard let timer, let loop = timer.pointee.loop else { return }
      let run = find(loop)
      run.log.fire(timer - run.timers, at: UVClock.Source.monotonic.read())
      let time = uv_now(loop)
      if run.lastWakeUp != time { run.log.wakeUps += 1 }
      run.lastWakeUp = time
      if run.log.remaining == 0 { uv_stop(loop) }
    }
  }
#endif
