//! A server that is a program: started in a process group of its own, spoken to in lines, and ended with all that it
//! started.

mod backlog;
mod child;
mod environment;
mod lines;
mod lookup;
mod refusal;

pub(crate) use self::{
    child::{Child, Program, StartError, start},
    lines::{Lines, SendError},
};
