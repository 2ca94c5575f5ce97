/** The clients of the MCP SDKs, to measure what the adapter costs. */
import { type CostCase, scriptedCalls, scriptedTool } from '@holdfast/adapter-kit/testing';
import { reliableClient } from '@holdfast/mcp';
import type { Client } from '@modelcontextprotocol/client';
import { connect, serverOf, versions } from './servers.ts';

const { name, description, schema, run } = scriptedTool;

async function playWith(call: (city: string) => Promise<unknown>): Promise<void> {
  for (let results = 0, calls = scriptedCalls(0); calls.length > 0; calls = scriptedCalls((results += calls.length)))
    await Promise.all(calls.map(({ city }) => call(city)));
}

/** The shared client, and a conversation. */
export const costs: readonly CostCase[] = versions.flatMap((version) =>
  [false, true].map((inConversation): CostCase => ({
    id: `mcp-${version}${inConversation ? '-conversation' : ''}`,
    async prepare(wrapped) {
      const { client, call } = await connect(
        version,
        serverOf([{ name, description, schema, run: ({ city }: { readonly city: string }) => run(city) }]),
      );
      await client.listTools();
      const reliable = wrapped ? reliableClient(client as Client) : undefined;
      await reliable?.listTools();
      return () => {
        const using = (inConversation ? reliable?.reliable.startRun() : reliable) ?? client;
        return playWith((city) => call(using as never, { name, arguments: { city } }));
      };
    },
  })),
);
