// Reads pages in headless Chromium as readers do: node view-browser.mjs PACKAGE CHROMIUM CASES
//
// PACKAGE is the folder of playwright-core, and CASES a JSON file as xtask/src/view_browser.rs writes it.
// Prints {"checks": N, "faults": […]}.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [playwright, executablePath, file] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
const { cases, folder, screenshots } = JSON.parse(readFileSync(file, 'utf8'));
const checks = readFileSync(new URL('view-checks.js', import.meta.url), 'utf8');
const readers = [
  { name: 'wide', width: 1200 },
  { name: 'dark', width: 1200, colorScheme: 'dark' },
  { name: 'narrow', width: 360 },
  { name: 'without scripts', width: 800, scripts: false },
];
// No page may be read for longer.
const timeout = 60_000;
let count = 0;
const faults = [];

// Opens the page, runs `use` on it, and returns its result with the faults that the browser reports.
async function withPage(path, { width, colorScheme = 'light', scripts = true }, use) {
  const context = await browser.newContext({
    viewport: { width, height: 900 }, isMobile: width < 500, colorScheme, javaScriptEnabled: scripts,
  });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(timeout);
    const url = pathToFileURL(path).href;
    const reported = [];
    page.on('pageerror', (error) => reported.push(`threw ${error}`));
    page.on('console', (message) => reported.push(`logged ${message.text()}`));
    page.on('request', (request) => {
      if (request.url().split('#')[0] !== url) reported.push(`requested ${request.url()}`);
    });
    await page.goto(url, { waitUntil: 'load', timeout });
    return { result: await use(page), reported };
  } finally {
    await context.close();
  }
}

async function read(one, reader) {
  const { result, reported } = await withPage(one.file, reader, async (page) => {
    if (screenshots) await page.screenshot({ path: join(screenshots, `${one.name}, ${reader.name}.png`) });
    const facts = { word: one.word, long: one.long, scripts: reader.scripts !== false, narrow: reader.width < 500 };
    return page.evaluate(`(${checks})(${JSON.stringify(facts)})`);
  });
  count += result.checks;
  if (!(result.checks > 0)) faults.push(`${one.name}, ${reader.name}: nothing was checked`);
  faults.push(...[...result.faults, ...reported].map((fault) => `${one.name}, ${reader.name}: ${fault}`));
}

// Shows that a foreign script and a request would be found: with the policy the script must not run, without it must.
async function selfTest(one) {
  const evil = "<script>window.pwned=1</script><img src='http://127.0.0.1:9/x'>";
  const guarded = readFileSync(one.file, 'utf8').replace('<main>', `${evil}<main>`);
  for (const [policy, html] of [[true, guarded], [false, guarded.replace('Content-Security-Policy', 'X-Nothing')]]) {
    const path = join(folder, 'self-test.html');
    writeFileSync(path, html);
    const { result, reported } = await withPage(path, readers[0], (page) => page.evaluate('window.pwned === 1'));
    if (result === policy) faults.push(`self-test: the foreign script ran: ${result}, with a policy: ${policy}`);
    if (reported.length === 0) faults.push(`self-test: nothing was reported, with a policy: ${policy}`);
  }
}

// Shows that `agentwire view --serve` loads a page again after a change, but not while its reader searches.
async function serve(one) {
  const frame = readFileSync(new URL('../../crates/cli/src/view/frame.html', import.meta.url), 'utf8');
  const bodies = { '/': frame.replace('VERSION', '"1"'), '/page': readFileSync(one.file, 'utf8'), '/version': '1' };
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(timeout);
    await page.route('http://served/**', (route) => {
      route.fulfill({ contentType: 'text/html', body: bodies[new URL(route.request().url()).pathname] });
    });
    await page.goto('http://served/');
    const search = page.frameLocator('iframe').locator('#q');
    await search.fill(one.word);
    const isLoaded = page.waitForRequest('**/page').then(() => true, () => false);
    bodies['/version'] = '2';
    // The document around the page asks for the version each second.
    for (let polls = 0; polls < 2; polls += 1) await page.waitForResponse('**/version');
    count += 2;
    if (await search.inputValue() !== one.word) faults.push('served page: the text of a search is lost');
    await search.press('Escape');
    if (!await isLoaded) faults.push('served page: it is not loaded again after a search');
  } finally {
    await context.close();
  }
}

if (screenshots) mkdirSync(screenshots, { recursive: true });
const args = ['--disable-gpu', '--disable-dev-shm-usage', '--host-resolver-rules=MAP * ~NOTFOUND'];
const browser = await chromium.launch({ executablePath, args, chromiumSandbox: process.getuid() !== 0, timeout });
try {
  for (const one of cases) {
    // A long page takes a browser seconds to load, and is the same page for every reader.
    for (const reader of one.long ? readers.slice(0, 1) : readers) await read(one, reader);
  }
  await serve(cases[0]);
  await selfTest(cases[0]);
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify({ checks: count, faults }));
