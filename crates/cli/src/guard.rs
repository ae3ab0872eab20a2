//! A place that is only read: what would change something is refused before it leaves.

use bothways_protocol::{
    BoxFuture, Context, DynamoDb, Error, ErrorKind, Operation, Request, Response,
};
use std::sync::Arc;

/// Passes on what reads.
pub(crate) struct ReadOnly {
    /// Whose profile says so.
    pub(crate) profile: String,
    /// The place.
    pub(crate) db: Arc<dyn DynamoDb>,
}

impl DynamoDb for ReadOnly {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        if request.only_reads() {
            return self.db.call(cx, request);
        }
        let what = request.operation().map_or("it", Operation::name);
        let words = format!("profile {} is read-only: {what} was not sent", self.profile);
        Box::pin(std::future::ready(Err(Error::new(
            ErrorKind::AccessDenied,
            words,
        ))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[derive(Default)]
    struct Counter(AtomicUsize);

    impl DynamoDb for Counter {
        fn call<'a>(
            &'a self,
            _: &'a Context,
            _: Request,
        ) -> BoxFuture<'a, Result<Response, Error>> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Box::pin(std::future::ready(Ok(Response::Other("{}".into()))))
        }
    }

    #[tokio::test]
    async fn only_reads_leave() {
        let counter = Arc::new(Counter::default());
        let guard = ReadOnly {
            profile: "work".to_owned(),
            db: Arc::clone(&counter) as Arc<dyn DynamoDb>,
        };
        let cx = Context::default();
        for operation in Operation::ALL.iter().copied() {
            let body: &[u8] = match operation {
                Operation::SearchVectors => {
                    br#"{"TableName":"t","IndexName":"i","SearchVector":[],"TopK":1}"#
                }
                _ => b"{}",
            };
            let request = Request::decode(operation, body).unwrap();
            let reads = request.only_reads();
            let before = counter.0.load(Ordering::SeqCst);
            let answer = guard.call(&cx, request).await;
            assert_eq!(
                counter.0.load(Ordering::SeqCst) > before,
                reads,
                "{operation:?}"
            );
            if let Err(error) = answer {
                assert_eq!(error.kind, ErrorKind::AccessDenied);
                assert!(
                    error.message.contains("profile work is read-only"),
                    "{error}"
                );
            }
        }
    }
}
