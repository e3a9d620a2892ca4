//! The dialog of a question: its text, and the decision for each answer.

use std::{future::Future, io};

use agentwire_protocol::{
    RawJson,
    control::CanUseTool,
    permission::{Answer, Decision, PermissionMode, PermissionUpdate, Plan, Question, Questions, Rule},
};

use super::changes;

/// A person's lines of input, and text output.
pub(super) trait Dialog {
    /// Returns the next line, or `None` at the end of the input.
    fn read(&mut self) -> impl Future<Output = Option<String>> + Send;

    fn write(&mut self, text: &str) -> io::Result<()>;
}

/// Asks until there is an answer; the end of the input is a denial. After an error the CLI denies too.
pub(super) async fn ask<D: Dialog + Send>(request: &CanUseTool, dialog: &mut D) -> io::Result<Decision> {
    let mut terminal = Prompt { dialog, shown: String::new(), ended: false };
    if let Some(mut asked) = Questions::asked_by(request).map_err(io::Error::other)? {
        for question in &mut asked.questions {
            question.answer = terminal.answer(question).await?;
        }
        return Ok(if terminal.ended { Decision::deny(NOBODY) } else { asked.allow().into() });
    }
    match Plan::presented_by(request).map_err(io::Error::other)? {
        Some(plan) => terminal.approve(&plan).await,
        None => terminal.permit(request).await,
    }
}

struct Prompt<'a, D> {
    dialog: &'a mut D,
    /// Text that is written with the next prompt for a line.
    shown: String,
    ended: bool,
}

