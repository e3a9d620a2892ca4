//! How output is cut into reads: a reader must not depend on it.

use std::fmt;

/// How output is cut into the pieces that a reader gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Splits {
    /// One line for each read.
    #[default]
    Lines,
    /// All available output.
    Whole,
    /// This many bytes for each read, at least one.
    Every(usize),
    /// A random number of bytes, mostly up to 300 and sometimes up to 65,536; the same seed gives the same reads.
    Random(u64),
}

impl Splits {
    /// Cuts that find most faults of a reader.
    pub const SAMPLES: [Self; 7] = [
        Self::Lines,
        Self::Whole,
        Self::Every(1),
        Self::Every(7),
        Self::Every(4096),
        Self::Random(1),
        Self::Random(2),
    ];
}

impl fmt::Display for Splits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines => f.write_str("a line a read"),
            Self::Whole => f.write_str("all in one read"),
            Self::Every(bytes) => write!(f, "{bytes} bytes a read"),
            Self::Random(seed) => write!(f, "random reads, seed {seed}"),
        }
    }
}

/// Cuts, one read after the other.
#[derive(Clone, Debug)]
pub struct Cutter {
    splits: Splits,
    state: u64,
}

impl Cutter {
    pub fn new(splits: Splits) -> Self {
        let state = if let Splits::Random(seed) = splits { seed } else { 0 };
        Self { splits, state }
    }

    /// Returns the length of the next read of these bytes: at least one, if there is one.
    pub fn next(&mut self, waiting: &[u8]) -> usize {
        let wanted = match self.splits {
            Splits::Lines => waiting.iter().position(|byte| *byte == b'\n').map_or(usize::MAX, |end| end + 1),
            Splits::Whole => usize::MAX,
            Splits::Every(bytes) => bytes.max(1),
            Splits::Random(_) => self.random(),
        };
        wanted.min(waiting.len())
    }

    /// Returns the next length, by SplitMix64, which is short and gives the same lengths everywhere.
    fn random(&mut self) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        // Short reads mostly, long ones at times: both ends of the scale find faults.
        let most = if mixed & 7 == 0 { 65_536 } else { 300 };
        usize::try_from((mixed >> 8) % most).unwrap_or_default() + 1
    }
}
