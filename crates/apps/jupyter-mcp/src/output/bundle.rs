//! Selects the most useful form of a value.

use jupyter_protocol::{Media, MediaType};

use super::{plain, table};

/// A piece of content.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    /// An image as the kernel's base64.
    Image {
        mime: String,
        data: String,
    },
}

impl Part {
    /// Returns its share of the limit on text.
    pub(super) fn chars(&self) -> usize {
        match self {
            Self::Text(text) => text.chars().count(),
            Self::Image { .. } => 0,
        }
    }

    /// Returns its share of the limit on images, if it is one.
    pub(super) fn image_bytes(&self) -> Option<usize> {
        match self {
            Self::Text(_) => None,
            Self::Image { data, .. } => Some(data.len()),
        }
    }
}

/// Returns the shown parts of a value: its shortest image, or else its best text.
pub(super) fn parts(media: &Media) -> Vec<Part> {
    // The images of a value are alternatives: PIL gives PNG and JPEG. Only the shorter may fit the limit: the JPEG of a
    // photo, the PNG of a diagram. Their order is lost.
    let of_kind = |kind: &'static str| media.content.iter().filter(move |form| form.mime_type() == kind);
    let best = IMAGES.into_iter().flat_map(of_kind).filter_map(image).min_by_key(Part::image_bytes);
    best.or_else(|| text(&Forms::of(media)).map(Part::Text)).into_iter().collect()
}

fn image(media: &MediaType) -> Option<Part> {
    let data = match media {
        MediaType::Png(data) | MediaType::Jpeg(data) | MediaType::Gif(data) => data.as_str(),
        MediaType::Other((mime, data)) if mime == "image/webp" => data.as_str()?,
        _ => return None,
    };
    // Some kernels wrap base64.
    let data: String = data.split_ascii_whitespace().collect();
    // A client rejects a whole result with other text.
    is_base64(&data).then(|| Part::Image { mime: media.mime_type().to_owned(), data })
}

fn is_base64(data: &str) -> bool {
    let digits = data.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !digits.is_empty()
        && data.len().is_multiple_of(4)
        && data.len() - digits.len() <= 2
        && digits.bytes().all(is_digit)
}

/// The text forms of a value.
#[derive(Debug, Default)]
struct Forms<'a> {
    plain: Option<&'a str>,
    markdown: Option<&'a str>,
    html: Option<&'a str>,
    latex: Option<&'a str>,
    svg: Option<&'a str>,
    json: Option<String>,
    others: Vec<&'a str>,
}

impl<'a> Forms<'a> {
    fn of(media: &'a Media) -> Self {
        let mut forms = Self::default();
        for form in &media.content {
            match form {
                MediaType::Plain(text) => forms.plain = Some(text),
                MediaType::Markdown(text) => forms.markdown = Some(text),
                MediaType::Html(text) => forms.html = Some(text),
                MediaType::Latex(text) => forms.latex = Some(text),
                MediaType::Svg(text) => forms.svg = Some(text),
                MediaType::Json(value) => forms.json = serde_json::to_string_pretty(value).ok(),
                other => forms.others.push(other.mime_type()),
            }
        }
        forms.others.sort_unstable();
        forms
    }
}

