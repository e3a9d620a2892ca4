//! The effect of each tag on the text.

mod blocks;
mod lines;

use reqwest::Url;

use super::inline::{self, Inline, Kind};
use super::table::Table;
use super::token::{Tag, Token, tokens};
use super::writer::Writer;
use super::{Converted, Format};
use crate::deadline::Deadline;

/// The state between two tokens.
#[derive(Debug)]
pub(super) struct Converter {
    base: Url,
    has_base: bool,
    markdown: bool,
    deadline: Deadline,
    out: Writer,
    inlines: Vec<Inline>,
    lists: Vec<List>,
    /// How many untracked lists and tables are open within the last tracked ones.
    hidden_lists: usize,
    hidden_tables: usize,
    tables: Vec<Table>,
    /// For each table in the page, whether it contains data.
    kinds: std::vec::IntoIter<bool>,
    /// The skipped element, and how many elements of its name are open.
    skipped: Option<(Vec<u8>, usize)>,
    /// The TeX of the skipped formula, as far as it is known.
    formula: Option<String>,
    /// Whether the text is TeX of the skipped formula.
    in_tex: bool,
    /// Whether a formula was shown, and no element has started since.
    after_formula: bool,
    /// The open verbatim element.
    verbatim: Option<Verbatim>,
    title: Option<String>,
    in_title: bool,
    refresh: Option<String>,
}

#[derive(Debug)]
struct List {
    /// The next item's number.
    number: Option<u64>,
    /// The writer's depth before the list.
    depth: usize,
}

#[derive(Debug)]
struct Verbatim {
    is_block: bool,
    language: String,
    text: String,
}

impl Converter {
    /// Creates a converter for a page with these [`kinds`](super::table::kinds) of tables.
    pub(super) fn new(
        kinds: Vec<bool>,
        base: &Url,
        format: Format,
        limit: usize,
        deadline: Deadline,
    ) -> Self {
        let mut base = base.clone();
        // No link needs the base's query and fragment, and they may be long.
        base.set_query(None);
        base.set_fragment(None);
        Self {
            base,
            has_base: false,
            markdown: format == Format::Markdown,
            deadline,
            out: Writer::new(limit),
            inlines: Vec::new(),
            lists: Vec::new(),
            hidden_lists: 0,
            hidden_tables: 0,
            tables: Vec::new(),
            kinds: kinds.into_iter(),
            skipped: None,
            formula: None,
            in_tex: false,
            after_formula: false,
            verbatim: None,
            title: None,
            in_title: false,
            refresh: None,
        }
    }

    /// Converts the page; returns `None` if the deadline is over before its end.
    pub(super) fn run(mut self, page: &str) -> Option<Converted> {
        for token in tokens(page) {
            if self.deadline.is_over() {
                return None;
            }
            match token {
                Token::Start(tag) => self.start(&tag),
                Token::End(name) => self.end(&name),
                Token::Text(text) => self.text(&text),
                Token::Other => {}
            }
            if self.out.is_full() {
                break;
            }
        }
        self.end_skipped();
        self.end_verbatim();
        self.close_above(0);
        let title = self.title.map(|title| inline::fold(&title)).filter(|title| !title.is_empty());
        let cut = self.out.is_full();
        Some(Converted { text: self.out.finish(), title, refresh: self.refresh, cut })
    }

    fn text(&mut self, text: &str) {
        if self.in_title {
            self.title.get_or_insert_default().extend(text.chars().take(MAX_TITLE));
        } else if self.skipped.is_some() {
            if let Some(tex) = self.formula.as_mut().filter(|_| self.in_tex) {
                tex.push_str(text);
            }
        } else if let Some(verbatim) = &mut self.verbatim {
            verbatim.text.push_str(text);
        } else {
            self.words(text);
        }
    }

    fn words(&mut self, text: &str) {
        for word in text.split_inclusive(|c: char| c.is_ascii_whitespace()) {
            if self.out.is_full() || self.deadline.is_over() {
                return;
            }
            let bare = word.trim_end_matches(|c: char| c.is_ascii_whitespace());
            if !bare.is_empty() {
                if self.markdown {
                    let escaped = inline::escape(bare, !self.out.in_line(), self.in_cell());
                    self.out.word(&escaped);
                } else {
                    self.out.word(bare);
                }
            }
            if bare.len() < word.len() {
                self.out.space();
            }
        }
    }

    fn start(&mut self, tag: &Tag) {
        let name: &[u8] = &tag.name;
        // Skipped tables have a kind too.
        let is_data = name == b"table" && self.kinds.next().unwrap_or(false);
        let after_formula = std::mem::take(&mut self.after_formula);
        // As in browsers, a block ends a formula that is not closed.
        if self.formula.is_some() && (PARAGRAPHS.contains(&name) || BLOCKS.contains(&name)) {
            self.end_skipped();
        }
        if let Some((skipped, depth)) = &mut self.skipped {
            *depth += usize::from(skipped.as_slice() == name && !tag.self_closing);
            let is_tex = tag.attribute("encoding") == Some("application/x-tex");
            self.in_tex = is_tex && self.formula.as_deref().is_some_and(str::is_empty);
            return;
        }
        // KaTeX adds the glyphs of a formula to its MathML.
        let repeats =
            after_formula && tag.attribute("class").is_some_and(|class| class.contains("katex-html"));
        if (repeats || SKIPPED.contains(&name)) && !tag.self_closing {
            if name == b"math" {
                self.formula = Some(tag.attribute("alttext").unwrap_or_default().to_owned());
            }
            self.skipped = Some((name.to_vec(), 1));
            return;
        }
        match name {
            b"title" => self.in_title = self.title.is_none() && !tag.self_closing,
            b"base" => self.rebase(tag),
            b"meta" => self.redirect(tag),
            b"br" => self.line_break(),
            b"hr" => self.rule(),
            b"img" => self.picture(tag),
            b"pre" => self.start_pre(tag),
            b"code" | b"kbd" | b"samp" | b"tt" => self.start_code(tag),
            b"a" => self.start_link(tag),
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => self.start_heading(usize::from(name[1] - b'0')),
            b"ul" | b"ol" | b"menu" => self.start_list(tag),
            b"li" => self.start_item(tag),
            b"blockquote" => self.start_quote(),
            b"table" => self.start_table(is_data),
            b"tbody" | b"tfoot" | b"thead" => self.end_rows(),
            b"tr" => self.start_row(),
            b"td" | b"th" => self.start_cell(tag),
            _ if PARAGRAPHS.contains(&name) => self.block(2),
            _ if BLOCKS.contains(&name) => self.block(1),
            _ => self.start_marks(name),
        }
    }

