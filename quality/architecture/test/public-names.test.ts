/** No public name has two meanings: a name that several entries export is the same declaration everywhere, or is listed here with its one meaning. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');

const adapters = ['ai-sdk', 'anthropic', 'bedrock', 'claude-agent-sdk', 'google-genai', 'langchain', 'mastra', 'openai', 'openai-agents'];

/** name → the entries that may declare it differently: one idea, but each declaration belongs to a framework, or to the JSON of the gateway's API. */
const shared: Readonly<Record<string, readonly string[]>> = {
  // The user-facing part of each adapter: the same name in every guide.
  NamesOf: ['anthropic', 'bedrock', 'google-genai', 'langchain', 'openai'],
  ReliableTool: ['anthropic', 'bedrock', 'google-genai', 'openai'],
  ReliableTools: adapters,
  reliableTools: adapters,
  LoopSettings: ['ai-sdk', 'mastra'],
  OwnLoop: ['ai-sdk', 'mastra'],
  RunnableTool: ['anthropic', 'openai'],
  RunSettings: ['ai-sdk', 'mastra', 'openai-agents'],
  tool: ['bedrock', 'claude-agent-sdk', 'google-genai'],
  ToolFunction: ['anthropic', 'bedrock', 'google-genai', 'openai'],
  ToolResults: ['anthropic', 'bedrock'],
  // Types of the core, as the gateway's API sends them.
  CircuitCommand: ['core', 'gateway.contract'],
  Silence: ['core.alerts', 'gateway.contract'],
  ToolHealth: ['core', 'gateway.contract'],
  ToolMetrics: ['core', 'gateway.contract'],
  TurnReport: ['core', 'gateway.contract'],
};

/** name → entry, such as `core.history` → declaration. */
function declarations(): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const found = new Map<string, Map<string, string>>();
  for (const path of globSync('api/*.api.md', { cwd: root })) {
    const entry = basename(path, '.api.md');
    const report = readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');
    for (const text of report.split(/\n(?=export )/)) {
      const name = /^export (?:declare )?(?:abstract )?(?:type|interface|class|function|const|enum) (\w+)/.exec(text)?.[1];
      if (name === undefined) continue;
      found.set(name, (found.get(name) ?? new Map<string, string>()).set(entry, text.trimEnd().replace(/\n\n[\s\S]*$/, '')));
    }
  }
  return found;
}

const all = declarations();

/** The entries whose declaration of a name is unlike the others', and is not listed. */
function clashing(byEntry: ReadonlyMap<string, string>, listed: readonly string[]): readonly string[] {
  const texts = new Set(listed.map((entry) => byEntry.get(entry)));
  const others = [...byEntry].filter(([entry, text]) => !listed.includes(entry) && !texts.has(text));
  const isClash = texts.size > 0 ? others.length > 0 : new Set(others.map(([, text]) => text)).size > 1;
  return isClash ? others.map(([entry]) => entry) : [];
}

test('a name that two entries export is one declaration, or a listed idea', () => {
  const clashes = [...all].flatMap(([name, byEntry]) => {
    const entries = clashing(byEntry, shared[name] ?? []);
    return entries.length === 0 ? [] : [`${name}: ${entries.join(', ')}`];
  });
  expect(all.size).toBeGreaterThan(500);
  expect(clashes).toEqual([]);
});

test.each(Object.entries(shared))('the listed entries declare %s differently', (name, entries) => {
  const texts = entries.map((entry) => all.get(name)?.get(entry));
  expect(texts).not.toContain(undefined);
  expect(new Set(texts).size).toBeGreaterThan(1);
});

test("the core's main entry has at most 130 names", () => {
  const names = [...all].filter(([, byEntry]) => byEntry.has('core')).map(([name]) => name);
  expect(names).toContain('ToolExecutionService');
  expect(names.length).toBeLessThanOrEqual(130);
});
