// Drives an agent of the Agent Client Protocol with the official client: node acp.mjs PACKAGE CONFIG
//
// PACKAGE is the folder of the adapter on npm, beside which the client lies, and CONFIG a JSON file as xtask/src/acp.rs
// writes it. Prints {"agents": {NAME: {"cases": {…}, "ready_ms": N, "memory_kib": N}}, "faults": […]}.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const [adapter, file] = process.argv.slice(2);
const config = JSON.parse(readFileSync(file, 'utf8'));
const acp = await import(pathToFileURL(join(adapter, '../sdk/dist/v1/stable/acp.js')).href);
const { methods } = acp;
// No step may take longer.
const LIMIT = 60_000;
const faults = [];

const use = (name, input) => ({ blocks: [{ tool_use: { name, input } }] });
const say = (text) => ({ blocks: [{ text }] });
const text = (words) => [{ type: 'text', text: words }];

// Each case: the replies of the model, and what the client does. `client.ask(words)` sends a prompt.
const cases = {
  edits: {
    replies: (cwd) => [
      { blocks: [{ thinking: 'First a file.', signature: 's' }, { text: 'I write it.' },
        { tool_use: { name: 'Write', input: { file_path: `${cwd}/new.txt`, content: 'one\n' } } }] },
      use('Edit', { file_path: `${cwd}/new.txt`, old_string: 'one', new_string: 'two' }),
      use('Bash', { command: 'rm new.txt', description: 'Remove it' }),
      say('Done.'),
    ],
    answers: ['allow_once', 'allow_once', 'reject_once'],
    async run(client, expect) {
      const answer = await client.ask('Go.');
      expect(answer.stopReason === 'end_turn', `ended with ${answer.stopReason}`);
      expect(client.asked.length === 3, `${client.asked.length} permissions were asked for`);
      expect(readFileSync(join(client.cwd, 'new.txt'), 'utf8') === 'two\n', 'the file is wrong');
      const diffs = client.content().filter(({ type }) => type === 'diff');
      expect(diffs.some(({ oldText, newText }) => !oldText && newText.trim() === 'one'), 'no diff of the new file');
      expect(diffs.some(({ oldText, newText }) => oldText?.trim() === 'one' && newText.trim() === 'two'), 'no diff of the edit');
      expect(client.spoken() === 'I write it.Done.', `said ${JSON.stringify(client.spoken())}`);
      expect(client.thought() === 'First a file.', `thought ${JSON.stringify(client.thought())}`);
      expect(client.statuses().join() === 'completed,completed,failed', `statuses ${client.statuses()}`);
    },
    // A new process of the agent shows the conversation again.
    async then(client, expect, id) {
      const { sessions } = await client.request(methods.agent.session.list, { cwd: client.cwd });
      expect(sessions.some(({ sessionId }) => sessionId === id), 'the session is not in the list');
      await client.request(methods.agent.session.load, { sessionId: id, cwd: client.cwd, mcpServers: [] });
      expect(client.spoken() === 'I write it.Done.', `said again ${JSON.stringify(client.spoken())}`);
      expect(client.calls().length === 3, `${client.calls().length} calls again`);
      expect(client.prompts() === 'Go.', `prompts ${JSON.stringify(client.prompts())}`);
    },
  },
  plan: {
    replies: () => [use('ExitPlanMode', { plan: 'Walk.' }), say('I walk.')],
    answers: ['allow_once'],
    async run(client, expect) {
      await client.request(methods.agent.session.setMode, { sessionId: client.session, modeId: 'plan' });
      const answer = await client.ask('Plan.');
      expect(answer.stopReason === 'end_turn', `ended with ${answer.stopReason}`);
      expect(client.asked[0]?.toolCall.kind === 'switch_mode', 'the plan was not presented');
      expect(client.modes().at(-1) === 'default', `modes ${client.modes()}`);
    },
  },
  tasks: {
    replies: () => [
      use('TaskCreate', { subject: 'Think', description: 'Think about trees.' }),
      use('TaskUpdate', { taskId: '1', status: 'completed' }),
      say('Noted.'),
    ],
    env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: '1' },
    async run(client, expect) {
      await client.ask('Note something.');
      const plans = client.updates.filter(({ sessionUpdate }) => sessionUpdate === 'plan').map(({ entries }) => entries);
      expect(plans.at(-1)?.[0]?.status === 'completed', `plans ${JSON.stringify(plans)}`);
    },
  },
  cancel: {
    replies: () => [use('Bash', { command: 'touch started; sleep 60', description: 'Wait' }), say('Still here.')],
    answers: ['allow_once'],
    async run(client, expect) {
      const answer = client.ask('Wait.');
      await client.until(() => client.has('started'), 'the command did not start');
      await client.notify(methods.agent.session.cancel, { sessionId: client.session });
      expect((await answer).stopReason === 'cancelled', 'the turn was not cancelled');
      expect((await client.ask('Are you there?')).stopReason === 'end_turn', 'the session is gone');
    },
  },
  questioned: {
    replies: () => [use('Bash', { command: 'touch made', description: 'Make it' }), say('Not done.')],
    // The client leaves the request open, and cancels it with the turn.
    answers: ['cancel'],
    async run(client, expect) {
      const answer = client.ask('Make it.');
      await client.until(() => client.asked.length === 1, 'no permission was asked for');
      await client.notify(methods.agent.session.cancel, { sessionId: client.session });
      client.release();
      expect((await answer).stopReason === 'cancelled', 'the turn was not cancelled');
      expect(!client.has('made'), 'the command ran without a permission');
    },
  },
  steered: {
    replies: () => [
      { ...use('Bash', { command: 'true', description: 'Do nothing' }), hold_before: 'go' }, say('Both done.'), say('Later.'),
    ],
    answers: ['allow_once'],
    async run(client, expect) {
      const first = client.ask('First.');
      const second = client.ask('Second.');
      client.model.release('go');
      const answers = await Promise.all([first, second]);
      expect(answers.every(({ stopReason }) => stopReason === 'end_turn'), `ended with ${JSON.stringify(answers)}`);
    },
  },
  content: {
    replies: () => [say('Seen.')],
    async run(client, expect) {
      writeFileSync(join(client.cwd, 'a.txt'), 'LINKED-WORD\n');
      writeFileSync(join(client.cwd, 'secret.txt'), 'SECRET-WORD\n');
      const prompt = [
        ...text('Look:'),
        { type: 'image', mimeType: 'image/png', data: PIXEL },
        { type: 'resource', resource: { uri: 'file:///a.rs', mimeType: 'text/x-rust', text: EMBEDDED } },
        { type: 'resource_link', name: 'a.txt', uri: pathToFileURL(join(client.cwd, 'a.txt')).href },
        ...text('What is it?'),
      ];
      const answer = await client.request(methods.agent.session.prompt, { sessionId: client.session, prompt });
      expect(answer.stopReason === 'end_turn', `ended with ${answer.stopReason}`);
      expect(client.spoken() === 'Seen.', `said ${JSON.stringify(client.spoken())}`);
      const dated = client.updates.filter(({ sessionUpdate }) => sessionUpdate === 'session_info_update');
      expect(dated.some(({ updatedAt }) => !Number.isNaN(Date.parse(updatedAt))), 'no date of the turn');
    },
    // The adapter shows the prompt again too, with the embedded text as a text.
    async then(client, expect, id) {
      // The CLI stores each file that it reads for a prompt, as the model gets it.
      const stored = client.stored(id);
      expect(stored.includes('LINKED-WORD'), 'the CLI did not read the linked file');
      expect(!stored.includes('SECRET-WORD'), 'the CLI read a file that only the embedded text mentions');
      await client.request(methods.agent.session.load, { sessionId: id, cwd: client.cwd, mcpServers: [] });
      await client.until(() => client.of('available_commands_update').length, 'no commands');
      const shown = client.of('user_message_chunk').map(({ content }) => content);
      expect(shown.some(({ resource }) => resource?.text === EMBEDDED), `shown again ${JSON.stringify(shown)}`);
      expect(!client.prompts().includes('<context'), `prompts ${JSON.stringify(client.prompts())}`);
    },
  },
  // The answer comes after the turn in which the model has the agent's result; the adapter waits for that too.
  background: {
    replies: () => [
      use('Task', { description: 'A task', prompt: 'AGENT-ONE: go.', subagent_type: 'general-purpose', run_in_background: true }),
      say('It is on its way.'), say('It has come back.'),
    ],
    match: [{ marker: 'AGENT-ONE', replies: [{ ...say('Here I am.'), hold_before: 'go' }] }],
    async run(client, expect) {
      const answer = client.ask('Send an agent away.');
      await client.until(() => client.of('usage_update').length, 'the first turn does not end');
      client.model.release('go');
      expect((await answer).stopReason === 'end_turn', 'the turn did not end');
      expect(client.spoken() === 'It is on its way.It has come back.', `said ${JSON.stringify(client.spoken())}`);
    },
  },
};
const unknown = config.cases.find((name) => !(name in cases));
if (unknown) {
  console.error(`there is no case \`${unknown}\`; the cases are ${Object.keys(cases).join(', ')}`);
  process.exit(1);
}
// A text of a stranger, who wants the CLI to read a file.
const EMBEDDED = 'fn main() {} // @secret.txt';
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

