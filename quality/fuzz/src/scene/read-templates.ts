/** Owns reading turns that are kept as data, such as those of the acceptance tests. */
import type { ProfileName, ToolPolicy } from '@holdfast/core';
import type { FuzzTurn } from './scene.ts';
import { secretArguments } from './secrets.ts';
import type { TurnTemplate } from './template.ts';

interface KeptTurn {
  readonly profile: ProfileName;
  readonly tools: Readonly<Record<string, ToolPolicy>>;
  readonly settings: FuzzTurn['settings'];
  readonly calls: FuzzTurn['calls'];
}

/** Parses a file: by the name of a test, the turns that it runs. */
export function readTemplates(text: string): readonly TurnTemplate[] {
  const kept = JSON.parse(text, (_key, value: unknown) => (value === 'Infinity' ? Number.POSITIVE_INFINITY : value)) as Readonly<
    Record<string, readonly KeptTurn[]>
  >;
  return Object.entries(kept).flatMap(([test, turns]) =>
    turns.map((turn, index) => template(index === 0 ? test : `${test} #${index + 1}`, turn)),
  );
}

function template(name: string, { profile, tools, settings, calls }: KeptTurn): TurnTemplate {
  return {
    name,
    profile,
    tools: Object.entries(tools).map(([tool, policy]) => ({ name: tool, policy })),
    turn: { settings, calls: calls.map((call) => ({ ...call, arguments: secretArguments })) },
  };
}
