/** Prints `docs/reference/events.md` from `trace/events.ts`, the types it uses, and the notes. */
import { camelCase } from '@holdfast/core/internal/plain';
import { eventNotes, fieldNotes } from './event-notes.ts';
import { code, table } from './page.ts';
import { readInterfaces, unionMembers, type SourceInterface } from './source.ts';

const eventsFile = 'packages/core/src/engine/trace/events.ts';
const agentFile = 'packages/core/src/engine/trace/events/agent.ts';
const subjects = [...['call', 'circuit', 'turn'].map((subject) => `packages/core/src/engine/trace/events/${subject}.ts`), agentFile];
const decisionFile = 'packages/core/src/engine/recover/decision.ts';
const recordFile = 'packages/core/src/engine/trace/events/decision.ts';
/** The parts of a recorded decision, and the types in code that document their fields. */
const parts: Readonly<Record<string, string>> = {
  RecordedDecisionInputs: 'DecisionInputs',
  RecordedDecision: 'Decision',
  Guard: 'Guard',
  RecordedAlternative: 'AlternativeOption',
  MatchedRule: 'MatchedRule',
  RecordedEvidence: 'StrategyEvidence',
};

/** The events in the union, in its order; the agent's events are a union within it. */
export const eventTypes = (): readonly string[] =>
  unionMembers(eventsFile, 'TraceEventBody').flatMap((member) =>
    member === 'AgentEventBody' ? unionMembers(agentFile, member) : [member],
  );

export function eventsPage(): string {
  const interfaces = new Map([eventsFile, ...subjects].flatMap((file) => [...readInterfaces(file)]));
  const decisions = new Map([decisionFile, recordFile].flatMap((file) => [...readInterfaces(file)]));
  const findInterface = (from: ReadonlyMap<string, SourceInterface>, name: string): SourceInterface => {
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
    'The Turn Trace is an append-only list of these events, plain JSON in snake_case. Everything else (metrics, alerts, memory, the terminal view) is a fold over it.\nThis page is generated from the sources by `npm run docs`; a test fails when the two differ.',
    'Severity: `debug` is normal operation, `info` worth reading, `warning` a failure that was handled, `error` a loss. It is a reading aid and not part of an event.',
    table(['Event', 'Severity', 'When'], overview),
    '## Every event',
    fields(findInterface(interfaces, 'Stamp')),
    ...eventTypes().flatMap((type) => [`## ${type}`, notes[type]?.when ?? '', fields(findInterface(interfaces, type))]),
    '## Parts of events',
    '### PlannedCallRecord',
    findInterface(interfaces, 'PlannedCallRecord').meaning,
    fields(findInterface(interfaces, 'PlannedCallRecord')),
    '### SingleCallSettings',
    findInterface(interfaces, 'SingleCallSettings').meaning,
    fields(findInterface(interfaces, 'SingleCallSettings')),
    '### FailedValidation',
    findInterface(interfaces, 'FailedValidation').meaning,
    fields(findInterface(interfaces, 'FailedValidation')),
    ...Object.entries(parts).flatMap(([name, code]) => [
      `### ${name}`,
      findInterface(decisions, code).meaning,
      fields(withMeanings(findInterface(decisions, name), findInterface(decisions, code))),
    ]),
    '`circuits` of `TurnStarted` contains a `CircuitSnapshot` per tool whose breaker was not in its initial state; its fields are documented in the type.',
  ].join('\n\n');
}

/** A record's fields are documented by the fields of its type in code. */
function withMeanings(record: SourceInterface, ofCode: SourceInterface): SourceInterface {
  const meanings = new Map(ofCode.fields.map(({ name, meaning }) => [name, meaning]));
  return {
    ...record,
    fields: record.fields.map((field) => (field.meaning === '' ? { ...field, meaning: meanings.get(camelCase(field.name)) ?? '' } : field)),
  };
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

function meaningOf(owner: string, field: string, comment: string): string {
  const meaning = comment === '' ? (fieldNotes[`${owner}.${field}`] ?? fieldNotes[field]) : comment;
  if (meaning === undefined) throw new Error(`${owner}.${field} has no meaning: give it a comment, or a line in fieldNotes`);
  return meaning;
}
