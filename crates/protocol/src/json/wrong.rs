//! Values of another shape than was asked for.

use serde::de::{Error, Expected, Unexpected};

use super::{Fault, Reader, fault, number::Precision};

impl Reader<'_, '_> {
    /// Says what comes instead of what is expected; a scalar is read, so that a fault of its own comes first.
    #[cold]
    pub(super) fn wrong_type(&mut self, expected: &dyn Expected) -> Fault {
        let told = match self.next_byte() {
            Some(b'n') => self.word(b"null").map(|()| Fault::invalid_type(Unexpected::Unit, expected)),
            Some(b't') => self.word(b"true").map(|()| Fault::invalid_type(Unexpected::Bool(true), expected)),
            Some(b'f') => {
                self.word(b"false").map(|()| Fault::invalid_type(Unexpected::Bool(false), expected))
            }
            Some(b'-' | b'0'..=b'9') => {
                self.number(Precision::Double).map(|number| Fault::invalid_type(number.told(), expected))
            }
            Some(b'"') => {
                self.at += 1;
                self.any_text().map(|text| Fault::invalid_type(Unexpected::Str(text), expected))
            }
            Some(b'[') => Ok(Fault::invalid_type(Unexpected::Seq, expected)),
            Some(b'{') => Ok(Fault::invalid_type(Unexpected::Map, expected)),
            _ => Err(self.fault_at_next(fault::EXPECTED_VALUE)),
        };
        match told {
            Ok(told) => told.or_at(self.at),
            Err(fault) => fault,
        }
    }

    /// As `serde_json`, which has read the first byte of a key that is neither `true` nor `false`.
    #[cold]
    pub(super) fn wrong_boolean_key(&mut self, expected: &dyn Expected) -> Fault {
        self.at += 1;
        match self.any_text().map(|text| Fault::invalid_type(Unexpected::Str(text), expected)) {
            Ok(told) => told.or_at(self.at),
            Err(fault) => fault,
        }
    }
}
