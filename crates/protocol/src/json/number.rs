//! Numbers: whole ones as far as 64 bits go, all others as floats.

use serde::de::{Unexpected, Visitor};

use super::{Fault, Reader, fault};

/// A number as `serde` knows them.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
}

impl Number {
    pub(super) fn visit<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Self::Unsigned(number) => visitor.visit_u64(number),
            Self::Signed(number) => visitor.visit_i64(number),
            Self::Float(number) => visitor.visit_f64(number),
        }
    }

    pub(super) fn told(self) -> Unexpected<'static> {
        match self {
            Self::Unsigned(number) => Unexpected::Unsigned(number),
            Self::Signed(number) => Unexpected::Signed(number),
            Self::Float(number) => Unexpected::Float(number),
        }
    }
}

/// How exact a float must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Precision {
    Single,
    Double,
}

impl Reader<'_, '_> {
    /// The number that starts here, with a digit or a minus.
    pub(super) fn number(&mut self, precision: Precision) -> Result<Number, Fault> {
        let from = self.at;
        let is_negative = self.next_byte() == Some(b'-');
        self.at += usize::from(is_negative);
        let whole = self.whole_digits()?;
        match (self.next_byte(), whole) {
            (Some(b'.' | b'e' | b'E'), _) | (_, None) => self.float(from, precision).map(Number::Float),
            (_, Some(whole)) if !is_negative => Ok(Number::Unsigned(whole)),
            (_, Some(whole)) => Ok(match 0_i64.checked_sub_unsigned(whole) {
                // There is no whole number -0.
                Some(number) if number != 0 => Number::Signed(number),
                _ => Number::Float(-to_float(whole)),
            }),
        }
    }

    /// The digits before a fraction or an exponent; `None` where they are too many.
    fn whole_digits(&mut self) -> Result<Option<u64>, Fault> {
        let Some(byte) = self.next_byte() else { return Err(self.fault(fault::EOF_IN_VALUE)) };
        self.at += 1;
        let mut whole = match byte {
            b'0' if self.next_byte().is_some_and(|byte| byte.is_ascii_digit()) => {
                return Err(self.fault_at_next(fault::INVALID_NUMBER));
            }
            b'0' => return Ok(Some(0)),
            b'1'..=b'9' => u64::from(byte - b'0'),
            _ => return Err(self.fault(fault::INVALID_NUMBER)),
        };
        while let Some(byte @ b'0'..=b'9') = self.next_byte() {
            let digit = u64::from(byte - b'0');
            let Some(more) = whole.checked_mul(10).and_then(|whole| whole.checked_add(digit)) else {
                self.skip_digits();
                return Ok(None);
            };
            whole = more;
            self.at += 1;
        }
        Ok(Some(whole))
    }

    /// The float that starts at `from`, whose digits before a fraction or an exponent were read.
    fn float(&mut self, from: usize, precision: Precision) -> Result<f64, Fault> {
        if self.next_byte() == Some(b'.') {
            self.at += 1;
            if self.skip_digits() == 0 {
                return Err(match self.next_byte() {
                    Some(_) => self.fault_at_next(fault::INVALID_NUMBER),
                    None => self.fault(fault::EOF_IN_VALUE),
                });
            }
        }
        let exponent =
            if matches!(self.next_byte(), Some(b'e' | b'E')) { Some(self.exponent()?) } else { None };
        let text = self.text.get(from..self.at).unwrap_or_default();
        let number = match precision {
            Precision::Single => text.parse().map(f32::into),
            Precision::Double => text.parse(),
        };
        match number {
            Ok(number) if f64::is_finite(number) => Ok(number),
            _ => Err(self.out_of_range(exponent)),
        }
    }

    /// Reads an exponent, and gives the place of its digits.
    fn exponent(&mut self) -> Result<usize, Fault> {
        self.at += 1;
        if matches!(self.next_byte(), Some(b'+' | b'-')) {
            self.at += 1;
        }
        let digits = self.at;
        let Some(byte) = self.next_byte() else { return Err(self.fault(fault::EOF_IN_VALUE)) };
        self.at += 1;
        if !byte.is_ascii_digit() {
            return Err(self.fault(fault::INVALID_NUMBER));
        }
        self.skip_digits();
        Ok(digits)
    }

    /// The number ends too late where its exponent alone, from `exponent` on, is more than 32 bits hold.
    #[cold]
    fn out_of_range(&mut self, exponent: Option<usize>) -> Fault {
        if let Some(from) = exponent {
            let digits = self.text.as_bytes().get(from..self.at).unwrap_or_default();
            let mut power = 0_i32;
            for (index, digit) in digits.iter().enumerate() {
                match power.checked_mul(10).and_then(|power| power.checked_add(i32::from(digit - b'0'))) {
                    Some(more) => power = more,
                    None => {
                        self.at = from + index + 1;
                        break;
                    }
                }
            }
        }
        self.fault(fault::OUT_OF_RANGE)
    }

    /// Skips digits, and gives their number.
    pub(super) fn skip_digits(&mut self) -> usize {
        let from = self.at;
        while let Some(b'0'..=b'9') = self.next_byte() {
            self.at += 1;
        }
        self.at - from
    }

    /// The digits of a number of 128 bits, which has neither fraction nor exponent.
    pub(super) fn wide_digits(&mut self) -> Result<&str, Fault> {
        let from = self.at;
        match self.next_byte() {
            Some(b'0') => {
                self.at += 1;
                if self.next_byte().is_some_and(|byte| byte.is_ascii_digit()) {
                    return Err(self.fault_at_next(fault::INVALID_NUMBER));
                }
            }
            Some(b'1'..=b'9') => {
                self.skip_digits();
            }
            other => {
                self.at += usize::from(other.is_some());
                return Err(self.fault(fault::INVALID_NUMBER));
            }
        }
        Ok(self.text.get(from..self.at).unwrap_or_default())
    }
}

#[expect(clippy::cast_precision_loss, reason = "a whole number that does not fit becomes the nearest float")]
fn to_float(whole: u64) -> f64 {
    whole as f64
}
