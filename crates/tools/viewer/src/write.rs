//! The page around the items: head, style, timeline, conversation, script.

use std::fmt::Write as _;

use super::item::{Item, Kind, word};
use super::part::Part;
use super::read::{Reading, Turn};
use super::{CSS, JS, POLICY, escape, timeline};
use agentwire_testkit::transcript::{Entry, Transcript};

/// Returns the whole page.
pub(super) fn write(session: &Transcript, reading: &Reading, title: &str) -> String {
    let mut page = Page { session, reading, first_line: session.line_number(0), html: String::new() };
    page.head(title);
    page.facts(title);
    page.html.push_str("<main><section aria-labelledby=timeline><h2 id=timeline>Timeline</h2>");
    if !reading.timed {
        page.html.push_str("<p class=hint>No times recorded: bars follow the order of the lines.</p>");
    }
    timeline::write(&mut page.html, reading, page.first_line);
    page.html
        .push_str("</section><section aria-labelledby=conversation><h2 id=conversation>Conversation</h2>");
    page.html.push_str(TOOLBAR);
    page.conversation();
    page.html.push_str("</section></main>");
    let _ = writeln!(page.html, "<script>{JS}</script></body></html>");
    page.html
}

struct Page<'a> {
    session: &'a Transcript,
    reading: &'a Reading,
    first_line: usize,
    html: String,
}

