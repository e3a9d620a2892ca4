//! The size of values from servers and models.

use std::io;

use serde::Serialize;

/// Returns the length of a value as JSON, in bytes.
pub fn size(value: &impl Serialize) -> usize {
    let mut count = Count(0);
    // Counting does not fail, and a value is always JSON.
    let _: serde_json::Result<()> = serde_json::to_writer(&mut count, value);
    count.0
}

struct Count(usize);

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
