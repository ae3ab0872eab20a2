//! Zstandard as files have it: one frame after another.

use ruzstd::decoding::StreamingDecoder;
use std::io::{self, BufRead, BufReader, Read};

type Source = BufReader<Box<dyn Read + Send>>;
type Decoder = StreamingDecoder<Source, ruzstd::decoding::FrameDecoder>;

/// The content of all frames.
pub(super) enum Frames {
    /// Before a frame, or at the end.
    Between(Source),
    Within(Box<Decoder>),
    /// Behind a fault.
    Lost,
}

impl Frames {
    pub(super) fn new(object: Box<dyn Read + Send>) -> Self {
        Self::Between(BufReader::new(object))
    }
}

impl Read for Frames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::mem::replace(self, Self::Lost) {
                Self::Between(mut source) => {
                    if source.fill_buf()?.is_empty() {
                        *self = Self::Between(source);
                        return Ok(0);
                    }
                    let decoder = StreamingDecoder::new(source)
                        .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e.to_string()))?;
                    *self = Self::Within(Box::new(decoder));
                }
                Self::Within(mut decoder) => match decoder.read(buffer)? {
                    0 if !buffer.is_empty() => *self = Self::Between(decoder.into_inner()),
                    read => {
                        *self = Self::Within(decoder);
                        return Ok(read);
                    }
                },
                Self::Lost => return Err(io::ErrorKind::InvalidData.into()),
            }
        }
    }
}
