// A client of the bench CLI on the reference SDK for TypeScript.
//
// What to play is told by environment variables, and what came of it goes out as a line of JSON:
// `docs/performance.md` says more.

import { readFileSync } from "node:fs";
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";

const { env } = process;
const prompts = Number(env.AGENTWIRE_BENCH_PROMPTS);
const stallAt = Number(env.AGENTWIRE_BENCH_STALL_AT ?? 0);
const KINDS = new Set(["assistant", "result", "stream_event", "user"]);

const read = tool("read", "Reads a row.", { n: z.number() }, async ({ n }) => ({
  content: [{ type: "text", text: `row ${n}` }],
}));

const hook = async (input) => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "allow",
    permissionDecisionReason: input.tool_input.command,
  },
});

const permission = async (name, input) =>
  input.command.startsWith("echo ")
    ? { behavior: "allow", updatedInput: input }
    : { behavior: "deny", message: "only echo" };

function options() {
  const chosen = { pathToClaudeCodeExecutable: env.AGENTWIRE_BENCH_CLI, includePartialMessages: true };
  if (!["hook", "permission", "mcp"].includes(env.AGENTWIRE_BENCH_WORKLOAD)) return chosen;
  return {
    ...chosen,
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] },
    canUseTool: permission,
    mcpServers: { shelf: createSdkMcpServer({ name: "shelf", version: "1.0.0", tools: [read] }) },
  };
}

async function session(outcome, kinds) {
  let answered = () => {};
  async function* asking() {
    for (let prompt = 0; prompt < prompts; prompt += 1) {
      const answer = new Promise((resolve) => (answered = resolve));
      yield { type: "user", message: { role: "user", content: "Go." }, parent_tool_use_id: null, session_id: "" };
      await answer;
    }
  }
  const started = performance.now();
  const messages = query({ prompt: asking(), options: options() });
  // From the first prompt on, as far as one can tell: the SDK sends it by itself.
  const before = process.cpuUsage();
  let count = 0;
  let results = 0;
  for await (const message of messages) {
    if (count === 0) outcome.first.push((performance.now() - started) / 1000);
    count += 1;
    const kind = KINDS.has(message.type) ? message.type : "other";
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    if (count === stallAt) {
      await new Promise((resolve) => setTimeout(resolve, Number(env.AGENTWIRE_BENCH_STALL) * 1000));
    }
    if (message.type === "result") {
      results += 1;
      // With callbacks the SDK goes on until the CLI says that it is idle, which the bench CLI does not.
      if (results === prompts) break;
      answered();
    }
  }
  const used = process.cpuUsage(before);
  outcome.cpu += (used.user + used.system) / 1e6;
  return count;
}

const outcome = { cpu: 0, first: [] };
for (let number = 0; number < Number(env.AGENTWIRE_BENCH_SESSIONS); number += 1) {
  // Of the last session, as the bench CLI tells it.
  outcome.kinds = {};
  outcome.messages = await session(outcome, outcome.kinds);
}
outcome.memory = Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) * 1024;
console.log(JSON.stringify(outcome));
process.exit(0);
