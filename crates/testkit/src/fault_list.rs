//! A list of faults as a type of its own.

/// Declares the type: of each fault its name, what it takes behind its name, what is done, and what is right then.
macro_rules! fault_list {
    (
        $(#[$about:meta])*
        $faults:ident takes $taken:ty;
        $($fault:ident $name:literal $takes:expr, $does:literal, $right:literal;)*
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $faults {
            $(#[doc = $does] $fault,)*
        }

        impl $faults {
            /// All of them, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$fault,)*];

            /// Its name, by which it is asked for.
            pub fn name(self) -> &'static str {
                match self { $(Self::$fault => $name,)* }
            }

            /// What the program does.
            pub fn does(self) -> &'static str {
                match self { $(Self::$fault => $does,)* }
            }

            /// What is right for a client to do then.
            pub fn right(self) -> &'static str {
                match self { $(Self::$fault => $right,)* }
            }

            pub(super) fn takes(self) -> $taken {
                match self { $(Self::$fault => $takes,)* }
            }
        }
    };
}

pub(crate) use fault_list;
