// A session with a hook, a permission callback and a tool, on the reference SDK for TypeScript: session.mjs FOLDER CLI.
// FOLDER is the package of the SDK; packages that it depends on lie beside it.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, cli] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { createSdkMcpServer, query, tool } = await load("@anthropic-ai/claude-agent-sdk");
const { z } = await load("zod");

const seen = { added: [], asked: [], hooks: [], result: null, text: [] };

const add = tool("add", "Adds two numbers", { a: z.number(), b: z.number() }, async ({ a, b }) => {
  seen.added.push([a, b]);
  return { content: [{ type: "text", text: String(a + b) }] };
});
const beforeTool = async (input) => {
  seen.hooks.push(input.tool_name);
  return {};
};
// Callbacks need a prompt that streams.
let finish;
const finished = new Promise((resolve) => (finish = resolve));
async function* prompts() {
  yield { type: "user", message: { role: "user", content: "Write a note, and add 2 and 3." }, parent_tool_use_id: null };
  await finished;
}

const messages = query({
  prompt: prompts(),
  options: {
    pathToClaudeCodeExecutable: cli,
    hooks: { PreToolUse: [{ hooks: [beforeTool] }] },
    canUseTool: async (name, input) => {
      seen.asked.push(name);
      return { behavior: "allow", updatedInput: input };
    },
    mcpServers: { calc: createSdkMcpServer({ name: "calc", tools: [add] }) },
  },
});
for await (const message of messages) {
  if (message.type === "assistant") {
    seen.text.push(...message.message.content.filter((block) => block.type === "text").map((block) => block.text));
  } else if (message.type === "result") {
    seen.result = message.subtype;
    finish();
  }
}
console.log(JSON.stringify(seen));
