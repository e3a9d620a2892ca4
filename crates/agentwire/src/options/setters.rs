//! Generates one builder method per option.

/// Defines methods of `Options` that set a field and return the options.
///
/// `some` accepts anything that converts into the type, `plain` the type itself, so that a number needs no suffix, `on`
/// is a switch, and `list` and `map` accept iterators.
macro_rules! setters {
    ($($kind:ident $name:ident $(: $ty:ty)?;)+) => {
        impl $crate::Options {
            $( setters!(@$kind $name $($ty)?); )+
        }
    };
    (@some $name:ident $ty:ty) => {
        #[doc = concat!("Sets [`", stringify!($name), "`](field@Self::", stringify!($name), ").")]
        #[must_use]
        pub fn $name(mut self, value: impl Into<$ty>) -> Self {
            self.$name = Some(value.into());
            self
        }
    };
    (@plain $name:ident $ty:ty) => {
        #[doc = concat!("Sets [`", stringify!($name), "`](field@Self::", stringify!($name), ").")]
        #[must_use]
        pub fn $name(mut self, value: $ty) -> Self {
            self.$name = Some(value);
            self
        }
    };
    (@on $name:ident) => {
        #[doc = concat!("Switches [`", stringify!($name), "`](field@Self::", stringify!($name), ") on.")]
        #[must_use]
        pub fn $name(mut self) -> Self {
            self.$name = true;
            self
        }
    };
    (@list $name:ident $ty:ty) => {
        #[doc = concat!("Sets all of [`", stringify!($name), "`](field@Self::", stringify!($name), ").")]
        #[must_use]
        pub fn $name<T: Into<$ty>>(mut self, values: impl IntoIterator<Item = T>) -> Self {
            self.$name = values.into_iter().map(Into::into).collect();
            self
        }
    };
    (@map $name:ident $ty:ty) => {
        #[doc = concat!("Sets all of [`", stringify!($name), "`](field@Self::", stringify!($name), ").")]
        #[must_use]
        pub fn $name<K: Into<Box<str>>>(mut self, values: impl IntoIterator<Item = (K, $ty)>) -> Self {
            self.$name = values.into_iter().map(|(name, value)| (name.into(), value)).collect();
            self
        }
    };
}

pub(super) use setters;
