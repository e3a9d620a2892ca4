"""A session with a hook, a permission callback and a tool, on the reference SDK for Python: session.py CLI."""

import asyncio
import json
import sys

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    ResultMessage,
    TextBlock,
    create_sdk_mcp_server,
    tool,
)

seen = {"hooks": [], "asked": [], "added": [], "text": [], "result": None}


@tool("add", "Adds two numbers", {"a": int, "b": int})
async def add(args):
    seen["added"].append([args["a"], args["b"]])
    return {"content": [{"type": "text", "text": str(args["a"] + args["b"])}]}


async def before_tool(input, tool_use_id, context):
    seen["hooks"].append(input["tool_name"])
    return {}


async def ask(name, input, context):
    seen["asked"].append(name)
    return PermissionResultAllow(updated_input=input)


async def main(cli):
    options = ClaudeAgentOptions(
        cli_path=cli,
        hooks={"PreToolUse": [HookMatcher(hooks=[before_tool])]},
        can_use_tool=ask,
        mcp_servers={"calc": create_sdk_mcp_server("calc", tools=[add])},
    )
    async with ClaudeSDKClient(options=options) as client:
        await client.query("Write a note, and add 2 and 3.")
        async for message in client.receive_response():
            if isinstance(message, AssistantMessage):
                seen["text"] += [block.text for block in message.content if isinstance(block, TextBlock)]
            elif isinstance(message, ResultMessage):
                seen["result"] = message.subtype
    print(json.dumps(seen, sort_keys=True))


asyncio.run(main(sys.argv[1]))
