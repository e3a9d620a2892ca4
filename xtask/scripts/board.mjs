// Uses the page of sessions in headless Chromium as a person does: node board.mjs PACKAGE CHROMIUM CASE
//
// PACKAGE is the folder of playwright-core, and CASE a JSON file as xtask/src/board.rs writes it.
// Prints {"checks": N, "faults": […]}.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [playwright, executablePath, file] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
const { url, workspaces, screenshots } = JSON.parse(readFileSync(file, 'utf8'));
// The start of the CLI on a busy machine takes seconds.
const timeout = 60_000;
const viewport = { width: 1100, height: 800 };
let checks = 0;
const faults = [];

function check(what, holds) {
  checks += 1;
  if (!holds) faults.push(what);
}

// Opens a page. The pages of a context share their connections to the server.
async function newPage(context) {
  const page = await context.newPage();
  page.setDefaultTimeout(timeout);
  page.on('pageerror', (error) => faults.push(`the page threw ${error}`));
  page.on('console', (message) => {
    // Chromium logs the responses that this script makes up.
    if (!message.text().includes('status of 503')) faults.push(`the page logged ${message.text()}`);
  });
  return page;
}

// Has the page believe that it is hidden, or that it is not: Playwright shows all tabs.
const hide = (page, isHidden) => page.evaluate((value) => {
  Object.defineProperty(document, 'hidden', { value, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}, isHidden);

const session = (page) => decodeURIComponent(new URL(page.url()).hash.slice(1));

// Returns the lines that the tool has written in the session's workspace.
function notes(page) {
  const path = join(workspaces, session(page), 'notes.txt');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}

async function picture(page, name) {
  if (screenshots) await page.screenshot({ path: join(screenshots, `board, ${name}.png`) });
}

// Sends a prompt, and waits until its tool asks.
async function ask(page, prompt, send = () => page.press('#prompt', 'Enter')) {
  await page.fill('#prompt', prompt);
  // The text is complete after 1.5 seconds.
  await page.evaluate(() => { window.lengths = new Set(); });
  const grown = page.waitForFunction(() => lengths.add(document.querySelector('.text.live')?.textContent.length).size > 2);
  await send();
  await grown;
  await picture(page, 'live');
  await page.waitForSelector('.question');
  check('the tool waits for the answer', notes(page).length === 0);
}

async function done(page) {
  await page.waitForFunction(() => [...document.querySelectorAll('.note')].some((note) => note.textContent.startsWith('Done')));
  await page.waitForFunction(() => document.querySelector('#questions').childElementCount === 0);
}

// Returns what the page shows of the turns.
const shown = (page) => page.evaluate(() => [...document.querySelectorAll('#turns > *')].map((node) => node.textContent));

// Clicks twice before the response to the first click.
async function sendTwice(page) {
  let [sent, release] = [0, null];
  const clicked = new Promise((resolve) => { release = resolve; });
  await page.route('**/prompts', async (route) => {
    sent += 1;
    await clicked;
    await route.continue();
  });
  await page.dblclick('form button');
  await page.locator('#prompt').press('Enter');
  release();
  await page.waitForResponse('**/prompts');
  check('a double click sends a prompt once', sent === 1);
  await page.unroute('**/prompts');
}

// Answers once in vain.
async function fail(page) {
  await page.route('**/answers', (route) => route.fulfill({ status: 503, body: 'no such worker' }), { times: 1 });
  await page.click('.question .deny');
  for (let polls = 0; polls < 2; polls += 1) await page.waitForResponse('**/sessions');
  check('the failure of an answer stays visible', (await page.textContent('#fault')) === 'no such worker');
}

// Gets no response to an answer, and waits for 3 seconds instead of 30.
async function expire(page) {
  await page.route('**/answers', () => {}, { times: 1 });
  await page.evaluate(() => {
    window.timer = setTimeout;
    window.setTimeout = (act, time) => window.timer(act, Math.min(time, 3000));
  });
  await page.click('.question .deny');
  // A list without a response shows the same text, so the text alone does not show that the answer has failed.
  await page.waitForSelector('.question .deny:disabled');
  await page.waitForSelector('.question .deny:enabled');
  await page.evaluate(() => { window.setTimeout = window.timer; });
}

// Opens as many tabs as a browser has connections to a server, and hides them.
async function openTabs(page) {
  const tabs = [];
  for (let count = 0; count < 6; count += 1) {
    const tab = await newPage(page.context());
    await tab.goto(page.url());
    await tab.waitForSelector('.question');
    await hide(tab, true);
    tabs.push(tab);
  }
  return tabs;
}

// Breaks the stream of events once, by this response.
async function reconnect(page, count, response) {
  await page.route('**/events', (route) => route.fulfill(response), { times: 1 });
  await page.reload();
  await page.waitForFunction(() => document.querySelector('#fault').textContent !== '');
  await page.waitForFunction((count) => document.querySelector('#turns').childElementCount >= count, count);
  check('the fault of a stream goes with it', (await page.textContent('#fault')) === '');
}

// Reads old text while new text comes.
async function scroll(page) {
  const viewport = page.viewportSize();
  await page.setViewportSize({ ...viewport, height: 260 });
  const [hidden, top] = await page.evaluate(() => {
    turns.scrollTop = 0;
    arrived.push(() => grow({ delta: { type: 'text_delta', text: 'More.' } }));
    change(showArrived);
    const { scrollHeight, clientHeight, scrollTop } = turns;
    endLive();
    return [scrollHeight - clientHeight, scrollTop];
  });
  check('the turns are higher than the screen', hidden > 80);
  check('a reader who has scrolled up stays there', top === 0);
  await page.setViewportSize(viewport);
}

async function allowed(page) {
  const prompt = 'Add a note. <img src=x onerror="window.pwned=1">';
  await ask(page, prompt);
  await picture(page, 'question');
  const tabs = await openTabs(page);
  // Both clicks of a double click count once.
  await page.dblclick('.question .allow');
  await done(page);
  await picture(page, 'done');
  check('an allowed tool runs once', notes(page).length === 1);
  const before = await shown(page);
  await hide(tabs[0], false);
  await done(tabs[0]);
  check('a tab that was hidden shows each message once', JSON.stringify(await shown(tabs[0])) === JSON.stringify(before));
  for (const tab of tabs) await tab.close();
  check('the prompt is shown as text', before.filter((text) => text === prompt).length === 1);
  check('the tool is shown once, with its result', before.filter((text) => text.includes(notes(page)[0])).length === 1);
  const value = { command: 'ls', description: 'Lists files', sandbox: false };
  const [bash, other] = await page.evaluate((value) => [input('Bash', value), input('mcp__s__t', value)], value);
  check('all of an input that has an effect is shown', bash === 'ls\n{\n  "sandbox": false\n}' && other.includes('Lists'));
  const disguised = await page.evaluate(() => input('Bash', { command: 'a\u202e\u200bb\r\n\tc' }));
  check('invisible characters of an input are shown', disguised === 'a\\u{202e}\\u{200b}b\\u{d}\n\tc');
  const selected = await page.evaluate(() => visible('\u{e0100}\u{fe01}\ufe0f'));
  check('variation selectors are shown', selected === '\\u{e0100}\\u{fe01}\ufe0f');
  check('markup of a prompt is not run', await page.evaluate(() => window.pwned === undefined));
  await page.reload();
  await page.waitForFunction((count) => document.querySelector('#turns').childElementCount >= count, before.length);
  check('a reload shows each message once and in order', JSON.stringify(await shown(page)) === JSON.stringify(before));
}

async function denied(page) {
  await page.click('#new');
  await ask(page, 'Add another note.', () => sendTwice(page));
  await fail(page);
  await expire(page);
  await page.click('.question .deny');
  await done(page);
  check('a denied tool does not run', notes(page).length === 0);
  check('an answer in time clears the failure before', (await page.textContent('#fault')) === '');
  check('both sessions are listed', (await page.locator('#sessions button').count()) === 2);
  const count = (await shown(page)).length;
  await reconnect(page, count, { status: 503, body: '' });
  const failed = 'retry: 1000\nevent: failed\ndata: the log is gone\n\n';
  await reconnect(page, count, { contentType: 'text/event-stream', body: failed });
  await scroll(page);
}

async function narrow(browser, hash) {
  const page = await newPage(await browser.newContext({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' }));
  await page.goto(url + hash);
  await page.waitForSelector('.tool .result');
  await picture(page, 'narrow, dark');
  check('nothing is wider than a narrow screen', await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
}

// Reads a session that this script makes up: it is long, and asks about a tool with a long input.
async function long(browser) {
  const page = await newPage(await browser.newContext({ viewport }));
  const input = `{"account":9007199254740993,"amount":1.10,"lines":[${Array(60).fill('"a"')}]}`;
  const tool = `{"type":"tool_use","id":"t","name":"mcp__s__t","input":${input}}`;
  const blocks = [...Array(5000).keys()].map((line) => `{"type":"text","text":"line ${line}"}`).concat(tool);
  const events = blocks.map((block, at) => `event: message\nid: 1-${at + 1}\n`
    + `data: {"type":"assistant","message":{"content":[${block}]}}\n\n`);
  const asked = [...Array(400).keys()].map((at) => `event: question\nid: 2-${at + 1}\ndata: {}\n\n`);
  // A log that has deleted events begins with a gap.
  const body = ['event: gap\ndata: {}\n\n', ...events, ...asked].join('');
  await page.route('**/events', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
  let [phase, lists] = ['Running', 0];
  await page.route('**/sessions', (route) => {
    lists += 1;
    const questions = `[{"id":"q","tool":"mcp__s__t","input":${input}}]`;
    const body = `[{"name":"me/1","phase":"Asking","questions":${questions}},{"name":"me/2","phase":"${phase}","questions":[]}]`;
    return route.fulfill({ contentType: 'application/json', body });
  });
  const began = performance.now();
  await page.goto(`${url}#me%2F1`);
  await page.waitForSelector('#turns .tool');
  const took = performance.now() - began;
  check(`a long session is shown after ${Math.round(took)} ms`, took < 10_000);
  await page.waitForSelector('.question');
  const left = await page.evaluate(() => turns.scrollHeight - turns.scrollTop - turns.clientHeight);
  check(`a long session is shown at its end, above a question: ${left} pixels are left`, left < 80);
  check(`old questions request the list together: ${lists} requests`, lists < 100);
  for (const place of ['.tool', '.question']) {
    const text = await page.textContent(`${place} pre`);
    check(`the digits of an input are shown in ${place}`, text.includes('9007199254740993') && text.includes('1.10'));
  }
  await stay(page, (next) => { phase = next; });
  await again(page);
}

// Reads a question, and clicks on another session, while that session changes.
async function stay(page, set) {
  const changed = async (phase) => {
    set(phase);
    await page.waitForFunction((phase) => document.querySelector('#sessions li:last-child').textContent.includes(phase), phase);
  };
  const place = () => page.evaluate(() => [document.querySelector('.question pre').scrollTop, document.activeElement.className]);
  await page.evaluate(() => { document.querySelector('.question pre').scrollTop = 100; });
  await page.focus('.question .deny');
  await changed('Parked');
  check('a question keeps its place while another session changes', (await place()).join() === '100,deny');
  await page.hover('#sessions li:last-child button');
  await page.mouse.down();
  await changed('Idle');
  await page.mouse.up();
  check('a click on a session counts while the session changes', (await page.evaluate(() => location.hash)) === '#me%2F2');
}

// Comes back to a session that was hidden, in the middle of its turns.
async function again(page) {
  await page.waitForSelector('#turns .tool');
  const place = () => page.evaluate(() => [turns.scrollTop, turns.childElementCount, turns.lastElementChild.className]);
  await page.evaluate(() => { turns.scrollTop = 1000; });
  await hide(page, true);
  const response = page.waitForResponse('**/events');
  await hide(page, false);
  await (await response).finished();
  await page.evaluate(() => new Promise((shown) => { requestAnimationFrame(() => requestAnimationFrame(shown)); }));
  check('a session that was hidden keeps its place', (await place()).join() === '1000,2000,tool');
}

if (screenshots) mkdirSync(screenshots, { recursive: true });
const args = ['--disable-gpu', '--disable-dev-shm-usage', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
const browser = await chromium.launch({ executablePath, args, chromiumSandbox: process.getuid() !== 0, timeout });
try {
  const page = await newPage(await browser.newContext({ viewport }));
  await page.goto(url);
  await allowed(page);
  const { hash } = new URL(page.url());
  await denied(page);
  await narrow(browser, hash);
  await long(browser);
} catch (error) {
  faults.push(String(error));
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify({ checks, faults }));
