"""Asks `knockon serve` with the official Python SDK.

    client.py KNOCKON PROJECT
"""

import asyncio
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(knockon, project):
    server = StdioServerParameters(
        command=knockon, args=["serve"], cwd=project, env=dict(os.environ)
    )
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            hello = await session.initialize()
            assert hello.server_info.name == "knockon", hello
            tools = (await session.list_tools()).tools
            names = [tool.name for tool in tools]
            assert names == ["diff", "why", "slice", "equiv", "after"], names

            diff = await session.call_tool("diff", {})
            assert not diff.is_error, diff
            report = diff.structured_content["report"]
            assert report["schema"] == "knockon.diff/1", report
            changed = [line for line in report["lines"] if line["verdict"] == "changed"]
            assert len(changed) == 1, changed

            why = await session.call_tool("why", {"place": "main.c:6"})
            assert why.structured_content["report"]["verdict"] == "possible", why
            assert "limits.c:2" in why.content[0].text, why

            unknown = await session.call_tool("after", {"functions": ["limits"]})
            assert unknown.is_error, unknown
            assert unknown.structured_content["nearest"] == ["limit"], unknown

            # A client that does not wait cancels, and asks again.
            try:
                await session.call_tool("equiv", {}, read_timeout_seconds=0.001)
            except Exception as error:
                print("cancelled:", error)
            equiv = await session.call_tool("equiv", {"functions": ["unused"]})
            assert equiv.structured_content["report"]["verdict"] == "equivalent", equiv
    print("all answers are as expected")


asyncio.run(main(*sys.argv[1:]))
