import java.util.concurrent.*;

/** ScheduledThreadPoolExecutor with one thread, which removes what is cancelled. */
final class Main extends Bench<ScheduledFuture<?>> {
  private final ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1);

  @Override ScheduledFuture<?> arm(Runnable task, long delay) {
    return pool.schedule(task, delay, TimeUnit.NANOSECONDS);
  }

  @Override void cancel(ScheduledFuture<?> timer) { timer.cancel(false); }

  @Override boolean isOutstanding(ScheduledFuture<?> timer) {
    return pool.getQueue().contains(timer);
  }

  @Override long left(ScheduledFuture<?> timer) {
    return Math.max(0, timer.getDelay(TimeUnit.NANOSECONDS));
  }

  public static void main(String[] arguments) throws Exception {
    Main contestant = new Main();
    contestant.pool.setRemoveOnCancelPolicy(true);
    contestant.serve("OpenJDK " + Runtime.version(), "none");
  }
}
