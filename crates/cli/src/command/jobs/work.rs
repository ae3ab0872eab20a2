//! The work on a job in this process.

use super::JobReport;
use crate::args::Pace;
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::print::{Progress as Bar, Screen};
use crate::refusal;
use crate::session::Session;
use crate::target::Target;
use bothways_graph::{Budget, Done, Job, JobObserver, Ran};
use std::time::Duration;

/// What a job may use.
pub(crate) fn budget(pace: &Pace) -> Budget {
    Budget {
        write: pace.write_units,
        read: pace.read_units,
    }
}

/// How long to wait where the command line says nothing: not at all for a directory, which is open in this process alone
/// and whose indexes do not lag.
pub(crate) fn wait(session: &Session<'_>, given: Option<u64>, usual: Duration) -> Duration {
    let alone = matches!(session.subject.target, Target::Data(_));
    match given {
        Some(seconds) => Duration::from_secs(seconds),
        None if alone => Duration::ZERO,
        None => usual,
    }
}

/// After a job was made: works on it, or says how to.
pub(crate) async fn begin(
    session: Session<'_>,
    model: &str,
    pace: &Pace,
    made: bothways_graph::Result<Done<Job>>,
) -> Result<Exit, Failure> {
    match made {
        Ok(made) if !pace.detach => work(session, model, &made.value.id, false).await,
        made => session.answer(made.map(|made| JobReport::new(model, made.value, made.receipts))),
    }
}

/// Draws how far it is, and listens for Ctrl-C.
pub(crate) struct Watch {
    bar: Bar,
    interrupt: Interrupt,
}

impl Watch {
    pub(crate) fn new(screen: &Screen) -> Self {
        Self {
            bar: Bar::new(screen),
            interrupt: Interrupt::watch(),
        }
    }
}

impl JobObserver for Watch {
    fn progress(&mut self, job: &Job) {
        let most = job.progress.iter().map(|(_, count)| *count).max();
        self.bar.update(0, None, most.unwrap_or(0));
    }
    fn stop(&mut self) -> bool {
        self.interrupt.asked()
    }
}

/// After work that no job stands for.
pub(crate) fn end_unsaved(
    session: Session<'_>,
    model: &str,
    mut watch: Watch,
    ran: bothways_graph::Result<Done<Ran>>,
) -> Result<Exit, Failure> {
    watch.bar.finish();
    if session.explains() {
        return session.explain();
    }
    match ran {
        Ok(Done {
            value: Ran::Stopped(job),
            ..
        }) => {
            session.close()?;
            let message = format!("stopped; nothing of this {} is kept", job.kind.as_str());
            Err(Failure::stopped(message))
        }
        Ok(Done {
            value: Ran::Ended(job),
            mut receipts,
        }) => {
            for receipt in &mut receipts {
                receipt.elapsed = Duration::ZERO;
            }
            session.answer(Ok(JobReport::unsaved(model, job, receipts)))
        }
        Ok(Done { value: other, .. }) => Err(Failure::no(format!("it ended as {other:?}"))),
        Err(error) => session.answer(Err::<JobReport, _>(error)),
    }
}

/// Works on a job until it ends, somebody pauses it, or Ctrl-C.
pub(crate) async fn work(
    mut session: Session<'_>,
    model: &str,
    id: &str,
    take_over: bool,
) -> Result<Exit, Failure> {
    session.cx = session.unhurried();
    let screen = session.screen;
    let mut watch = Watch::new(screen);
    let (graph, cx) = (&session.graph, &session.cx);
    let ran = if take_over {
        graph.take_over_job(cx, id, &mut watch).await
    } else {
        graph.run_job(cx, id, &mut watch).await
    };
    watch.bar.finish();
    if session.explains() {
        return session.explain();
    }
    let again = format!("bothways jobs run {model} {id}{}", screen.place());
    match ran {
        Ok(Done {
            value: Ran::Ended(job) | Ran::NotOpen(job),
            mut receipts,
        }) => {
            for receipt in &mut receipts {
                receipt.elapsed = Duration::ZERO;
            }
            session.answer(Ok(JobReport::new(model, job, receipts)))
        }
        Ok(Done {
            value: Ran::Stopped(job),
            ..
        }) => {
            session.close()?;
            let message = format!("stopped at {} of job {id}", job.phase);
            Err(Failure::stopped(message).hint(format!("go on: {again}")))
        }
        Ok(Done {
            value: Ran::Taken(job),
            ..
        }) => {
            session.close()?;
            let holder = job.lease.map_or_else(String::new, |lease| lease.holder);
            let message = format!("another process works on job {id}: {holder}");
            Err(Failure::refused(message).hint(format!("if that one is dead: {again} --take-over")))
        }
        Ok(Done {
            value: Ran::NotFound,
            ..
        }) => Err(Failure::no(format!("there is no job {id:?}"))
            .hint(format!("bothways jobs list {model}{}", screen.place()))),
        Err(error) => Err(refusal::of_graph(error, &session.subject)),
    }
}