/// Returns the plain text, or a more informative form.
fn text(forms: &Forms<'_>) -> Option<String> {
    // R writes `&lt;` for `<` in the Markdown form of a string, so an informative plain form wins.
    let informative = filled(forms.plain).filter(|plain| !only_names(plain));
    if let Some(markdown) = filled(forms.markdown).filter(|_| informative.is_none()) {
        return Some(markdown.to_owned());
    }
    // The plain form of a table omits columns and wraps lines. HTML with form fields is more than a table: scikit-learn
    // gives the documentation of all parameters of a model.
    let is_table = |html: &str| html.contains("<table") && !html.contains("<input");
    if let Some(read) = forms.html.filter(|html| informative.is_none() || is_table(html)).map(table::read)
        && !read.is_empty()
    {
        return Some(read);
    }
    if informative.is_none() {
        for other in [forms.latex, forms.json.as_deref(), forms.svg] {
            if let Some(text) = filled(other) {
                return Some(text.to_owned());
            }
        }
    }
    let plain = filled(forms.plain).map(plain);
    plain.or_else(|| {
        (!forms.others.is_empty()).then(|| format!("[Output of type {}]", forms.others.join(", ")))
    })
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

/// Returns whether a plain form only names a type: `<IPython.core.display.HTML object>`.
fn only_names(plain: &str) -> bool {
    let plain = plain.trim();
    plain.starts_with('<') && plain.ends_with('>') && !plain.contains('\n')
}

/// The types of images that clients show; of images of the same length, the first is shown.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];

#[cfg(test)]
mod tests {
    use jupyter_protocol::Media;
    use serde_json::json;

    use super::{Part, parts};

    fn shown(bundle: serde_json::Value) -> Vec<Part> {
        let media: Media = serde_json::from_value(bundle).unwrap();
        parts(&media)
    }

    fn text(bundle: serde_json::Value) -> String {
        match shown(bundle).pop() {
            Some(Part::Text(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn pictures_are_pictures() {
        let figure =
            json!({ "text/plain": "<Figure size 640x480 with 1 Axes>", "image/png": "iVBO\nRw==\n" });
        assert_eq!(shown(figure), [Part::Image { mime: "image/png".into(), data: "iVBORw==".into() }]);
        let jpeg = json!({ "image/jpeg": "/9j/", "text/html": "<img>" });
        assert_eq!(shown(jpeg), [Part::Image { mime: "image/jpeg".into(), data: "/9j/".into() }]);
        // In an order that differs.
        for _ in 0..20 {
            for (png, jpeg, shortest) in
                [("iVBORw==", "/9j/", "jpeg"), ("AAAA", "/9j/AAAA", "png"), ("AAAA", "/9j/", "png")]
            {
                let both = json!({ "text/plain": "<PIL.Image.Image>", "image/jpeg": jpeg, "image/png": png });
                let data = if shortest == "png" { png } else { jpeg }.to_owned();
                assert_eq!(shown(both), [Part::Image { mime: format!("image/{shortest}"), data }]);
            }
        }
        let broken = json!({ "image/jpeg": "/9j/", "image/png": "iVB" });
        assert_eq!(shown(broken), [Part::Image { mime: "image/jpeg".into(), data: "/9j/".into() }]);
        for no_base64 in ["not base64 !!", "data:image/png;base64,iVBORw==", "iVB", "===="] {
            let bundle = json!({ "text/plain": "a figure", "image/png": no_base64 });
            assert_eq!(shown(bundle), [Part::Text("a figure".into())], "{no_base64}");
        }
    }

    #[test]
    fn the_most_informative_form_is_shown() {
        let object = "<IPython.core.display.X object>";
        assert_eq!(text(json!({ "text/plain": "2" })), "2");
        assert_eq!(text(json!({ "text/plain": "x", "text/html": "<b>y</b>" })), "x");
        assert_eq!(text(json!({ "text/plain": object, "text/html": "<b>y</b><p>z" })), "y\nz");
        assert_eq!(text(json!({ "text/plain": object, "text/markdown": "# m" })), "# m");
        let string =
            json!({ "text/plain": "[1] \"a<b\"", "text/markdown": "'a&lt;b'", "text/html": "'a&lt;b'" });
        assert_eq!(text(string), "[1] \"a<b\"");
        assert_eq!(text(json!({ "text/plain": object, "text/latex": "$x$" })), "$x$");
        assert_eq!(text(json!({ "text/plain": "x**2", "text/latex": "$x^2$" })), "x**2");
        assert_eq!(text(json!({ "text/plain": object, "image/svg+xml": "<svg/>" })), "<svg/>");
        assert_eq!(text(json!({ "text/plain": object, "application/json": {"a": 1} })), "{\n  \"a\": 1\n}");
        assert_eq!(text(json!({ "text/plain": object })), object);
        let player = "<audio controls><source src='data:,'/>Your browser does not support it.</audio>";
        assert_eq!(text(json!({ "text/plain": object, "text/html": player })), object);
        assert_eq!(
            text(json!({ "text/html": "<script>x()</script>", "application/vnd.x": {}, "a/b": 1 })),
            "[Output of type a/b, application/vnd.x]"
        );
        let model = "<input type=checkbox><table><tr><td>penalty<td>a long text</table>";
        assert_eq!(text(json!({ "text/plain": "M()", "text/html": model })), "M()");
        assert!(text(json!({ "text/plain": object, "text/html": model })).contains("penalty"));
        assert_eq!(text(json!({ "text/plain": "\u{1b}[31mred" })), "red");
        assert_eq!(shown(json!({})), []);
    }

    #[test]
    fn preformatted_text_keeps_its_lines() {
        let html = "<pre style='x'>\n  a  <b>b</b>\n    c\n\nd\n</pre><p>e\nf</p><pre> </pre>\
                    <table><tr><td><pre>1\n2</pre></td></tr></table>";
        assert_eq!(text(json!({ "text/html": html })), "  a  b\n    c\n\nd\ne f\n| 1 2 |\n|---|");
        let html = "<pre>a<br><br>  b</pre><p>c<br><br>d</p>";
        assert_eq!(text(json!({ "text/html": html })), "a\n\n  b\nc\nd");
    }

    #[test]
    fn table_ends_the_preformatted_text_in_it() {
        let html = "<table><tr><td><pre>1</td></tr></table><p>a\n   b</p>";
        assert_eq!(text(json!({ "text/html": html })), "| 1 |\n|---|\n\na b");
        let html = "<pre>a\n  b<table><tr><td><pre>1</pre></td></tr></table>  c\n    d</pre>";
        assert_eq!(text(json!({ "text/html": html })), "a\n  b\n| 1 |\n|---|\n\n  c\n    d");
    }

    #[test]
    fn tables_are_markdown() {
        let html = "<div><style scoped>.x { }</style><table border=1><thead><tr><th></th><th>a|b</th></tr></thead>\
                    <tbody><tr><th>0</th><td>1\n2</td></tr></tbody></table><p>1 rows × 1 columns</p></div>";
        let bundle = json!({ "text/plain": "   a|b\n0  1 ...", "text/html": html });
        assert_eq!(text(bundle), "|  | a\\|b |\n|---|---|\n| 0 | 1 2 |\n\n1 rows × 1 columns");
    }

    #[test]
    fn cells_that_span_rows_and_columns_keep_their_table_aligned() {
        let html = "<table><tr><th rowspan=2 colspan=2>m</th><th>a</th><th rowspan=3>b</th></tr><tr><th>c</th></tr>\
                    <tr><th rowspan=2>x</th><th>1</th><td>10</td></tr><tr><th>2</th><td colspan=2>20</td></tr></table>";
        let table =
            "| m |  | a | b |\n|---|---|---|---|\n|  |  | c |  |\n| x | 1 | 10 |  |\n|  | 2 | 20 |  |";
        assert_eq!(text(json!({ "text/html": html })), table);
    }

    #[test]
    fn no_cell_spans_rows_of_two_groups() {
        let html = "<table><thead><tr><th rowspan=2>A</th><th>B</th></tr></thead>\
                    <tbody><tr><td>1</td><td>2</td></tr></tbody></table>";
        assert_eq!(text(json!({ "text/html": html })), "| A | B |\n|---|---|\n| 1 | 2 |");
    }

    #[test]
    fn huge_spans_take_no_memory() {
        for cells in ["<td rowspan=1000 colspan=1000>a", "<td colspan=998><td rowspan=1000>a"] {
            let html = format!("<table><tr>{cells}{}</table>", "<tr>".repeat(1_000)).repeat(100);
            assert!(text(json!({ "text/html": html })).len() < 10 << 20, "{cells}");
        }
    }
}
