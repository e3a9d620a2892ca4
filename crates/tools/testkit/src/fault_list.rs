//! A list of faults as a type of its own.

/// Declares an enum of faults: each with its name, its argument, its behavior, and the correct reaction.
macro_rules! fault_list {
    (
        $(#[$about:meta])*
        $faults:ident;
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

            /// Returns the name with which the fault is selected.
            pub fn name(self) -> &'static str {
                match self { $(Self::$fault => $name,)* }
            }

            /// Returns the behavior of the program.
            pub fn does(self) -> &'static str {
                match self { $(Self::$fault => $does,)* }
            }

            /// Returns the correct reaction of a client.
            pub fn right(self) -> &'static str {
                match self { $(Self::$fault => $right,)* }
            }
        }

        impl crate::fault_plan::Faults for $faults {
            const LIST: &'static [Self] = Self::ALL;

            fn takes(self) -> crate::fault_plan::Takes {
                match self { $(Self::$fault => $takes,)* }
            }

            fn texts(self) -> [&'static str; 3] {
                [self.name(), self.does(), self.right()]
            }
        }
    };
}

pub(crate) use fault_list;
