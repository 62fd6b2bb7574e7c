// The lines of the protocol `bench/1`, and CLOCK_MONOTONIC, which the standard library hides.
use std::io::{stdin, BufRead, BufReader};
use std::{fs::File, time::Duration};
use tokio::time::Instant;

#[repr(C)]
struct Timespec { seconds: i64, nanoseconds: i64 }
extern "C" { fn clock_gettime(clock: i32, time: *mut Timespec) -> i32; }

pub fn now() -> u64 {
    let mut t = Timespec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(1, &mut t) };
    t.seconds as u64 * 1_000_000_000 + t.nanoseconds as u64
}

/// An instant of CLOCK_MONOTONIC as one of tokio's: both clocks are read within 2 µs.
pub fn instant(at: u64) -> Instant {
    loop {
        let (before, time) = (now(), Instant::now());
        if now() - before < 2_000 {
            return time + Duration::from_nanos(at.saturating_sub(before));
        }
    }
}

/// The number of that name in the line.
pub fn number(line: &str, name: &str) -> Option<u64> {
    let rest = line.split_once(&format!("\"{name}\":"))?.1;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The numbers of a line `[k,due]`.
pub fn numbers(line: &str) -> (usize, u64) {
    let (k, due) = line.trim_matches(|c| c == '[' || c == ']').split_once(',').expect("a pair");
    (k.parse().expect("a timer"), due.parse().expect("an instant"))
}

/// Reads the first request: the header of its plan and the lines that follow.
pub fn open_plan() -> (String, impl Iterator<Item = String>) {
    let mut request = String::new();
    stdin().read_line(&mut request).expect("a request");
    let path = request.split_once("\"plan\":\"").expect("a plan").1.split('"').next().unwrap();
    let file = File::open(path).expect(path);
    let mut lines = BufReader::new(file).lines().map(|line| line.expect("a line"));
    (lines.next().expect("a header"), lines)
}

pub fn say_ready() {
    let version = concat!("tokio ", env!("TOKIO"));
    println!("{{\"ready\":true,\"version\":\"{version}\",\"rounding\":\"up to 1 ms\"}}");
}

/// Says that a segment was measured, or how late its last timer was armed.
pub fn say_segment(segment: u64, began: u64, late: Option<u64>) {
    let ended = now();
    match late {
        Some(late) => println!("{{\"segment\":{segment},\"late\":{late}}}"),
        None => println!("{{\"segment\":{segment},\"began\":{began},\"ended\":{ended}}}"),
    }
}
