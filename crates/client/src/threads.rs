//! Where a client's connections live.

use tokio::runtime::{Builder, Handle, Runtime};

/// A runtime that is already there, or one thread of the client's own.
pub(crate) enum Threads {
    There(Handle),
    Own(Option<Runtime>, Handle),
}

impl Threads {
    pub(crate) fn find() -> std::io::Result<Self> {
        if let Ok(handle) = Handle::try_current() {
            return Ok(Self::There(handle));
        }
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("bothways-client")
            .enable_all()
            .build()?;
        let handle = runtime.handle().clone();
        Ok(Self::Own(Some(runtime), handle))
    }

    pub(crate) fn handle(&self) -> &Handle {
        match self {
            Self::There(handle) | Self::Own(_, handle) => handle,
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // A runtime must not be waited for on a thread of another one, where a client may well be dropped.
        if let Self::Own(runtime, _) = self
            && let Some(runtime) = runtime.take()
        {
            runtime.shutdown_background();
        }
    }
}
