/** Owns the fields of each kind in a world, and the problems for missing or misplaced ones. */
import { isRecord } from '@holdfast/core/internal/plain';
import type { PathStep } from '../problem.ts';
import { nameList, quote } from '../shape/describe.ts';
import type { Reading } from '../source/reader.ts';
import type { SourceFile } from '../source/source-file.ts';

type Path = readonly PathStep[];

interface Kind {
  readonly required?: readonly string[];
  readonly optional?: readonly string[];
}

type Kinds = Readonly<Record<string, Kind>>;

const distributions: Kinds = {
  constant: { required: ['ms'] },
  uniform: { required: ['min_ms', 'max_ms'] },
  exponential: { required: ['mean_ms'] },
  lognormal: { required: ['mean_ms', 'p99_ms'] },
  measured: { required: ['values_ms'] },
};

const arrivals: Kinds = {
  open: { required: ['rate_per_second'], optional: ['burst'] },
  closed: { required: ['think'] },
};

const answer: readonly string[] = ['status', 'answer_ms', 'retry_after_s'];

const faults: Kinds = {
  outage: { optional: answer },
  black_hole: {},
  random_failures: { required: ['share'], optional: answer },
  lost_answers: { required: ['share'] },
  brownout: { required: ['capacity'] },
  slow: { required: ['factor'], optional: ['share', 'period_ms', 'grows'] },
  rate_limit: { required: ['limit', 'window_ms'], optional: ['retry_after_s'] },
  token_bucket: { required: ['rate_per_second', 'burst'], optional: ['retry_after_s'] },
  flapping: { required: ['down_ms', 'up_ms'], optional: answer },
  permanent: { required: ['share'], optional: ['group', 'status', 'answer_ms'] },
  bad_replica: { required: ['replica', 'how'] },
};

const ofEveryFault: readonly string[] = ['service', 'host', 'from_ms', 'for_ms', 'recover_over_ms', 'recover_steps', 'cold_cache'];

/** Ranges are two numbers. */
const ranges: readonly string[] = ['from_ms', 'for_ms', 'down_ms', 'up_ms'];

export function checkKinds(world: Readonly<Record<string, unknown>>, reading: Reading, source: SourceFile): void {
  const check = (value: unknown, path: Path, kinds: Kinds, always: readonly string[] = []): void =>
    checkKind(value, path, { kinds, always, reading, source });
  for (const [name, service] of entriesOf(world['services']))
    check(partOf(service, 'latency'), ['services', name, 'latency'], distributions);
  for (const [name, tool] of entriesOf(world['tools'])) check(partOf(tool, 'latency'), ['tools', name, 'latency'], distributions);
  for (const [index, group] of listOf(world['agents']).entries()) {
    const path: Path = ['agents', index, 'arrivals'];
    const given = partOf(group, 'arrivals');
    check(given, path, arrivals);
    check(partOf(given, 'think'), [...path, 'think'], distributions);
    for (const key of ['every', 'lasts']) check(partOf(partOf(given, 'burst'), key), [...path, 'burst', key], distributions);
  }
  for (const [index, fault] of listOf(world['faults']).entries()) {
    check(fault, ['faults', index], faults, ofEveryFault);
    for (const key of ranges) checkRange(partOf(fault, key), ['faults', index, key], reading, source);
  }
}

const partOf = (value: unknown, key: string): unknown => (isRecord(value) ? value[key] : undefined);
const entriesOf = (value: unknown): readonly [string, unknown][] => (isRecord(value) ? Object.entries(value) : []);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

interface Checked {
  readonly kinds: Kinds;
  readonly always: readonly string[];
  readonly reading: Reading;
  readonly source: SourceFile;
}

function checkKind(value: unknown, path: Path, { kinds, always, reading, source }: Checked): void {
  if (!isRecord(value) || typeof value['kind'] !== 'string') return;
  const kind = value['kind'];
  const { required = [], optional = [] } = kinds[kind] ?? {};
  for (const key of required) {
    if (reading.has(...path, key)) continue;
    const message = `kind ${quote(kind)} has no ${quote(key)}`;
    source.report({ code: 'missing_key', at: reading.at(...path, 'kind'), path: [...path, key], message, allowed: nameList(required) });
  }
  const fitting = [...required, ...optional];
  for (const key of Object.keys(value)) {
    if (key === 'kind' || always.includes(key) || fitting.includes(key)) continue;
    const message = `${quote(key)} does not belong to kind ${quote(kind)}`;
    const allowed = nameList([...fitting, ...always]) || 'nothing else';
    source.report({ code: 'not_allowed', at: reading.keyAt(...path, key), path: [...path, key], message, allowed });
  }
}

function checkRange(value: unknown, path: Path, reading: Reading, source: SourceFile): void {
  if (!Array.isArray(value) || value.length === 2) return;
  const message = `${String(path.at(-1))} has ${value.length} ${value.length === 1 ? 'number' : 'numbers'}`;
  source.report({ code: 'wrong_type', at: reading.at(...path), path, message, allowed: 'two: the lowest and the highest' });
}
