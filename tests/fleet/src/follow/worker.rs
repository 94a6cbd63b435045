//! The process that follows.

use std::io::{BufRead as _, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use payments_core::token::Clock;
use payments_core::{Client, Config};
use payments_host::follow::{FollowOptions, Progress};
use serde_json::Value;

/// The program's name, and the argument that starts it.
pub(crate) const PROGRAM: &str = "follow";
/// How long it takes to handle an end, which may be cut.
const HANDLING: Duration = Duration::from_millis(3);
/// How often the fast clock is looked at.
const LOOK: Duration = Duration::from_millis(5);
/// The last line.
pub(super) const OVER: &str = "over";

/// A clock that runs fast from a moment on, equally in all processes.
struct FastClock {
    epoch: Duration,
    speed: u32,
    began: Instant,
}

impl Clock for FastClock {
    fn monotonic(&self) -> Instant {
        self.began + self.began.elapsed() * self.speed
    }

    fn unix(&self) -> Duration {
        let now = Duration::from_millis(now());
        self.epoch + now.saturating_sub(self.epoch) * self.speed
    }
}

/// Milliseconds since 1970 UTC.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64
}

pub(crate) fn run() {
    let mut setup = String::new();
    std::io::stdin().lock().read_line(&mut setup).unwrap();
    let setup: Value = serde_json::from_str(&setup).unwrap();
    let number = |name: &str| setup[name].as_u64().unwrap();
    let clock = FastClock {
        epoch: Duration::from_millis(number("epoch_ms")),
        speed: number("speed") as u32,
        began: Instant::now(),
    };
    let config = Config::from_json(setup["configuration"].as_str().unwrap().as_bytes()).unwrap();
    let client = Client::new(config.clock(Arc::new(clock))).unwrap();
    let options = FollowOptions {
        state: Some(setup["state"].as_str().unwrap().into()),
        give_up_after: Duration::from_secs(number("give_up_after_s")),
        per_second: number("per_second") as u32,
        ..FollowOptions::default()
    };
    let context = client.context();
    let mut follow = payments_host::follow(&client, options, &context).unwrap();
    loop {
        // A wait is as long as by the clock of the machine.
        match follow.next_within(LOOK, &context).unwrap() {
            Progress::Ended(end) => {
                say(&end.to_json().to_text());
                std::thread::sleep(HANDLING);
            }
            Progress::Open => {}
            Progress::Over => break,
        }
    }
    say(OVER);
}

fn say(line: &str) {
    let mut output = std::io::stdout().lock();
    // One write, which a kill does not cut.
    output.write_all(format!("{line}\n").as_bytes()).unwrap();
    output.flush().unwrap();
}
