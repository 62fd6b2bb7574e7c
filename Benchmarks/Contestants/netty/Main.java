import io.netty.util.*;
import java.util.concurrent.TimeUnit;

/** HashedWheelTimer: with its own tick of 100 ms, or with the tick of the argument in ms. */
final class Main extends Bench<Timeout> {
  private final HashedWheelTimer wheel;

  private Main(HashedWheelTimer wheel) { this.wheel = wheel; }

  @Override Timeout arm(Runnable task, long delay) {
    return wheel.newTimeout(timeout -> task.run(), delay, TimeUnit.NANOSECONDS);
  }

  @Override void cancel(Timeout timer) { timer.cancel(); }

  @Override boolean isOutstanding(Timeout timer) {
    return !timer.isCancelled() && !timer.isExpired();
  }

  @Override long left(Timeout timer) { return -1; }

  public static void main(String[] arguments) throws Exception {
    String tick = arguments.length > 0 ? arguments[0] : "100";
    HashedWheelTimer wheel = arguments.length > 0
        ? new HashedWheelTimer(Long.parseLong(tick), TimeUnit.MILLISECONDS)
        : new HashedWheelTimer();
    String version = Version.identify().get("netty-common").artifactVersion();
    new Main(wheel).serve("Netty " + version, "up to " + tick + " ms");
  }
}
