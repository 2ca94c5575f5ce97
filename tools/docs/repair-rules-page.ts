/** Prints `docs/reference/repair-rules.md` from the table of rules and from the rules of formats and backends. */
import { formats, providerProfiles, providerRules, rules, type Format, type Rule } from '@holdfast/wire';
import { code, table } from './page.ts';

const kinds: Readonly<Record<Rule['kind'], string>> = {
  history: 'The transcript',
  definition: 'Tool definitions',
  model: 'Responses of a model',
  state: 'State that the provider holds',
};

const placements: Readonly<Record<string, string>> = {
  'own-messages': 'messages directly behind the calls',
  'next-turn': "first in the user's next turn",
  'next-message': 'first in one message, directly behind',
  'items-behind': 'items somewhere behind the call',
  'items-adjacent': 'items directly behind the calls',
};

const show = (value: number): string => (value === Infinity ? 'any' : String(value));

const formatRow = (format: Format): readonly string[] => {
  const { callId, toolName, results, maxTools, arguments: form } = providerRules(format, undefined, '');
  const ids = `${callId.pattern ? code(callId.pattern.source) : 'any text'}, at most ${show(callId.maxLength)}, one per ${callId.uniqueIn}`;
  const names = `${toolName.pattern ? code(toolName.pattern.source) : 'any text'}, at most ${show(toolName.maxLength)}`;
  return [code(format), placements[results] ?? results, ids, names, form, show(maxTools)];
};

/** What a backend changes of the rules of a format. */
function backendRows(): readonly (readonly string[])[] {
  return providerProfiles.flatMap((profile) =>
    formats.flatMap((format) => {
      const base = JSON.stringify(flat(format, undefined));
      const own = flat(format, profile);
      if (JSON.stringify(own) === base) return [];
      const plain = flat(format, undefined);
      const different = Object.keys(own).filter((key) => own[key] !== plain[key]);
      return [[code(profile), code(format), different.map((key) => `${code(key)}: ${own[key] ?? ''}`).join('; ')]];
    }),
  );
}

function flat(format: Format, profile: string | undefined): Readonly<Record<string, string>> {
  const { callId, toolName, ...rest } = providerRules(format, profile, '');
  const formatValue = (value: unknown): string => (value === Infinity ? 'any' : String(value));
  const nested = {
    'callId.pattern': callId.pattern?.source ?? 'any',
    'callId.maxLength': callId.maxLength,
    'callId.uniqueIn': callId.uniqueIn,
  };
  const names = { 'toolName.maxLength': toolName.maxLength };
  return Object.fromEntries(Object.entries({ ...rest, ...nested, ...names }).map(([key, value]) => [key, formatValue(value)]));
}

export function repairRulesPage(): string {
  const all = Object.entries<Rule>(rules);
  const sections = (Object.keys(kinds) as Rule['kind'][]).flatMap((kind) => [
    `## ${kinds[kind]}`,
    table(
      ['Rule', 'Requirement', 'Repair'],
      all.filter(([, rule]) => rule.kind === kind).map(([id, { requires, repair }]) => [code(id), requires, repair ?? 'It is reported.']),
    ),
  ]);
  return [
    '# Repair rules',
    'Every rule that `validate`, `repair` and `faultOf` of `@holdfast/wire` name. Ids are stable: they stand in reports and traces. Which rule applies to whom is in [transcripts](../concepts/transcripts.md).\nIt is printed by `npm run docs`; a test fails when page and code differ.',
    ...sections,
    '## Formats',
    table(
      ['Format', 'Results', 'Call ids', 'Tool names', 'Arguments', 'Tools at most'],
      formats.filter((format) => format !== 'ai-sdk-ui').map(formatRow),
    ),
    '## Backends',
    'Only what differs from the format. Names are also known by alias: `moonshot` is `kimi`, `google` and `vertex` are `gemini`, `grok` is `xai`, `dashscope` is `qwen`, `llama.cpp` is `llama-server`, `azure` is `openai`.',
    table(['Profile', 'Format', 'Different'], backendRows()),
  ].join('\n\n');
}
