"""mcp_client.py MODE PROGRAM FOLDER CALLS.json: the client of MCP's Python SDK against our server.

MODE is `legacy` (initialize), or a protocol revision such as `2026-07-28`. CALLS.json is an array of
{"tool", "arguments"}; a call without a tool floods with `count` calls of `arguments`. Prints one JSON object:
the protocol version, the tools, the prompts, and the result of every call. The SDK validates every message and
the structured content against the output schemas.
"""

import asyncio
import json
import sys

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters


async def main(mode, program, folder, calls):
    server = StdioServerParameters(
        command=program, args=["mcp", "--structured", "--profile", "all", "--repo", folder], cwd=folder
    )
    async with Client(server, mode=mode) as client:
        tools = (await client.list_tools()).tools
        prompts = (await client.list_prompts()).prompts
        prompt = await client.get_prompt("fix_failure", {"log": "AssertionError"})
        results = []
        for call in calls:
            for _ in range(call.get("count", 1)):
                result = await client.call_tool(call["tool"], call["arguments"])
            results.append(
                {
                    "tool": call["tool"],
                    "is_error": bool(result.is_error),
                    "text": result.content[0].text,
                    "links": [it.uri for it in result.content if it.type == "resource_link"],
                    "data": result.structured_content,
                }
            )
        return {
            "version": client.protocol_version,
            "tools": [it.model_dump(mode="json", by_alias=True) for it in tools],
            "prompts": [it.name for it in prompts],
            "prompt": prompt.messages[0].content.text,
            "results": results,
        }


mode, program, folder, calls = sys.argv[1:]
print(json.dumps(asyncio.run(main(mode, program, folder, json.load(open(calls))))))