// Starts a scripted model: its first line of output is its address, and its input names gates.
async function model(script, folder) {
  writeFileSync(join(folder, 'script.json'), JSON.stringify(script));
  const child = spawn(config.model, [join(folder, 'script.json')], { stdio: ['pipe', 'pipe', 'ignore'] });
  const url = await new Promise((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(line.toString().trim()));
    child.once('exit', () => reject(new Error('the model did not start')));
  });
  return { url, release: (gate) => child.stdin.write(`${gate}\n`), end: () => child.stdin.end() };
}

// A process of the agent with a client.
async function start(agent, place, served, { answers = [], env = {} } = {}) {
  const home = join(place, 'home');
  const environment = {
    PATH: process.env.PATH, HOME: home, CLAUDE_CONFIG_DIR: join(home, '.claude'), ANTHROPIC_BASE_URL: served.url,
    ANTHROPIC_API_KEY: 'sk-fake', DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1', DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', TERM: 'dumb', ...agent.env, ...env,
  };
  const started = performance.now();
  const child = spawn(agent.command[0], agent.command.slice(1), { env: environment, cwd: place, stdio: ['pipe', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (data) => { complaints = (complaints + data).slice(-2000); });
  const exit = new Promise((resolve) => child.once('exit', resolve));
  const self = {
    cwd: join(place, 'project'), updates: [], asked: [], pid: child.pid, model: served, complaints: () => complaints,
    release: () => {},
    has: (name) => { try { readFileSync(join(self.cwd, name)); return true; } catch { return false; } },
    stored: (id) => {
      const folder = join(home, '.claude/projects');
      const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(`${id}.jsonl`));
      return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
    },
    of: (kind) => self.updates.filter(({ sessionUpdate }) => sessionUpdate === kind),
    words: (kind) => self.of(kind).map(({ content }) => content.text ?? '').join(''),
    spoken: () => self.words('agent_message_chunk'),
    thought: () => self.words('agent_thought_chunk'),
    prompts: () => self.words('user_message_chunk'),
    calls: () => self.of('tool_call'),
    content: () => self.updates.flatMap(({ sessionUpdate, content }) => (/^tool_call/.test(sessionUpdate) && content) || []),
    modes: () => self.of('current_mode_update').map(({ currentModeId }) => currentModeId),
    statuses: () => self.of('tool_call_update').map(({ status }) => status).filter((status) => /completed|failed/.test(status)),
    ask: (words) => self.request(methods.agent.session.prompt, { sessionId: self.session, prompt: text(words) }),
    async until(condition, why) {
      for (const end = Date.now() + LIMIT; !condition();) {
        if (Date.now() > end) throw new Error(why);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    async close() {
      const since = performance.now();
      child.stdin.end();
      await limited(exit, 'the agent does not end');
      self.endMs = performance.now() - since;
    },
  };
  const app = acp.client({ name: 'xtask' })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      self.asked.push(params);
      const wanted = answers[self.asked.length - 1] ?? 'reject_once';
      if (wanted === 'cancel') {
        await new Promise((resolve) => { self.release = resolve; });
        return { outcome: { outcome: 'cancelled' } };
      }
      const option = params.options.find(({ kind, optionId }) => kind === wanted || optionId === wanted);
      return { outcome: { outcome: 'selected', optionId: option?.optionId ?? 'none' } };
    })
    .onNotification(methods.client.session.update, ({ params }) => { self.updates.push(params.update); });
  const connection = app.connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
  self.request = (method, params) => limited(connection.agent.request(method, params), `no answer to ${method}`);
  self.notify = (method, params) => connection.agent.notify(method, params);
  self.initialized = await self.request(methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false, auth: { terminal: true } },
  });
  self.readyMs = performance.now() - started;
  return self;
}

