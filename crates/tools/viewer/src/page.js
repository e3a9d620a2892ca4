'use strict';
// Search, filter and links; without it the page reads from top to bottom all the same.
(() => {
  const find = (id) => document.getElementById(id);
  const items = [...document.querySelectorAll('.it')];
  const kindOf = (item) => item.classList[1];
  const off = new Set();
  let shown = [];
  let at = -1;

  // What an item says itself, without what is nested in it.
  const says = (item, words) => [...item.children].some(
    (part) => !part.classList.contains('nest') && words.test(part.textContent));

  function filter() {
    const text = find('q').value.trim();
    const words = text && new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
    const keep = new Set();
    shown = items.filter((item) => !off.has(kindOf(item)) && (!words || says(item, words)));
    const hits = new Set(shown);
    for (const item of shown) {
      for (let up = item; up && !keep.has(up); up = up.parentElement.closest('.it')) keep.add(up);
    }
    for (const item of items) {
      item.hidden = !keep.has(item);
      item.classList.toggle('ctx', keep.has(item) && !hits.has(item));
    }
    for (const turn of document.querySelectorAll('.turn')) turn.hidden = !turn.querySelector('.it:not([hidden])');
    const all = shown.length === items.length;
    find('hits').textContent = all ? `${items.length} items` : `${shown.length} of ${items.length} items`;
    at = -1;
    paint(words);
  }

  // Marks the words in what is open to be read; frames are searched too, but not marked while they are closed.
  function paint(words) {
    if (!window.Highlight) return;
    CSS.highlights.delete('hit');
    if (!words) return;
    const ranges = [];
    const every = new RegExp(words.source, 'gi');
    for (const place of document.querySelectorAll('.it:not([hidden]) > .p .v, .it:not([hidden]) > details > summary *')) {
      for (const node of place.childNodes) {
        if (node.nodeType !== Node.TEXT_NODE) continue;
        for (const hit of node.data.matchAll(every)) {
          const range = new Range();
          range.setStart(node, hit.index);
          range.setEnd(node, hit.index + hit[0].length);
          if (ranges.push(range) >= 2000) { CSS.highlights.set('hit', new Highlight(...ranges)); return; }
        }
      }
    }
    CSS.highlights.set('hit', new Highlight(...ranges));
  }

  function step(by) {
    if (!shown.length) return;
    document.querySelector('.it.now')?.classList.remove('now');
    at = at < 0 ? (by > 0 ? 0 : shown.length - 1) : (at + by + shown.length) % shown.length;
    shown[at].classList.add('now');
    shown[at].scrollIntoView({ block: 'center' });
  }

  // A link to a line opens whatever the line is in, and takes a filter away that hides it.
  function open() {
    const line = /^#line-\d+$/.test(location.hash) && find(location.hash.slice(1));
    if (!line) return;
    if (line.closest('[hidden]')) reset();
    for (let up = line.parentElement; up; up = up.parentElement) if (up.tagName === 'DETAILS') up.open = true;
    line.scrollIntoView({ block: 'center' });
  }

  function reset() {
    find('q').value = '';
    off.clear();
    for (const button of document.querySelectorAll('.kinds button')) button.setAttribute('aria-pressed', 'true');
    filter();
  }

  // A long text is in its frame once; from there it is shown whole.
  function whole(link) {
    const frame = document.querySelector(link.getAttribute('href'));
    const raw = [...frame.querySelectorAll('pre')].map((piece) => piece.textContent).join('');
    // Numbers keep their digits. A browser without `JSON.rawJSON` would round them, and follows the link instead.
    const digits = (key, value, { source }) => typeof value === 'number' ? JSON.rawJSON(source) : value;
    let value;
    try { value = JSON.parse(raw, digits); } catch { return false; }
    for (const key of link.dataset.at.split('/').slice(1)) {
      value = value?.[key.replaceAll('~1', '/').replaceAll('~0', '~')];
    }
    if (value === undefined) return false;
    const text = link.parentElement.querySelector('.v');
    const all = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    // In pieces, so that a browser lays out only those that are in sight.
    text.textContent = '';
    for (const [words] of all.matchAll(/[^]{1,8000}(?:\s|$)|[^]{1,8000}/g)) {
      const piece = document.createElement('span');
      piece.textContent = words;
      text.append(piece);
    }
    text.classList.add('whole');
    text.tabIndex = 0;
    link.previousSibling.remove();
    link.remove();
    text.focus();
    return true;
  }

  const kinds = new Map();
  for (const item of items) kinds.set(kindOf(item), (kinds.get(kindOf(item)) ?? 0) + 1);
  for (const [kind, count] of kinds) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = `${kind} ${count}`;
    button.dataset.kind = kind;
    button.setAttribute('aria-pressed', 'true');
    document.querySelector('.kinds').append(button);
  }

  let waiting;
  find('q').addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
  document.addEventListener('click', (event) => {
    const kind = event.target.dataset?.kind;
    if (kind) {
      if (!off.delete(kind)) off.add(kind);
      event.target.setAttribute('aria-pressed', String(!off.has(kind)));
      filter();
    } else if (event.target.classList.contains('all') && whole(event.target)) {
      event.preventDefault();
    }
  });
  find('next').addEventListener('click', () => step(1));
  find('prev').addEventListener('click', () => step(-1));
  find('raw').addEventListener('click', (event) => {
    const open = event.target.getAttribute('aria-pressed') !== 'true';
    event.target.setAttribute('aria-pressed', String(open));
    for (const item of items) item.firstElementChild.open = open;
  });
  find('theme').addEventListener('click', () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
  });
  document.addEventListener('keydown', (event) => {
    const typing = event.target.id === 'q';
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/' && !typing) { event.preventDefault(); find('q').focus(); find('q').select(); }
    if (typing && event.key === 'Enter') { event.preventDefault(); step(event.shiftKey ? -1 : 1); }
    if (event.key === 'Escape') { event.preventDefault(); reset(); }
  });
  addEventListener('hashchange', open);
  document.querySelector('.bar').hidden = false;
  filter();
  open();
})();
