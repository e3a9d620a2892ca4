//! One session of the bench CLI, from the handshake to the end of its input.

use std::{
    env,
    error::Error,
    fs,
    time::{Duration, Instant},
};

use super::{
    Callback, Phase, Plan, REPORT, Report,
    callback::{compact, number_of},
    script::Script,
    turn::{ID, Turn},
    wire::Wire,
};

/// Plays the plan of the environment.
pub(super) fn play() -> Result<(), Box<dyn Error>> {
    let plan = Plan::from_env()?;
    let path = env::var_os(REPORT).ok_or("no file is named for the report")?;
    let mut script = Script::of(plan)?;
    let mut last = Turn::of(b"");
    let mut wire = Wire::open()?;
    let (mut prompt, _) = wire.wait_for_prompt()?;
    let mut report = Report { sent: script.tally, kinds: script.kinds.clone(), ..Report::default() };
    if script.laps > 0 {
        report.phases.push(laps(&mut wire, &mut script, &mut prompt)?);
    }
    last.answer(&prompt);
    let (opening, closing) = last.halves();
    wire.write(opening)?;
    if let Some(callback) = plan.callback() {
        report.phases = callbacks(&mut wire, callback, plan)?;
    }
    fs::write(path, serde_json::to_vec(&report)?)?;
    wire.write(closing)?;
    while wire.next_line()?.is_some() {}
    Ok(())
}

/// Times turns, each from its first write to the next prompt, which shows that it was read and starts the next turn.
fn laps(wire: &mut Wire, script: &mut Script, prompt: &mut [u8; ID]) -> Result<Phase, Box<dyn Error>> {
    let mut times = Vec::with_capacity(script.laps);
    for _ in 0..script.laps {
        let started = Instant::now();
        script.play(prompt, wire)?;
        let (next, arrived) = wire.wait_for_prompt()?;
        *prompt = next;
        times.push(arrived.duration_since(started));
    }
    Ok(Phase::of(1, times.iter().sum(), times))
}

fn callbacks(wire: &mut Wire, callback: Callback, plan: Plan) -> Result<Vec<Phase>, Box<dyn Error>> {
    let mut next = 0;
    for (number, message) in (0..).zip(callback.before()) {
        wire.write(message.as_bytes())?;
        let (_, answer) = wire.next_line()?.ok_or("the client ended in the handshake of its server")?;
        if number_of(&compact(answer)) != Some(number) {
            return Err("another request than the last was answered".into());
        }
        next = number + 1;
    }
    let mut phases = Vec::new();
    for (outstanding, requests) in plan.phases() {
        ask(wire, callback, &mut next, outstanding, requests / 10)?;
        phases.push(ask(wire, callback, &mut next, outstanding, requests)?);
    }
    Ok(phases)
}

/// Keeps `outstanding` requests open until `requests` were answered.
fn ask(
    wire: &mut Wire,
    callback: Callback,
    next: &mut u64,
    outstanding: usize,
    requests: usize,
) -> Result<Phase, Box<dyn Error>> {
    let first = *next;
    // Built beforehand, because the client's time starts with a write.
    let mut lines = Vec::new();
    let mut ends = Vec::with_capacity(requests);
    for number in first..first + requests as u64 {
        callback.ask(number, &mut lines);
        ends.push(lines.len());
    }
    *next += requests as u64;
    let mut asked = Vec::with_capacity(requests);
    let mut times = vec![None; requests];
    let send = |wire: &mut Wire, asked: &mut Vec<Instant>| {
        let start = asked.len().checked_sub(1).map_or(0, |last| ends[last]);
        let line = &lines[start..ends[asked.len()]];
        // One write for each, as the CLI does.
        asked.push(Instant::now());
        wire.write(line)
    };
    let started = Instant::now();
    for _ in 0..outstanding.min(requests) {
        send(wire, &mut asked)?;
    }
    let mut answered = 0;
    while answered < requests {
        let (arrived, answer) = wire.next_line()?.ok_or("the client ended in the middle")?;
        let answer = compact(answer);
        let Some(number) = number_of(&answer) else { continue };
        let place = number.checked_sub(first).and_then(|place| usize::try_from(place).ok());
        let (Some(sent), Some(time)) =
            (place.and_then(|place| asked.get(place)), place.and_then(|place| times.get_mut(place)))
        else {
            return Err(format!("an answer to a request that was not made: {number}").into());
        };
        if time.is_some() || !callback.is_right(number, &answer) {
            return Err(format!("a wrong answer: {}", String::from_utf8_lossy(&answer)).into());
        }
        *time = Some(arrived.duration_since(*sent));
        answered += 1;
        if asked.len() < requests {
            send(wire, &mut asked)?;
        }
    }
    Ok(Phase::of(outstanding, started.elapsed(), times.into_iter().flatten().collect::<Vec<Duration>>()))
}
