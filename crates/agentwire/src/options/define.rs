//! The macro that defines [`Options`](crate::Options) with one row per option.

/// Defines the struct, its setters, `Debug`, the described table, and the lowering of plain flags and handshake fields.
///
/// A row is `field: kind(Type), "jsonName", lowering("text"), SINCE, "type in JSON", "default", "differences", OptionOrigin;`,
/// without the differences if there are none, and without the origin if it is `Reference`.
///
/// The kind selects the field's type and its setter:
/// `some` is an `Option` set from anything that converts into the type, `plain` an `Option` set from the type itself, so
/// that a number needs no suffix, `on` a switch, and `list` and `map` are set from iterators.
/// `counted` is a list and `named` a map without values in `Debug`; `named` and `own`, the type itself, have no setter.
///
/// The lowering is a flag (`flag`, `path`, `word`, `list`, `switch`), the field of the same name in the handshake
/// (`handshake`, `asked`), or `custom`: hand-written code with this description.
macro_rules! options {
    ($(#[$doc:meta])* pub struct Options { $(
        $(#[$attr:meta])*
        $field:ident: $kind:ident($($ty:ty)?), $name:literal, $lowering:ident($($text:literal)?), $since:ident,
        $json:literal, $default:literal $(, $differs:literal)? $(, $origin:ident)?;
    )+ }) => {
        $(#[$doc])*
        pub struct Options { $(
            $(#[$attr])*
            #[serde(rename = $name)]
            pub $field: options!(@type $kind $($ty)?),
        )+ }

        impl Options {
            $( options!(@setter $kind $field $($ty)?); )+

            /// Adds the options that are a plain flag or a field of the handshake.
            pub(super) fn rows_to_cli(&self, plan: &mut LaunchPlan) {
                $( options!(@lower $lowering($($text)?) self $field plan); )+
            }
        }

        /// Prints the options that differ from the default.
        impl fmt::Debug for Options {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let default = Options::default();
                let mut to = f.debug_struct("Options");
                $( if self.$field != default.$field {
                    to.field(stringify!($field), options!(@shown $kind self.$field));
                } )+
                to.finish_non_exhaustive()
            }
        }

        pub(super) const TABLE: &[OptionInfo] = &[$( OptionInfo {
            name: $name,
            origin: options!(@origin $($origin)?),
            kind: $json,
            default: $default,
            becomes: options!(@becomes $lowering($($text)?) $name),
            since: $since,
            differs: concat!($($differs)?),
        }, )+];
    };

    (@type on) => { bool };
    (@type some $ty:ty) => { Option<$ty> };
    (@type plain $ty:ty) => { Option<$ty> };
    (@type list $ty:ty) => { Vec<$ty> };
    (@type counted $ty:ty) => { Vec<$ty> };
    (@type map $ty:ty) => { BTreeMap<Box<str>, $ty> };
    (@type named $ty:ty) => { BTreeMap<String, $ty> };
    (@type own $ty:ty) => { $ty };

    (@setter on $field:ident) => {
        #[doc = concat!("Switches [`", stringify!($field), "`](field@Self::", stringify!($field), ") on.")]
        #[must_use]
        pub fn $field(mut self) -> Self {
            self.$field = true;
            self
        }
    };
    (@setter some $field:ident $ty:ty) => {
        options!(@set $field, value: impl Into<$ty> => Some(value.into()), "Sets");
    };
    (@setter plain $field:ident $ty:ty) => {
        options!(@set $field, value: $ty => Some(value), "Sets");
    };
    (@setter map $field:ident $ty:ty) => {
        options!(@set $field, values: impl IntoIterator<Item = (impl Into<Box<str>>, $ty)>
            => values.into_iter().map(|(name, value)| (name.into(), value)).collect(), "Sets all of");
    };
    (@setter list $field:ident $ty:ty) => {
        options!(@set $field, values: impl IntoIterator<Item = impl Into<$ty>>
            => values.into_iter().map(Into::into).collect(), "Sets all of");
    };
    (@setter counted $field:ident $ty:ty) => { options!(@setter list $field $ty); };
    (@setter $without:ident $field:ident $ty:ty) => {};
    (@set $field:ident, $value:ident: $ty:ty => $set:expr, $verb:literal) => {
        #[doc = concat!($verb, " [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
        #[must_use]
        pub fn $field(mut self, $value: $ty) -> Self {
            self.$field = $set;
            self
        }
    };

    (@lower flag($flag:literal) $self:ident $field:ident $plan:ident) => { $plan.flag($flag, $self.$field.as_ref()) };
    (@lower path($flag:literal) $self:ident $field:ident $plan:ident) => {
        $plan.flag($flag, $self.$field.as_ref().map(|path| path.display()))
    };
    (@lower word($flag:literal) $self:ident $field:ident $plan:ident) => {
        $plan.flag($flag, $self.$field.as_ref().map(word))
    };
    (@lower list($flag:literal) $self:ident $field:ident $plan:ident) => { $plan.list($flag, &$self.$field) };
    (@lower switch($flag:literal) $self:ident $field:ident $plan:ident) => { $plan.switch($flag, $self.$field) };
    (@lower handshake() $self:ident $field:ident $plan:ident) => { $plan.initialize.$field.clone_from(&$self.$field) };
    (@lower asked() $self:ident $field:ident $plan:ident) => {
        $plan.initialize.$field = $self.$field.then_some(true)
    };
    (@lower custom($text:literal) $self:ident $field:ident $plan:ident) => {};

    (@becomes list($flag:literal) $name:literal) => { concat!("`--", $flag, "=a,b`") };
    (@becomes switch($flag:literal) $name:literal) => { concat!("`--", $flag, "`") };
    (@becomes custom($text:literal) $name:literal) => { $text };
    (@becomes $flagged:ident($flag:literal) $name:literal) => { concat!("`--", $flag, "=`") };
    (@becomes $field:ident() $name:literal) => { concat!("`initialize.", $name, "`") };

    (@shown counted $value:expr) => { &$value.len() };
    (@shown named $value:expr) => { &$value.keys() };
    (@shown $kind:ident $value:expr) => { &$value };

    (@origin) => { OptionOrigin::Reference };
    (@origin $origin:ident) => { OptionOrigin::$origin };
}

pub(super) use options;
