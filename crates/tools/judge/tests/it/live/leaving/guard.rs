//! The guards, and the effects that show that one was passed.

use std::{fs, future::pending, path::Path};

use agentwire::{
    Decision, SessionBuilder,
    hooks::{Hooks, PermissionHandler},
    protocol::hook::{
        HookEvent, HookReply, PermissionRequest, PostToolBatch, PreCompact, PreToolUse, Stop,
        UserPromptExpansion, UserPromptSubmit,
    },
};

use super::Place;

/// A guard that never decides.
pub(super) struct Guard {
    pub(super) name: &'static str,
    /// The prompts up to the first call of the guard.
    pub(super) prompts: &'static [&'static str],
    /// Whether the tool is allowed by a rule.
    pub(super) allowed: bool,
    /// When the host goes away.
    time: Time,
    effect: Effect,
    register: fn(SessionBuilder, &Path) -> SessionBuilder,
}

enum Time {
    /// The guard was called.
    Asked,
    /// The model was asked, and its answer will come to the guard.
    Thinking,
    /// The prompt was sent.
    Sent,
}

/// The effect that shows that the guard was passed.
enum Effect {
    /// The tool has run.
    Ran,
    /// The model was asked more often than this.
    Requests(usize),
}

pub(super) const GUARDS: &[Guard] = &[
    Guard {
        name: "PreToolUse",
        effect: Effect::Ran,
        register: |builder, place| hook(builder, place, PreToolUse, || HookReply::deny("no")),
        ..GUARD
    },
    Guard {
        name: "PreToolUse, not asked yet",
        time: Time::Thinking,
        effect: Effect::Ran,
        register: |builder, place| hook(builder, place, PreToolUse, || HookReply::deny("no")),
        ..GUARD
    },
    Guard {
        name: "PermissionRequest",
        allowed: false,
        effect: Effect::Ran,
        register: |builder, place| {
            let builder =
                builder.permissions(PermissionHandler::new(async |_, _| pending::<Decision>().await));
            hook(builder, place, PermissionRequest, HookReply::proceed)
        },
        ..GUARD
    },
    Guard {
        name: "permission handler",
        allowed: false,
        effect: Effect::Ran,
        register: |builder, place| {
            let mark = place.join("asked");
            builder.permissions(PermissionHandler::new(move |_, _| {
                fs::write(&mark, "").unwrap();
                pending::<Decision>()
            }))
        },
        ..GUARD
    },
    Guard {
        name: "UserPromptSubmit",
        register: |builder, place| hook(builder, place, UserPromptSubmit, || HookReply::block("no")),
        ..GUARD
    },
    Guard {
        name: "UserPromptSubmit, not asked yet",
        time: Time::Sent,
        register: |builder, place| hook(builder, place, UserPromptSubmit, || HookReply::block("no")),
        ..GUARD
    },
    Guard {
        name: "UserPromptExpansion",
        prompts: &["/greet"],
        register: |builder, place| hook(builder, place, UserPromptExpansion, || HookReply::block("no")),
        ..GUARD
    },
    Guard {
        name: "PostToolBatch",
        effect: Effect::Requests(1),
        register: |builder, place| hook(builder, place, PostToolBatch, || HookReply::block("no")),
        ..GUARD
    },
    Guard {
        name: "PostToolBatch, not asked yet",
        time: Time::Thinking,
        effect: Effect::Requests(1),
        register: |builder, place| hook(builder, place, PostToolBatch, || HookReply::block("no")),
        ..GUARD
    },
    Guard {
        name: "PreCompact",
        prompts: &["Go.", "/compact"],
        effect: Effect::Requests(2),
        register: |builder, place| hook(builder, place, PreCompact, || HookReply::block("no")),
        ..GUARD
    },
    Guard {
        name: "Stop",
        effect: Effect::Requests(2),
        register: |builder, place| hook(builder, place, Stop, || HookReply::go_on("no")),
        ..GUARD
    },
];

const GUARD: Guard = Guard {
    name: "",
    prompts: &["Go."],
    allowed: true,
    time: Time::Asked,
    effect: Effect::Requests(0),
    register: |builder, _| builder,
};

impl Guard {
    pub(super) fn named(name: &str) -> &'static Self {
        GUARDS.iter().find(|guard| guard.name == name).unwrap()
    }

    /// Returns a place with a model that uses a tool and then continues.
    pub(super) async fn place(&self) -> Place {
        let delay = if matches!(self.time, Time::Thinking) { 1500 } else { 0 };
        let place = Place::scripted(&format!(
            r#"{{"replies": [{{"delay_ms": {delay}, "blocks": [{{"tool_use": {{"name": "Bash", "input":
                {{"command": "mkfifo ran", "description": "Run"}}}}}}]}},
                {{"blocks": [{{"text": "Done."}}], "times": 20}}]}}"#
        ))
        .await;
        fs::create_dir_all(place.file("project/.claude/commands")).unwrap();
        fs::write(place.file("project/.claude/commands/greet.md"), "Say hello.\n").unwrap();
        place
    }

    /// Returns whether the host must leave now.
    pub(super) fn has_come(&self, place: &Place) -> bool {
        match self.time {
            Time::Asked => place.file("asked").exists(),
            Time::Thinking => asked(place) > 0,
            Time::Sent => place.file("sent").exists(),
        }
    }

    pub(super) fn is_passed(&self, place: &Place) -> bool {
        match self.effect {
            Effect::Ran => place.file("project/ran").exists(),
            Effect::Requests(most) => asked(place) > most,
        }
    }

    pub(super) fn register(&self, builder: SessionBuilder, place: &Path) -> SessionBuilder {
        (self.register)(builder, place)
    }
}

/// Returns how often the model was requested.
fn asked(place: &Place) -> usize {
    place.model.requests().iter().filter(|request| &*request.path == "/v1/messages").count()
}

/// Returns a hook that records its call and never answers.
fn hook<E: HookEvent>(
    builder: SessionBuilder,
    place: &Path,
    event: E,
    reply: fn() -> HookReply<E>,
) -> SessionBuilder {
    let mark = place.join("asked");
    builder.hooks(Hooks::new().on(event, move |_, _| {
        fs::write(&mark, "").unwrap();
        async move {
            pending::<()>().await;
            reply()
        }
    }))
}