    fn end(&mut self, name: &[u8]) {
        if let Some((skipped, depth)) = &mut self.skipped {
            *depth -= usize::from(skipped.as_slice() == name);
            self.in_tex = false;
            if *depth == 0 {
                self.end_skipped();
            }
            return;
        }
        match name {
            b"title" => self.in_title = false,
            b"pre" | b"code" | b"kbd" | b"samp" | b"tt" => {
                let ends_block = name == b"pre";
                if self.verbatim.as_ref().is_some_and(|open| open.is_block == ends_block) {
                    self.end_verbatim();
                }
            }
            b"a" => self.close(Kind::Link),
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => {
                self.out.heading(0);
                self.block(2);
            }
            b"ul" | b"ol" | b"menu" => self.end_list(),
            b"li" => self.end_item(),
            b"blockquote" => self.end_quote(),
            b"table" => self.end_table(),
            b"tbody" | b"tfoot" | b"thead" => self.end_rows(),
            b"tr" => self.end_row(),
            _ if PARAGRAPHS.contains(&name) => self.block(2),
            _ if BLOCKS.contains(&name) => self.block(1),
            _ => {
                if let Some(inline) = Inline::marks(name, self.markdown) {
                    self.close(inline.kind);
                }
            }
        }
    }

    /// Ends the skipped element, if any. Of a formula only the TeX is shown: its glyphs alone would be another formula.
    fn end_skipped(&mut self) {
        (self.skipped, self.in_tex) = (None, false);
        if let Some(tex) = self.formula.take() {
            let tex = inline::fold(&tex);
            self.text(if tex.is_empty() { "(formula)" } else { &tex });
            self.after_formula = true;
        }
    }

    /// Adds a break for a tag: one newline in a block of code, and a space inside a cell or a link, which is one line.
    fn block(&mut self, newlines: usize) {
        if self.verbatim.as_ref().is_some_and(|open| !open.is_block) {
            self.end_verbatim();
        }
        if let Some(open) = &mut self.verbatim {
            if !open.text.is_empty() && !open.text.ends_with('\n') {
                open.text.push('\n');
            }
            return;
        }
        if self.in_cell() || self.in_link() {
            self.out.space();
            return;
        }
        self.close_above(0);
        self.out.break_line(newlines);
    }

    fn line_break(&mut self) {
        if let Some(verbatim) = &mut self.verbatim {
            verbatim.text.push('\n');
        } else if self.in_cell() {
            self.out.space();
        } else {
            self.out.break_line(1);
        }
    }

    fn rule(&mut self) {
        self.block(2);
        if self.markdown && !self.in_cell() && self.inlines.is_empty() {
            self.out.word("---");
            self.out.break_line(2);
        }
    }

    fn rebase(&mut self, tag: &Tag) {
        // As in browsers, only the first counts.
        let Some(href) = tag.attribute("href").filter(|_| !self.has_base) else { return };
        self.has_base = true;
        if let Some(base) = inline::join(&self.base, href.trim()).filter(|base| !base.cannot_be_a_base()) {
            self.base = base;
        }
    }

    fn redirect(&mut self, tag: &Tag) {
        let is_refresh = tag.attribute("http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("refresh"));
        if is_refresh && self.refresh.is_none() {
            let url = tag.attribute("content").and_then(inline::refresh);
            self.refresh = url.and_then(|url| inline::target(&self.base, url));
        }
    }

    /// Returns whether the text is in a link, which is one line.
    fn in_link(&self) -> bool {
        self.inlines.iter().any(|inline| inline.kind == Kind::Link)
    }

    /// Returns whether the text is in a cell, which is one line.
    fn in_cell(&self) -> bool {
        self.tables.last().is_some_and(|table| table.is_data && table.cells > 0)
    }
}

/// The maximum length of a title in characters, because every page of the text repeats it.
const MAX_TITLE: usize = 500;

/// Elements without text for a reader.
const SKIPPED: &[&[u8]] = &[
    b"audio",
    b"canvas",
    b"datalist",
    b"iframe",
    b"math",
    b"noembed",
    b"noframes",
    b"noscript",
    b"object",
    b"script",
    b"select",
    b"style",
    b"svg",
    b"template",
    b"textarea",
    b"video",
];

const PARAGRAPHS: &[&[u8]] = &[b"p", b"figure", b"dl", b"fieldset", b"details", b"section", b"article"];

const BLOCKS: &[&[u8]] = &[
    b"address",
    b"aside",
    b"body",
    b"caption",
    b"center",
    b"dd",
    b"div",
    b"dt",
    b"figcaption",
    b"footer",
    b"form",
    b"header",
    b"html",
    b"legend",
    b"main",
    b"nav",
    b"option",
    b"summary",
];
