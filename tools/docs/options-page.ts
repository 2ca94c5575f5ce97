/** Prints `docs/reference/options.md` from the profiles, the interfaces and the manifest's descriptions. */
import { snakeCase } from '@holdfast/core/internal/plain';
import { profiles, type ToolPolicy, type ToolSettings } from '@holdfast/core';
import { fromPolicy } from '@holdfast/manifest';
import { optionGroups, type OptionGroup } from './option-groups.ts';
import { toolNotes, turnNotes } from './option-notes.ts';
import { code, table } from './page.ts';
import { readInterface, type SourceField } from './source.ts';

const settingsFile = 'packages/core/src/engine/settings/settings.ts';
const breakerFile = 'packages/core/src/engine/breaker/types.ts';

/** Interfaces of nested settings, by the setting that holds them. */
const nested: Readonly<Record<string, readonly (readonly [file: string, name: string])[]>> = {
  retry: [[settingsFile, 'RetrySettings']],
  breaker: [
    [settingsFile, 'CircuitBreakerSettings'],
    [breakerFile, 'BreakerSettings'],
  ],
  'breaker.rate': [[breakerFile, 'RateSettings']],
  concurrency: [[settingsFile, 'ConcurrencySettings']],
  'concurrency.adaptive': [[settingsFile, 'AdaptiveLimitSettings']],
  rateLimit: [[settingsFile, 'RateLimitSettings']],
  retryBudget: [[settingsFile, 'RetryBudgetSettings']],
  hedge: [[settingsFile, 'HedgeSettings']],
  waitForRecovery: [[settingsFile, 'WaitForRecoverySettings']],
};

/** Every setting of a tool by its path. */
export function toolSettings(): ReadonlyMap<string, SourceField> {
  const all = new Map<string, SourceField>();
  const add = (prefix: string, file: string, name: string): void => {
    for (const field of readInterface(file, name).fields) {
      const path = prefix === '' ? field.name : `${prefix}.${field.name}`;
      const inner = nested[path];
      if (inner) for (const [innerFile, innerName] of inner) add(path, innerFile, innerName);
      else all.set(path, field);
    }
  };
  add('', settingsFile, 'ToolSettings');
  return all;
}

export const turnSettings = (): readonly SourceField[] => readInterface(settingsFile, 'TurnSettings').fields;

/** The manifest's name of a setting. */
function manifestKey(path: string): string {
  const [outer = '', ...inner] = path.split('.');
  const value = inner.reduceRight<unknown>((part, name) => ({ [name]: part }), path === 'fallback' ? { value: 1 } : 1);
  const found = keysOf(fromPolicy({ [outer]: value } as ToolPolicy));
  if (found.length !== inner.length + 1) throw new Error(`the manifest has no key for ${path}`);
  return found.join('.');
}

function keysOf(value: unknown): readonly string[] {
  const [entry] = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return entry ? [entry[0], ...keysOf(entry[1])] : [];
}

export function show(value: unknown): string {
  if (value === undefined) return 'none';
  if (value === Number.POSITIVE_INFINITY) return '`Infinity`';
  return code(typeof value === 'string' ? value : JSON.stringify(value));
}

/** The default of a setting; for a part of a disabled setting: that it is off. */
export function standardOf(settings: ToolSettings, path: string): string {
  let value: unknown = settings;
  for (const name of path.split('.')) {
    if (value === false) return 'off';
    if (value === undefined) return 'off';
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return show(value);
}

function row(path: string, field: SourceField): readonly string[] {
  const note = toolNotes[path];
  if (!note) throw new Error(`${path} has no note`);
  const { spec, service, adaptive } = profiles;
  const standards = [spec, service, adaptive].map(({ tool }) => standardOf(tool, path));
  return [code(path), code(manifestKey(path)), note.unit ?? '', ...standards, note.source, note.meaning ?? field.meaning];
}

function turnRow({ name, meaning }: SourceField): readonly string[] {
  const { spec, service, adaptive } = profiles;
  const standards = [spec, service, adaptive].map(({ turn }) => show(turn[name as keyof typeof turn]));
  return [code(name), code(`turn.${snakeCase(name)}`), turnNotes[name]?.unit ?? '', ...standards, turnNotes[name]?.source ?? '', meaning];
}

function group({ title, file, name, intro, meanings = {}, types = {} }: OptionGroup): readonly string[] {
  const rows = readInterface(file, name).fields.map((field) => {
    const meaning = field.meaning === '' ? meanings[field.name] : field.meaning;
    if (meaning === undefined) throw new Error(`${name}.${field.name} has no meaning`);
    return [code(field.name), code(types[field.name] ?? field.type), field.standard ?? (field.optional ? 'none' : 'required'), meaning];
  });
  return [`## ${title}`, ...(intro === '' ? [] : [intro]), table(['Name', 'Type', 'Default', 'Meaning'], rows)];
}

export function optionsPage(): string {
  const head = ['Name', 'Manifest key', 'Unit', '`spec`', '`service`', '`adaptive`', 'Source', 'Meaning'];
  return [
    '# Options',
    "Every setting, by its name in code. This page is generated from the sources by `npm run docs`; a test fails when the two differ.\nSettings merge in layers, field by field: profile, then the service's `policy`, then the tool's own, then the call's `policy`. The most specific wins.\nAn unknown option, a value of another type or range and a tool that does not exist are refused where they are given, with the path of the field, the value and the fix.",
    '“Source” is the numbered condition that requires it; “own” is an addition. “off” is a part of a disabled setting; if it is enabled with only some parts, the others have their defaults.\nThe keys of a manifest with their checks are in [the reference of the manifest](manifest.md).',
    '## Tool settings',
    'On a tool (`defineTool`), on the service (`policy`) or, except for `breaker`, `concurrency`, `rateLimit` and `retryBudget`, on a call (`policy`).',
    table(
      head,
      [...toolSettings()].map(([path, field]) => row(path, field)),
    ),
    '## Turn settings',
    'On the service (`turn`) or on a plan.',
    table(head, turnSettings().map(turnRow)),
    ...optionGroups.flatMap(group),
  ].join('\n\n');
}
