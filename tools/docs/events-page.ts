/** Prints `docs/reference/events.md` from `trace/events.ts`, what it is made of, and the notes beside it. */
import { eventNotes, fieldNotes } from './event-notes.ts';
import { code, table } from './page.ts';
import { readInterfaces, unionMembers, type SourceInterface } from './source.ts';

const eventsFile = 'packages/core/src/engine/trace/events.ts';
const agentFile = 'packages/core/src/engine/trace/events/agent.ts';
const subjects = [...['call', 'circuit', 'turn'].map((subject) => `packages/core/src/engine/trace/events/${subject}.ts`), agentFile];
const decisionFile = 'packages/core/src/engine/recover/decision.ts';
const parts = ['DecisionInputs', 'Decision', 'Guard', 'AlternativeOption', 'MatchedRule', 'StrategyEvidence'];

/** The events in the union, in its order; those of the agent's loop are a union of their own within it. */
export const eventTypes = (): readonly string[] =>
  unionMembers(eventsFile, 'TraceEventBody').flatMap((member) =>
    member === 'AgentEventBody' ? unionMembers(agentFile, member) : [member],
  );

export function eventsPage(): string {
  const interfaces = new Map([eventsFile, ...subjects].flatMap((file) => [...readInterfaces(file)]));
  const decisions = readInterfaces(decisionFile);
  const named = (from: ReadonlyMap<string, SourceInterface>, name: string): SourceInterface => {
    const found = from.get(name);
    if (!found) throw new Error(`no interface ${name}`);
    return found;
  };
  const notes: Readonly<Record<string, (typeof eventNotes)[keyof typeof eventNotes]>> = eventNotes;
  const overview = eventTypes().map((type) => [
    `[${code(type)}](#${type.toLowerCase()})`,
    notes[type]?.severity ?? '',
    notes[type]?.when ?? '',
  ]);
  return [
    '# Trace events',
    'The Turn Trace is an append-only list of these events, plain JSON in snake_case. Everything else (metrics, alerts, memory, the terminal view) is a fold over it.\nThis page is printed from the sources by `npm run docs`; a test fails when the two differ.',
    'Severity: `debug` is the course of things, `info` worth reading, `warning` a failure that was dealt with, `error` a loss. It is a reading aid and not part of an event.',
    table(['Event', 'Severity', 'When'], overview),
    '## Every event',
    fields(named(interfaces, 'Stamp')),
    ...eventTypes().flatMap((type) => [`## ${type}`, notes[type]?.when ?? '', fields(named(interfaces, type))]),
    '## Parts of events',
    '### PlannedCallRecord',
    named(interfaces, 'PlannedCallRecord').meaning,
    fields(named(interfaces, 'PlannedCallRecord')),
    '### FailedValidation',
    named(interfaces, 'FailedValidation').meaning,
    fields(named(interfaces, 'FailedValidation')),
    ...parts.flatMap((name) => [`### ${name}`, named(decisions, name).meaning, fields(named(decisions, name))]),
    '`circuits` of `TurnStarted` holds a `CircuitSnapshot` per tool whose breaker was not as new; its fields are documented in the type.',
  ].join('\n\n');
}

function fields({ name, fields: all }: SourceInterface): string {
  const shown = all.filter((field) => field.name !== 'event_type');
  return table(
    ['Field', 'Type', 'Meaning'],
    shown.map((field) => [
      code(field.name) + (field.optional ? ' (optional)' : ''),
      code(field.type),
      meaningOf(name, field.name, field.meaning),
    ]),
  );
}

function meaningOf(owner: string, field: string, said: string): string {
  const meaning = said === '' ? (fieldNotes[`${owner}.${field}`] ?? fieldNotes[field]) : said;
  if (meaning === undefined) throw new Error(`${owner}.${field} has no meaning: give it a comment, or a line in fieldNotes`);
  return meaning;
}
