// One task for each timer: sleep_until, which select! drops if it is cancelled before. A restart
// is Sleep::reset.
mod bench;
use bench::{instant, now, number, numbers, open_plan, say_ready, say_segment};
use std::sync::{atomic::AtomicUsize, atomic::Ordering::SeqCst, Arc};
use std::{future::pending, future::ready, io::stdin, pin::Pin, time::Duration};
use tokio::time::{sleep_until, Instant, Sleep};

struct Timer { due: u64, cancel: Option<u64> }

// The instant at which the timer fired. The first poll registers both sleeps and counts `armed`.
async fn run(due: Instant, cancel: Option<Instant>, armed: Arc<AtomicUsize>) -> Option<u64> {
    let cancel = async {
        match cancel { Some(at) => sleep_until(at).await, None => pending().await }
    };
    let due = sleep_until(due);
    tokio::pin!(cancel, due);
    let mut is_armed = false;
    loop {
        tokio::select! {
            biased;
            _ = &mut cancel => return None,
            _ = &mut due => return Some(now()),
            _ = ready(()), if !is_armed => { armed.fetch_add(1, SeqCst); is_armed = true }
        }
    }
}

// The instants at which the timers fired, or how late the last one was armed.
async fn run_deadlines(timers: &[Timer], start: u64) -> Result<Vec<Option<u64>>, u64> {
    let (armed, zero) = (Arc::new(AtomicUsize::new(0)), instant(start));
    let at = |time| zero + Duration::from_nanos(time);
    let arm = |t: &Timer| tokio::spawn(run(at(t.due), t.cancel.map(at), armed.clone()));
    let (tasks, mut fired) = (timers.iter().map(arm).collect::<Vec<_>>(), vec![]);
    while armed.load(SeqCst) < tasks.len() && now() < start { tokio::task::yield_now().await }
    let time = now();
    if time >= start {
        tasks.iter().for_each(|task| task.abort());
        return Err(time - start);
    }
    for task in tasks { fired.push(task.await.expect("no panic")) }
    Ok(fired)
}

fn answer_deadlines(segment: u64, fired: &[Option<u64>], timers: &[Timer], start: u64) {
    let pairs = fired.iter().zip(timers).enumerate().filter_map(|(k, (time, timer))| {
        time.map(|time| format!("[{k},{}]", time as i64 - (start + timer.due) as i64))
    });
    let text = pairs.collect::<Vec<_>>().join(",");
    println!("{{\"answer\":{segment},\"late\":[{text}]}}");
}

fn answer_restarts(segment: u64, sleeps: &[Pin<Box<Sleep>>], zero: Instant) {
    let dues = sleeps.iter().map(|sleep| (sleep.deadline() - zero).as_nanos() as u64);
    let sum = dues.fold(0, u64::wrapping_add);
    let count = sleeps.iter().filter(|sleep| !sleep.is_elapsed()).count();
    println!("{{\"answer\":{segment},\"sum\":\"{sum}\",\"outstanding\":{count}}}");
}

#[tokio::main]
async fn main() {
    let (header, mut plan) = open_plan();
    let (n, rounds) = (number(&header, "timers").unwrap(), number(&header, "rounds"));
    let timers: Vec<Timer> = plan.by_ref().take(n as usize).map(|line| {
        Timer { due: number(&line, "due").unwrap(), cancel: number(&line, "cancel") }
    }).collect();
    let list: Vec<(usize, u64)> = plan.map(|line| numbers(&line)).collect();
    let (zero, mut sleeps) = (Instant::now(), vec![]);
    for timer in timers.iter().filter(|_| rounds.is_some()) {
        let mut sleep = Box::pin(sleep_until(zero + Duration::from_nanos(timer.due)));
        tokio::select! { biased; _ = &mut sleep => {}, _ = ready(()) => {} }
        sleeps.push(sleep);
    }
    say_ready();
    let (mut start, mut fired) = (0, vec![]);
    for line in stdin().lines().map(|line| line.unwrap()) {
        let began = now();
        match (number(&line, "segment"), number(&line, "answer"), rounds) {
            (Some(segment), _, Some(rounds)) => {
                for (k, due) in (0..rounds).flat_map(|_| &list) {
                    sleeps[*k].as_mut().reset(zero + Duration::from_nanos(*due));
                }
                say_segment(segment, began, None);
            }
            (Some(segment), _, None) => {
                start = number(&line, "start").unwrap();
                let result = run_deadlines(&timers, start).await;
                say_segment(segment, began, result.as_ref().err().copied());
                fired = result.unwrap_or_default();
            }
            (_, Some(answer), Some(_)) => answer_restarts(answer, &sleeps, zero),
            (_, Some(answer), None) => answer_deadlines(answer, &fired, &timers, start),
            _ => return,
        }
    }
}
