//! Asking a person at a terminal for a permission: what is shown, and what each answer comes to.

use std::io::{self, BufRead, Write};

use agentwire::{
    Decision, PermissionMode, RawJson,
    protocol::{
        control::CanUseTool,
        permission::{Answer, PermissionUpdate, Plan, Question, Questions, Rule},
    },
};

/// Asks until there is an answer; the end of the input is a denial.
///
/// # Errors
///
/// Where the input or the output fails: there is no decision then, and the CLI denies.
pub(crate) fn ask(
    request: &CanUseTool,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<Decision> {
    let mut terminal = Terminal { input, output, ended: false };
    if let Some(mut asked) = Questions::asked_by(request).map_err(io::Error::other)? {
        for question in &mut asked.questions {
            question.answer = terminal.answer(question)?;
        }
        return Ok(if terminal.ended { Decision::deny(NOBODY) } else { asked.allow().into() });
    }
    match Plan::presented_by(request).map_err(io::Error::other)? {
        Some(plan) => terminal.approve(&plan),
        None => terminal.permit(request),
    }
}

struct Terminal<'a, I, O> {
    input: &'a mut I,
    output: &'a mut O,
    /// Whether the input has.
    ended: bool,
}

impl<I: BufRead, O: Write> Terminal<'_, I, O> {
    fn permit(&mut self, request: &CanUseTool) -> io::Result<Decision> {
        self.show(request)?;
        let always = request.allow_always();
        let choices =
            if always.is_some() { "y, n, always, edit, or why not" } else { "y, n, edit, or why not" };
        loop {
            let Some(said) = self.line(choices)? else { return Ok(Decision::deny(NOBODY)) };
            match (said.as_str(), &always) {
                ("", _) => {}
                // What must not be allowed by a stray key takes a whole word.
                ("y", _) if request.default_to_no == Some(true) => writeln!(self.output, "say yes")?,
                ("y" | "yes", _) => return Ok(Decision::allow()),
                ("n" | "no", _) => return Ok(Decision::deny("the user does not want this")),
                ("a" | "always", Some(always)) => return Ok(always.clone().into()),
                ("a" | "always", None) => writeln!(self.output, "it can't be remembered")?,
                ("e" | "edit", _) => {
                    if let Some(input) = self.edited()? {
                        return Ok(Decision::allow_with_input(input));
                    }
                }
                (reason, _) => return Ok(Decision::deny(reason)),
            }
        }
    }

    fn show(&mut self, request: &CanUseTool) -> io::Result<()> {
        let name = request.display_name.as_deref().unwrap_or(&request.tool_name);
        let title = request.title.as_deref().map_or_else(|| format!("May {name} be used?"), str::to_owned);
        writeln!(self.output, "\n{}", plain(&title))?;
        if let Some(agent) = &request.agent_id {
            writeln!(self.output, "  for the subagent {}", plain(agent))?;
        }
        if let Some(server) = &request.mcp_server {
            writeln!(self.output, "  a tool of the MCP server {}", plain(&server.name))?;
        }
        for text in [&request.description, &request.decision_reason].into_iter().flatten() {
            writeln!(self.output, "  {}", plain(text))?;
        }
        writeln!(self.output, "  input: {}", plain(request.input.as_str()))?;
        if request.allow_always().is_some() {
            for update in &request.permission_suggestions {
                writeln!(self.output, "  always: {}", plain(&in_words(update)))?;
            }
        }
        Ok(())
    }

    /// An input in the place of the one that was asked about; `None` where it is no JSON object.
    fn edited(&mut self) -> io::Result<Option<RawJson>> {
        let said = self.line("the whole input, as JSON on one line")?.unwrap_or_default();
        let input = RawJson::parse(said).ok().filter(|input| input.as_str().trim_start().starts_with('{'));
        if input.is_none() {
            writeln!(self.output, "that is no JSON object")?;
        }
        Ok(input)
    }

    /// The answer to one of the model's questions: numbers of what is offered, or words of one's own.
    fn answer(&mut self, question: &Question) -> io::Result<Option<Answer>> {
        writeln!(self.output, "\n{}", plain(&question.question))?;
        for (index, choice) in question.options.iter().enumerate() {
            writeln!(
                self.output,
                "  {}. {}: {}",
                index + 1,
                plain(&choice.label),
                plain(&choice.description)
            )?;
            for line in choice.preview.iter().flat_map(|preview| preview.lines()) {
                writeln!(self.output, "       {}", plain(line))?;
            }
        }
        let several = if question.multi_select { "numbers with commas between them" } else { "a number" };
        let said = self.line(&format!("{several}, or words of your own"))?.unwrap_or_default();
        let chosen: Option<Vec<_>> = said
            .split(',')
            .map(|number| number.trim().parse::<usize>().ok()?.checked_sub(1))
            .map(|index| question.options.get(index?))
            .collect();
        Ok(match chosen {
            Some(chosen) if question.multi_select || chosen.len() == 1 => Some(Answer::choices(chosen)),
            _ => Some(said).filter(|said| !said.is_empty()).map(Answer::text),
        })
    }

    fn approve(&mut self, plan: &Plan) -> io::Result<Decision> {
        writeln!(self.output, "\nThe plan:")?;
        for line in plan.plan.as_deref().unwrap_or("(none was written)").lines() {
            writeln!(self.output, "  {}", plain(line))?;
        }
        let edits_pass = PermissionUpdate::set_mode(PermissionMode::AcceptEdits);
        Ok(loop {
            match self.line("y, edits (from then on they pass), or what to do otherwise")?.as_deref() {
                Some("") => {}
                Some("y" | "yes") => break plan.approve().into(),
                Some("edits") => break plan.approve().updates([edits_pass]).into(),
                Some(otherwise) => break Decision::deny(otherwise),
                None => break Decision::deny(NOBODY),
            }
        })
    }

    /// The next line of the person's; `None` where the input has ended.
    fn line(&mut self, choices: &str) -> io::Result<Option<String>> {
        write!(self.output, "[{choices}] ")?;
        self.output.flush()?;
        let mut line = String::new();
        let read = self.input.read_line(&mut line)?;
        self.ended = read == 0;
        Ok((!self.ended).then(|| line.trim().to_owned()))
    }
}

/// What would be changed, in words.
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

/// The text without what a terminal would obey: it comes from the model, from servers and from files.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

const NOBODY: &str = "nobody is there to answer";
