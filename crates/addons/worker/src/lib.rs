#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod admission;
mod awaited;
mod command;
mod config;
mod gate;
mod interrupt;
mod launch;
mod ledger;
mod local;
mod machine;
mod observers;
mod outcome;
mod panics;
mod patient_store;
mod recovery;
mod secrets;
mod session_task;
mod turn;
mod worker;
mod workspace;

pub use admission::{Admission, AdmissionNumbers};
pub use config::WorkerConfig;
pub use ledger::{Ledger, Refusal};
pub use local::{Local, LocalError, LocalStatus};
pub use machine::Phase;
pub use outcome::{Outcome, TurnReport};
pub use recovery::{LossPolicy, OpenTool, Recovery, RecoveryError};
pub use secrets::{SecretFolder, SecretFuture, SecretResolver};
pub use turn::{Answer, Fence, Question, SessionName, TurnInput, TurnSpec, Way};
pub use worker::{Start, Worker, WorkerError, WorkerNumbers};
pub use workspace::{FolderWorkspace, GitWorkspace, Workspace, WorkspaceFuture};
