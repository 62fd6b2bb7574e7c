import java.io.*;
import java.nio.file.*;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The protocol `bench/1` for timers of the JVM: a contestant has `arm` and `cancel`. */
abstract class Bench<Timer> {
  /** `delay` is in nanoseconds; all tasks run on one thread. */
  abstract Timer arm(Runnable task, long delay);
  abstract void cancel(Timer timer);
  abstract boolean isOutstanding(Timer timer);
  /** The time until the timer's deadline in nanoseconds; -1 if the timer does not tell. */
  abstract long left(Timer timer);

  private int timers, restarts, rounds;
  private long[] due, cancel, newDue;
  private int[] restart;
  private AtomicReferenceArray<Timer> armed, cancels;
  private long firstArmed;
  private int fires;
  private int[] fired;
  private long[] late;

  final void serve(String version, String rounding) throws Exception {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    Path path = Path.of(text(input.readLine(), "plan"));
    try (BufferedReader plan = Files.newBufferedReader(path)) { read(plan); }
    // Loads and compiles what arming needs, so that the first timers are not armed too late.
    for (int i = 0; i < 1000; i++) cancel(armAt(() -> {}, System.nanoTime() + 1_000_000_000L));
    firstArmed = System.nanoTime();
    if (restarts > 0)
      for (int k = 0; k < timers; k++) armed.set(k, arm(() -> {}, due[k]));
    say("{\"ready\":true,\"version\":\"%s\",\"rounding\":\"%s\"}", version, rounding);
    for (String line; (line = input.readLine()) != null && !line.contains("\"end\":"); ) {
      long segment = number(line, "segment"), began = System.nanoTime(), late = -1;
      if (segment < 0) { answer(number(line, "answer")); continue; }
      if (restarts > 0) runRestarts(); else late = runDeadlines(number(line, "start"));
      long ended = System.nanoTime();
      if (late >= 0) say("{\"segment\":%d,\"late\":%d}", segment, late);
      else say("{\"segment\":%d,\"began\":%d,\"ended\":%d}", segment, began, ended);
    }
    System.exit(0);
  }

  private static void say(String format, Object... values) {
    System.out.println(String.format(format, values));
  }

  private static String text(String line, String name) {
    int from = line.indexOf("\"" + name + "\":\"") + name.length() + 4;
    return line.substring(from, line.indexOf('"', from));
  }

  /** The number of that name in the line; -1 if it has none. */
  private static long number(String line, String name) {
    int at = line.indexOf("\"" + name + "\":"), from = at + name.length() + 3, to = from;
    while (at >= 0 && to < line.length() && Character.isDigit(line.charAt(to))) to++;
    return at < 0 ? -1 : Long.parseLong(line, from, to, 10);
  }

  private void read(BufferedReader plan) throws IOException {
    String header = plan.readLine();
    timers = (int) number(header, "timers");
    restarts = (int) Math.max(0, number(header, "restarts"));
    rounds = (int) number(header, "rounds");
    due = new long[timers]; cancel = new long[timers]; late = new long[timers];
    fired = new int[timers]; restart = new int[restarts]; newDue = new long[restarts];
    armed = new AtomicReferenceArray<>(timers); cancels = new AtomicReferenceArray<>(timers);
    for (int k = 0; k < timers; k++) {
      String line = plan.readLine();
      due[k] = number(line, "due");
      cancel[k] = number(line, "cancel");
    }
    for (int i = 0; i < restarts; i++) {
      String[] pair = plan.readLine().split("[\\[,\\]]");
      restart[i] = Integer.parseInt(pair[1]);
      newDue[i] = Long.parseLong(pair[2]);
    }
  }

  /** Arms again after a pause, which would add to a delay that counts from the call. */
  private Timer armAt(Runnable task, long instant) {
    for (int tries = 1; ; tries++) {
      long time = System.nanoTime();
      Timer timer = arm(task, instant - time);
      if (System.nanoTime() - time < 5_000 || tries == 20) return timer;
      cancel(timer);
    }
  }

  /** Arms cancels first: those of the deadline's own tick then run before it. */
  private long runDeadlines(long start) throws InterruptedException {
    CountDownLatch open = new CountDownLatch(timers);
    fires = 0;
    for (int i = 0; i < timers; i++) {
      int k = i;
      Runnable stop = () -> {
        if (armed.get(k) != null) cancel(armed.get(k));
        open.countDown();
      };
      if (cancel[k] >= 0) cancels.set(k, armAt(stop, start + cancel[k]));
    }
    for (int i = 0; i < timers; i++) {
      int k = i;
      Runnable fire = () -> {
        long time = System.nanoTime();
        late[fires] = time - start - due[k];
        fired[fires++] = k;
        if (cancel[k] < 0) open.countDown();
      };
      armed.set(k, armAt(fire, start + due[k]));
    }
    long behind = System.nanoTime() - start;
    if (behind < 0) { open.await(); return behind; }
    for (int k = 0; k < timers; k++) {
      cancel(armed.get(k));
      if (cancel[k] >= 0) cancel(cancels.get(k));
    }
    settle();
    return behind;
  }

  private void runRestarts() throws InterruptedException {
    for (int round = 0; round < rounds; round++)
      for (int i = 0; i < restarts; i++) {
        int k = restart[i];
        cancel(armed.get(k));
        armed.set(k, arm(() -> {}, newDue[i]));
        due[k] = newDue[i];
      }
    settle();
  }

  /** Waits until the timers' thread has taken in everything: a timer without delay comes last. */
  private void settle() throws InterruptedException {
    CountDownLatch open = new CountDownLatch(1);
    arm(open::countDown, 0);
    open.await();
  }

  private void answer(long segment) {
    if (restarts > 0) { answerRestarts(segment); return; }
    StringBuilder list = new StringBuilder();
    for (int i = 0; i < fires; i++)
      list.append(i > 0 ? ",[" : "[").append(fired[i]).append(',').append(late[i]).append(']');
    say("{\"answer\":%d,\"late\":[%s]}", segment, list);
  }

  /** A deadline counts from the restart. It is wrong if the time passed since is impossible. */
  private void answerRestarts(long segment) {
    long sum = 0, outstanding = 0;
    for (int k = 0; k < timers; k++) {
      if (isOutstanding(armed.get(k))) outstanding++;
      long left = left(armed.get(k)), passed = due[k] - left;
      boolean isRight = passed >= 0 && passed <= System.nanoTime() - firstArmed;
      sum += left < 0 || isRight ? due[k] : left;
    }
    say("{\"answer\":%d,\"sum\":\"%s\",\"outstanding\":%d}", segment,
        Long.toUnsignedString(sum), outstanding);
  }
}