impl<D: Dialog + Send> Prompt<'_, D> {
    async fn permit(&mut self, request: &CanUseTool) -> io::Result<Decision> {
        self.show(request);
        let always = request.allow_always();
        let words = if always.is_some() { "y, n, always, edit" } else { "y, n, edit" };
        let choices = format!("{words}, or a reason to deny");
        loop {
            let Some(line) = self.line(&choices).await? else { return Ok(Decision::deny(NOBODY)) };
            match (&*line.to_lowercase(), &always) {
                ("", _) => {}
                // A question for a person needs a whole word, so that a stray key does not allow it.
                ("y", _) if request.default_to_no == Some(true) => self.show_line("type yes"),
                ("a", Some(_)) if request.default_to_no == Some(true) => self.show_line("type always"),
                ("y" | "yes", _) => return Ok(Decision::allow()),
                ("n" | "no", _) => return Ok(Decision::deny("the user does not want this")),
                ("a" | "always", Some(always)) => return Ok(always.clone().into()),
                ("a" | "always", None) => self.show_line("it can't be remembered"),
                ("e" | "edit", _) => {
                    if let Some(input) = self.edited().await? {
                        return Ok(Decision::allow_with_input(input));
                    }
                }
                _ => return Ok(Decision::deny(line)),
            }
        }
    }

    fn show(&mut self, request: &CanUseTool) {
        let name = request.display_name.as_deref().unwrap_or(&request.tool_name);
        let title = request.title.as_deref().map_or_else(|| format!("May {name} be used?"), str::to_owned);
        self.show_line(&format!("\n{}", plain(&title)));
        if let Some(agent) = &request.agent_id {
            self.show_line(&format!("  for the subagent {}", plain(agent)));
        }
        if let Some(server) = &request.mcp_server {
            let tool = plain(&request.tool_name);
            self.show_line(&format!("  {tool} of the MCP server {}", plain(&server.name)));
        }
        for text in [&request.description, &request.decision_reason].into_iter().flatten() {
            self.show_line(&format!("  {}", plain(text)));
        }
        match changes::of(request) {
            Some(lines) => {
                for line in lines {
                    self.show_line(&format!("  {}", plain(&line)));
                }
            }
            None => self.show_line(&format!("  input: {}", plain(request.input.as_str()))),
        }
        if request.allow_always().is_some() {
            for update in &request.permission_suggestions {
                self.show_line(&format!("  always: {}", plain(&in_words(update))));
            }
        }
    }

    /// Reads a replacement for the input, or returns `None` if the line is not a JSON object.
    async fn edited(&mut self) -> io::Result<Option<RawJson>> {
        let line = self.line("the whole input, as JSON on one line").await?.unwrap_or_default();
        let input = RawJson::parse(line).ok().filter(|input| input.as_str().starts_with('{'));
        if input.is_none() {
            self.show_line("that is not a JSON object");
        }
        Ok(input)
    }

    /// Reads the answer to one of the model's questions: numbers of its options, or free text.
    async fn answer(&mut self, question: &Question) -> io::Result<Option<Answer>> {
        self.show_line(&format!("\n{}", plain(&question.question)));
        for (index, choice) in question.options.iter().enumerate() {
            let (label, description) = (plain(&choice.label), plain(&choice.description));
            self.show_line(&format!("  {}. {label}: {description}", index + 1));
            for line in choice.preview.iter().flat_map(|preview| preview.lines()) {
                self.show_line(&format!("       {}", plain(line)));
            }
        }
        let several = if question.multi_select { "numbers separated by commas" } else { "a number" };
        let line = self.line(&format!("{several}, or your own answer")).await?.unwrap_or_default();
        let chosen: Option<Vec<_>> = line
            .split(',')
            .map(|number| number.trim().parse::<usize>().ok()?.checked_sub(1))
            .map(|index| question.options.get(index?))
            .collect();
        Ok(match chosen {
            Some(chosen) if question.multi_select || chosen.len() == 1 => Some(Answer::choices(chosen)),
            _ => Some(line).filter(|line| !line.is_empty()).map(Answer::text),
        })
    }

    async fn approve(&mut self, plan: &Plan) -> io::Result<Decision> {
        self.show_line("\nThe plan:");
        for line in plan.plan.as_deref().unwrap_or("(none was written)").lines() {
            self.show_line(&format!("  {}", plain(line)));
        }
        let edits_pass = PermissionUpdate::set_mode(PermissionMode::AcceptEdits);
        let choices = "y, edits (approve, and accept edits from now on), or what to change";
        Ok(loop {
            let Some(line) = self.line(choices).await? else { break Decision::deny(NOBODY) };
            match &*line.to_lowercase() {
                "" => {}
                "y" | "yes" => break plan.approve().into(),
                "edits" => break plan.approve().updates([edits_pass]).into(),
                _ => break Decision::deny(line),
            }
        })
    }

    fn show_line(&mut self, line: &str) {
        self.shown.push_str(line);
        self.shown.push('\n');
    }

    /// Prompts for a line, or returns `None` at the end of the input.
    async fn line(&mut self, choices: &str) -> io::Result<Option<String>> {
        self.shown.push_str(&format!("[{choices}] "));
        self.dialog.write(&std::mem::take(&mut self.shown))?;
        let line = self.dialog.read().await;
        self.ended = line.is_none();
        if self.ended {
            self.dialog.write(&format!("({NOBODY})\n"))?;
        }
        Ok(line.map(|line| line.trim().to_owned()))
    }
}

/// Describes a permission update.
fn in_words(update: &PermissionUpdate) -> String {
    let rules = |rules: &[Rule]| rules.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match update {
        PermissionUpdate::AddRules(added) => {
            format!("{} {}, kept in {}", added.behavior, rules(&added.rules), added.destination)
        }
        PermissionUpdate::SetMode(set) => format!("the mode {}, kept in {}", set.mode, set.destination),
        PermissionUpdate::AddDirectories(added) => {
            format!("work in {}, kept in {}", added.directories.join(", "), added.destination)
        }
        other => format!("{} of permissions", other.kind()),
    }
}

/// Replaces characters that could disguise the text that the person decides on: control characters, changes of text
/// direction, and invisible characters except joiners, which scripts and emoji need.
fn plain(text: &str) -> String {
    let hides = |c: char| {
        c.is_control() && c != '\t'
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}')
            || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0e}')
            || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e01ef}')
    };
    text.chars().map(|c| if hides(c) { '\u{fffd}' } else { c }).collect()
}

const NOBODY: &str = "nobody is there to answer";
