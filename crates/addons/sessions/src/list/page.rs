//! Pages of a list.

/// A part of a list: an offset and a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// How many items to skip.
    pub offset: usize,
    /// The maximum number of items; `None` for no limit.
    pub limit: Option<usize>,
}

impl Page {
    /// The whole list.
    pub const ALL: Self = Self { offset: 0, limit: None };

    /// Returns a page of the first `limit` items.
    pub const fn first(limit: usize) -> Self {
        Self { offset: 0, limit: Some(limit) }
    }

    /// Returns the page that starts at this offset.
    #[must_use]
    pub const fn after(self, offset: usize) -> Self {
        Self { offset, ..self }
    }

    /// Returns the items on the page.
    pub(crate) fn of<T>(self, items: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        items.skip(self.offset).take(self.limit.unwrap_or(usize::MAX))
    }
}
