"""A client of the bench CLI on the reference SDK for Python.

What to play is told by environment variables, and what came of it goes out as a line of JSON:
`docs/performance.md` says more.
"""

import asyncio
import collections
import json
import os
import time

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
    StreamEvent,
    UserMessage,
    create_sdk_mcp_server,
    tool,
)

KINDS = {
    AssistantMessage: "assistant",
    ResultMessage: "result",
    StreamEvent: "stream_event",
    UserMessage: "user",
}


async def hook(input_data, tool_use_id, context):
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "permissionDecisionReason": input_data["tool_input"]["command"],
        }
    }


async def permission(tool_name, tool_input, context):
    if tool_input["command"].startswith("echo "):
        return PermissionResultAllow(updated_input=tool_input)
    return PermissionResultDeny(message="only echo")


@tool("read", "Reads a row.", {"n": int})
async def read(arguments):
    return {"content": [{"type": "text", "text": f"row {arguments['n']}"}]}


def options():
    chosen = ClaudeAgentOptions(
        cli_path=os.environ["AGENTWIRE_BENCH_CLI"],
        include_partial_messages=True,
        max_buffer_size=int(os.environ["AGENTWIRE_BENCH_MAX_LINE"]),
    )
    if os.environ["AGENTWIRE_BENCH_WORKLOAD"] in ("hook", "permission", "mcp"):
        chosen.hooks = {"PreToolUse": [HookMatcher(matcher="Bash", hooks=[hook])]}
        chosen.can_use_tool = permission
        chosen.mcp_servers = {"shelf": create_sdk_mcp_server("shelf", "1.0.0", [read])}
    return chosen


async def session(outcome, kinds):
    prompts = int(os.environ["AGENTWIRE_BENCH_PROMPTS"])
    stall_at = int(os.environ.get("AGENTWIRE_BENCH_STALL_AT", "0"))
    messages = 0
    started = time.perf_counter()
    async with ClaudeSDKClient(options()) as client:
        before = time.process_time()
        for _ in range(prompts):
            await client.query("Go.")
            async for message in client.receive_response():
                if messages == 0:
                    outcome["first"].append(time.perf_counter() - started)
                messages += 1
                kinds[KINDS.get(type(message), "other")] += 1
                if messages == stall_at:
                    await asyncio.sleep(float(os.environ["AGENTWIRE_BENCH_STALL"]))
        outcome["cpu"] += time.process_time() - before


def most_memory():
    with open("/proc/self/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


async def main():
    outcome = {"cpu": 0.0, "first": []}
    for _ in range(int(os.environ["AGENTWIRE_BENCH_SESSIONS"])):
        # Of the last session, as the bench CLI tells it.
        kinds = collections.Counter()
        await session(outcome, kinds)
    messages = sum(kinds.values())
    print(json.dumps({**outcome, "messages": messages, "kinds": kinds, "memory": most_memory()}))


asyncio.run(main())