async function limited(promise, why) {
  let timer;
  const end = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(why)), LIMIT); });
  try { return await Promise.race([promise, end]); } finally { clearTimeout(timer); }
}

// The memory of one process that no other has, and its share of the rest.
function memoryKib(pid) {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]);
}

async function play(name, agent, folder) {
  const { replies, match = [], run, then, ...rest } = cases[name];
  const place = join(folder, agent.name, name);
  for (const part of ['home', 'project']) mkdirSync(join(place, part), { recursive: true });
  writeFileSync(join(place, 'project/a.txt'), 'one\n');
  const served = await model({ replies: replies(join(place, 'project')), match }, place);
  const result = { kinds: [], faults: [] };
  const expect = (holds, why) => { if (!holds) result.faults.push(why); };
  let client;
  try {
    client = await start(agent, place, served, rest);
    const opened = await client.request(methods.agent.session.new, { cwd: client.cwd, mcpServers: [] });
    client.session = opened.sessionId;
    result.memory_kib = memoryKib(client.pid);
    await run(client, expect);
    result.kinds = [...new Set(client.updates.map(({ sessionUpdate }) => sessionUpdate))].sort();
    if (agent.verbose) result.updates = client.updates;
    await client.close();
    result.end_ms = Math.round(client.endMs);
    if (then) {
      client = await start(agent, place, served, rest);
      await then(client, expect, opened.sessionId);
      result.kinds_again = [...new Set(client.updates.map(({ sessionUpdate }) => sessionUpdate))].sort();
      await client.close();
    }
  } catch (error) {
    result.faults.push(`${error.message ?? error} ${JSON.stringify(error.data ?? '')} ${client?.complaints() ?? ''}`.trim());
    if (client) process.kill(client.pid);
  }
  served.end();
  return result;
}

const agents = {};
for (const agent of config.agents) {
  const played = {};
  for (const name of config.cases.length ? config.cases : Object.keys(cases)) {
    played[name] = await play(name, agent, config.folder);
    // The other one is a measure, and not under test.
    if (agent.tested) faults.push(...played[name].faults.map((fault) => `${name}: ${fault}`));
  }
  const place = join(config.folder, agent.name, 'ready');
  for (const part of ['home', 'project']) mkdirSync(join(place, part), { recursive: true });
  const times = [];
  for (let run = 0; run < 5; run += 1) {
    const client = await start(agent, place, { url: 'http://127.0.0.1:9' });
    times.push(client.readyMs);
    await client.close();
  }
  // The median, because the least of many cases is that of one collection of garbage.
  const measured = Object.values(played).map(({ memory_kib: kib }) => kib ?? Infinity).sort((a, b) => a - b);
  const memory = measured[measured.length >> 1];
  agents[agent.name] = { cases: played, ready_ms: Math.min(...times), memory_kib: memory };
}
process.stdout.write(JSON.stringify({ agents, faults }));