impl Page<'_> {
    /// Appends a text between two pieces of HTML.
    fn put(&mut self, before: &str, text: &str, after: &str) {
        self.html.push_str(before);
        escape::text(&mut self.html, text);
        self.html.push_str(after);
    }

    fn head(&mut self, title: &str) {
        self.html.push_str("<!doctype html>\n<html lang=en><head><meta charset=utf-8>");
        let _ = write!(self.html, "<meta http-equiv=Content-Security-Policy content=\"{POLICY}\">");
        self.html.push_str("<meta name=viewport content=\"width=device-width,initial-scale=1\">");
        self.put("<meta name=referrer content=no-referrer><title>", title, "</title>");
        let _ = write!(self.html, "<style>{CSS}</style></head><body>");
        self.html.push_str("<a class=skip href=\"#conversation\">Skip to the conversation</a>");
    }

    fn facts(&mut self, title: &str) {
        let facts = &self.reading.facts;
        self.put("<header><h1>", title, "</h1><ul class=totals>");
        let count = |kind| self.reading.items.iter().filter(|item| item.kind == kind && !item.gone).count();
        let troubles = self.reading.items.iter().filter(|item| !item.badges.is_empty()).count();
        let totals = [
            ("turns", self.reading.turns.len() - 1),
            ("tools", count(Kind::Tool)),
            ("hooks", count(Kind::Hook)),
            ("permissions", count(Kind::Permission)),
            ("mcp", count(Kind::Mcp)),
            ("unknown", troubles),
        ];
        for (name, count) in totals {
            let many = if count == 1 { "" } else { "s" };
            let label = match name {
                "turns" => format!("turn{many}"),
                "tools" => format!("tool use{many}"),
                "hooks" => format!("hook{many}"),
                "mcp" => format!("MCP message{many}"),
                "permissions" => format!("permission request{many}"),
                _ => "unknown or undecodable".to_owned(),
            };
            let loud = if name == "unknown" && count > 0 { " class=loud" } else { "" };
            let _ = write!(self.html, "<li{loud}><b id=n-{name}>{count}</b> {label}</li>");
        }
        self.html.push_str("</ul><dl class=facts>");
        let time = match (self.reading.timed, facts.reported_millis) {
            (true, _) => Some(escape::time(self.reading.end)),
            (false, 0) => None,
            (false, reported) => Some(format!("{}, as its results say", escape::time(reported))),
        };
        let tokens = facts.tokens_in.saturating_add(facts.tokens_out);
        let tokens = (tokens > 0).then(|| format!("{} in, {} out", facts.tokens_in, facts.tokens_out));
        let cost = facts.cost.map(|cost| format!("${cost:.4}"));
        let sessions = (!facts.sessions.is_empty()).then(|| facts.sessions.join(", "));
        let recorded = match (&facts.recorded, facts.redacted) {
            (Some(day), true) => Some(format!("{day}, redacted")),
            (Some(day), false) => Some(day.clone()),
            (None, _) => None,
        };
        let argv = self.session.argv.as_ref().map(|argv| argv.args().join(" "));
        let rows = [
            ("Session", &sessions),
            ("Model", &facts.model),
            ("CLI", &facts.cli),
            ("Folder", &facts.cwd),
            ("Permission mode", &facts.mode),
            ("Recorded", &recorded),
            ("Duration", &time),
            ("Cost", &cost),
            ("Tokens", &tokens),
            ("Arguments", &argv),
        ];
        for (name, value) in rows {
            let Some(value) = value else { continue };
            self.put(&format!("<div><dt>{name}<dd>"), escape::beginning(value, 2_000), "</div>");
        }
        self.html.push_str("</dl></header>");
    }

    fn conversation(&mut self) {
        let items = &self.reading.items;
        let mut roots: Vec<Vec<usize>> = vec![Vec::new(); self.reading.turns.len()];
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); items.len()];
        for (index, item) in items.iter().enumerate().filter(|(_, item)| !item.gone) {
            match item.parent {
                Some(parent) => children[parent].push(index),
                None => roots[item.turn].push(index),
            }
        }
        for (number, turn) in self.reading.turns.iter().enumerate() {
            if number == 0 && roots[0].is_empty() {
                continue;
            }
            self.turn(number, turn);
            for root in &roots[number] {
                self.item(*root, &children);
            }
            self.html.push_str("</section>");
        }
    }

    fn turn(&mut self, number: usize, turn: &Turn) {
        let _ = write!(self.html, "<section class=turn aria-labelledby=turn-{number}><h3 id=turn-{number}>");
        if number == 0 {
            self.html.push_str("Before the first turn</h3>");
            return;
        }
        let _ = write!(self.html, "Turn {number}");
        if self.reading.timed {
            let _ = write!(self.html, " <small>{}</small>", escape::time(turn.to.saturating_sub(turn.from)));
        }
        if !turn.about.is_empty() {
            self.put(" <small class=about>", &turn.about, "</small>");
        }
        self.html.push_str("</h3>");
    }

    fn item(&mut self, index: usize, children: &[Vec<usize>]) {
        let item = &self.reading.items[index];
        let _ = write!(self.html, "<div class=\"it {}\"><details><summary>", word(item.kind));
        self.summary(item);
        self.html.push_str("</summary>");
        for entry in &item.entries {
            self.frame(*entry);
        }
        for line in &item.mentions {
            let _ = write!(self.html, "<p class=hint>See also <a href=\"#line-{line}\">line {line}</a>.</p>");
        }
        if !item.streamed.is_empty() {
            let _ = write!(self.html, "<details><summary>{} partial frames</summary>", item.streamed.len());
            for entry in &item.streamed {
                self.frame(*entry);
            }
            self.html.push_str("</details>");
        }
        self.html.push_str("</details>");
        for part in &item.parts {
            self.part(part);
        }
        if !children[index].is_empty() {
            self.html.push_str("<div class=nest>");
            for child in &children[index] {
                self.item(*child, children);
            }
            self.html.push_str("</div>");
        }
        self.html.push_str("</div>\n");
    }

    fn summary(&mut self, item: &Item) {
        let kind = format!("<i class=k>{}</i> <b>", word(item.kind));
        self.put(&kind, escape::beginning(&item.title, 120), "</b>");
        for badge in &item.badges {
            let _ = write!(self.html, " <strong class=badge>{badge}</strong>");
        }
        if let Some(outcome) = &item.outcome {
            let mood = format!(" <span class=\"o {}\">", word(outcome.mood));
            self.put(&mood, escape::beginning(&outcome.words, 300), "</span>");
        }
        if !item.note.is_empty() {
            self.put(" <span class=n>", escape::beginning(&item.note, 300), "</span>");
        }
        if !item.streamed.is_empty() {
            let _ = write!(self.html, " <span class=n>streamed in {} frames</span>", item.streamed.len());
        }
        if self.reading.timed && item.to > item.from {
            let _ = write!(self.html, " <span class=n>{}</span>", escape::time(item.to - item.from));
        }
        let lines = item.entries.iter().map(|entry| self.first_line + entry);
        let lines: Vec<String> = lines.take(4).map(|line| line.to_string()).collect();
        let more = if item.entries.len() > 4 { " …" } else { "" };
        let _ = write!(self.html, " <span class=l>{}{more}</span>", lines.join(" "));
    }

    fn part(&mut self, part: &Part) {
        let _ = write!(self.html, "<div class=\"p {}\">", word(part.look));
        if !part.label.is_empty() {
            self.put("<span class=t>", &part.label, "</span> ");
        }
        self.put("<span class=v>", &part.text, "</span>");
        if let Some(whole) = part.cut_from {
            let _ = write!(self.html, "… <a class=all href=\"#line-{}\" data-at=\"", part.place.line);
            escape::attribute(&mut self.html, &part.place.pointer);
            self.html.push_str("\">show all ");
            escape::grouped(&mut self.html, whole as u64);
            self.html.push_str(" bytes</a>");
        }
        self.html.push_str("</div>");
    }

    /// Writes a line of the transcript, with characters that HTML can't contain replaced; a long line in two pieces.
    fn frame(&mut self, entry: usize) {
        let line = self.first_line + entry;
        let (sigil, text) = written(&self.session.entries[entry]);
        let _ = write!(self.html, "<div class=f id=line-{line}><a href=\"#line-{line}\">{line} ");
        escape::text(&mut self.html, sigil);
        self.html.push_str("</a><pre>");
        let start = escape::beginning(&text, FIRST_PIECE);
        escape::text(&mut self.html, start);
        let rest = &text[start.len()..];
        if !rest.is_empty() {
            self.html.push_str("</pre><details class=rest><summary>");
            escape::grouped(&mut self.html, rest.len() as u64);
            self.html.push_str(" bytes more</summary><pre>");
            escape::text(&mut self.html, rest);
            self.html.push_str("</pre></details></div>");
        } else {
            self.html.push_str("</pre></div>");
        }
    }
}

/// Returns an entry as its sigil and the text after it.
fn written(entry: &Entry) -> (&'static str, String) {
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match entry {
        Entry::Outbound(line) => (">", lossy(line)),
        Entry::Inbound(line) => ("<", lossy(line)),
        Entry::Stderr(line) => ("!", lossy(line)),
        Entry::Comment(text) => ("#", lossy(text)),
        other => ("", lossy(&other.to_line())),
    }
}

/// The reader's tools, which need the script and are hidden without it.
const TOOLBAR: &str = concat!(
    "<div class=bar role=search aria-label=\"Search the conversation\" hidden>",
    "<label class=find><span>Search</span><input id=q type=search autocomplete=off spellcheck=false placeholder=\"text, id, tool …  ( / )\"></label>",
    "<output id=hits for=q></output>",
    "<div class=buttons><button type=button id=prev>Previous</button><button type=button id=next>Next</button>",
    "<button type=button id=raw aria-pressed=false>Raw frames</button><button type=button id=theme>Light or dark</button></div>",
    "<div class=kinds role=group aria-label=\"Kinds that are shown\"></div></div>"
);
/// A longer line is shown in two pieces, of which the second is closed even where the first is open.
const FIRST_PIECE: usize = 16 << 10;
