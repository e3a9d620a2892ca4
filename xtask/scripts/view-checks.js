// Runs in the page: acts as a reader does, and returns what is wrong.
async (facts) => {
  const faults = [];
  let checks = 0;
  const check = (what, good) => { checks += 1; if (!good) faults.push(what); };
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const seen = (element) => element.checkVisibility();
  const until = async (good) => {
    const end = performance.now() + 10000;
    while (!good() && performance.now() < end) await new Promise((done) => setTimeout(done, 20));
    return good();
  };
  const items = all('.it');
  const shown = () => items.filter((item) => !item.hidden && !item.classList.contains('ctx'));

  check('a script of the transcript ran', window.pwned === undefined);
  check('items', items.length > 3 && items.every((item) => item.querySelector('.f') || item.querySelector('.hint')));
  check('nothing foreign is in the page', !one('img, iframe, link, base, form, object, embed, script[src]'));
  check('landmarks', one('header') && one('main') && one('h1') && all('h1').length === 1);
  const levels = all('h1, h2, h3, h4, h5, h6').map((heading) => Number(heading.tagName[1]));
  check('headings in order', levels.every((level, at) => level <= (levels[at - 1] ?? 0) + 1));
  check(`no wider than the screen: ${document.documentElement.scrollWidth}`,
    document.documentElement.scrollWidth <= document.documentElement.clientWidth);
  check('ids are there once', new Set(all('[id]').map((it) => it.id)).size === all('[id]').length);
  check('links lead somewhere', all('a[href]').slice(0, 3000).every((link) => document.getElementById(link.getAttribute('href').slice(1))));
  check('a language and a title', document.documentElement.lang === 'en' && document.title !== '');

  // Contrast of what is drawn, as WCAG counts it.
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const light = (colour) => {
    const [r, g, b] = [...rgba(colour)].slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let up = element; up; up = up.parentElement) {
      const colour = getComputedStyle(up).backgroundColor;
      if (rgba(colour)[3] > 0) return colour;
    }
    return 'white';
  };
  const contrast = (element) => {
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const poor = () => {
    const [kinds, tried] = [new Map(), new Map()];
    // The first of each kind will do; to ask whether one is seen has the browser lay it out.
    for (const element of all('h1, h2, h3, small, .hint, dt, dd, th, td, .k, .o, .n, .l, .badge, .v, .t, pre, a, button, output, .totals li')) {
      const name = `${element.tagName}.${element.className} in ${element.closest('.it')?.className ?? 'the page'}`;
      const tries = tried.get(name) ?? 0;
      tried.set(name, tries + 1);
      if (kinds.has(name) || tries > 2 || !seen(element) || element.textContent.trim() === '') continue;
      kinds.set(name, contrast(element));
    }
    return [...kinds].filter(([, ratio]) => ratio < 4.5).map(([name, ratio]) => `${name} ${ratio.toFixed(2)}`);
  };
  check(`contrast: ${poor().join('; ')}`, poor().length === 0);

  const first = items.find((item) => item.querySelector(':scope > details > .f'));
  const details = first.querySelector('details');
  check('frames are closed at first', !seen(first.querySelector('.f')));

  if (!facts.scripts) {
    check('the tools that need scripts are hidden', !seen(one('.bar')));
    check('everything is shown', items.every((item) => !item.hidden));
    details.open = true;
    check('a frame opens', seen(first.querySelector('.f pre')));
    check('the timeline is drawn', all('svg rect').length > 0);
    return { checks, faults };
  }

  check('the tools are there', seen(one('.bar')) && all('.kinds button').length > 2);
  check('everything is counted', one('#hits').textContent === `${items.length} items`);
  check('buttons and the field have names', all('button').every((it) => it.textContent.trim()) && one('#q').labels.length === 1);

  details.querySelector('summary').click();
  check('a frame opens', seen(first.querySelector('.f pre')));
  details.querySelector('summary').click();
  one('#raw').click();
  check('all frames open', items.every((item) => item.firstElementChild.open));
  one('#raw').click();

  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true }));
  check('a slash leads to the search', document.activeElement === one('#q'));
  const began = performance.now();
  one('#q').value = facts.word;
  one('#q').dispatchEvent(new InputEvent('input', { bubbles: true }));
  await until(() => one('#hits').textContent.includes(' of '));
  const took = performance.now() - began;
  const found = shown();
  check(`a search takes ${Math.round(took)} ms`, took < 5000);
  check(`a search finds some and not all: ${found.length} of ${items.length}`, found.length > 0 && found.length < items.length);
  check('what is found has the word', found.every((item) => item.textContent.toLowerCase().includes(facts.word)));
  check('the count is told', one('#hits').textContent === `${found.length} of ${items.length} items`);
  check('hits are marked', CSS.highlights.has('hit'));
  one('#next').click();
  check('the next hit is marked', all('.it.now').length === 1 && found.includes(one('.it.now')));

  // The link leads to a line that the search has hidden.
  const hidden = items.find((item) => item.hidden && item.querySelector('.f'));
  const line = hidden.querySelector('.f').id;
  location.hash = `#${line}`;
  check('a link shows a line that was hidden', await until(() => seen(document.getElementById(line).querySelector('pre'))));
  check('and ends the search', one('#q').value === '' && shown().length === items.length);

  const kind = one('.kinds button');
  kind.click();
  check('a kind can be left out', kind.getAttribute('aria-pressed') === 'false'
    && shown().every((item) => !item.classList.contains(kind.dataset.kind)) && shown().length < items.length);
  kind.click();
  check('and be shown again', shown().length === items.length);
  kind.click();
  kind.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
  check('Escape shows everything again', shown().length === items.length);

  // Numbers that JavaScript rounds.
  const ids = all('a.all').find((link) => link.parentElement.textContent.includes('9007199254740993'));
  check('the long page has numbers that JavaScript rounds', ids || !facts.long);
  if (ids) {
    const value = ids.parentElement.querySelector('.v');
    ids.click();
    check('the digits of numbers are shown', !ids.isConnected && /9007199254740993[^]*9007199254741231/.test(value.textContent));
  }

  const cut = all('a.all').at(-1);
  if (cut) {
    const bytes = Number(cut.textContent.replace(/\D/g, ''));
    const value = cut.parentElement.querySelector('.v');
    cut.click();
    const text = value.textContent;
    check(`a long text is shown whole: ${text.length} of ${bytes}`, !cut.isConnected && text.length >= bytes / 4 && text.length > 1500);
  }

  const before = getComputedStyle(document.body).backgroundColor;
  one('#theme').click();
  check('the other theme', getComputedStyle(document.body).backgroundColor !== before);
  check(`contrast of the other theme: ${poor().join('; ')}`, poor().length === 0);
  check('a script of the transcript ran later', window.pwned === undefined);
  return { checks, faults };
}
