//! Which part of a list is wanted.

/// A part of a list: so many after so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// How many at the start are left out.
    pub offset: usize,
    /// How many there are at most; `None` for no end.
    pub limit: Option<usize>,
}

impl Page {
    /// Everything.
    pub const ALL: Self = Self { offset: 0, limit: None };

    /// The first so many.
    pub const fn first(limit: usize) -> Self {
        Self { offset: 0, limit: Some(limit) }
    }

    /// The same, after so many that are left out.
    #[must_use]
    pub const fn after(self, offset: usize) -> Self {
        Self { offset, ..self }
    }

    /// The part of these.
    pub(crate) fn of<T>(self, items: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        items.skip(self.offset).take(self.limit.unwrap_or(usize::MAX))
    }
}
