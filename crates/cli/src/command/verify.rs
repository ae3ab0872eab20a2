//! `verify`.

use super::jobs;
use crate::args::{Global, Verify};
use crate::failure::{Exit, Failure};
use crate::print::Screen;
use crate::session::Session;
use bothways_graph::VerifyOptions;

/// `verify`: 0 where nothing is wrong any more, 1 where something is, 2 where it could not be done.
pub(crate) async fn verify(
    args: &Verify,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let verified = run(args, global, screen).await;
    verified.map_err(|failure| match failure.exit {
        Exit::Stopped => failure,
        _ => Failure {
            exit: Exit::Usage,
            ..failure
        },
    })
}

async fn run(args: &Verify, global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    let session = Session::open(&args.model, global, screen)?;
    let usual = VerifyOptions::default();
    let options = VerifyOptions {
        budget: jobs::budget(&args.pace),
        grace: jobs::wait(&session, args.grace, usual.grace),
        repair: args.repair,
    };
    if args.no_job || (session.is_read_only() && !args.repair) {
        let mut watch = jobs::Watch::new(screen);
        let cx = session.unhurried();
        let ran = session.graph.verify_unsaved(&cx, &options, &mut watch);
        let ran = ran.await;
        return jobs::end_unsaved(session, &args.model, watch, ran);
    }
    let made = session.graph.verify(&session.cx, &options).await;
    jobs::begin(session, &args.model, &args.pace, made).await
}
