/**
 * Owns what flags, durations and the way in which a program ended say about an error. Does not own which fields hold them (`fields.ts`).
 */
import { addText } from './layer.ts';
import type { Layer } from './layer.ts';
import { isSigned, programOf, programOfWords, withoutCommand } from './programs.ts';
import { firstOf, isList, numeric, read } from './reading.ts';
import { isObject } from '../plain/is-object.ts';

export function readProcess(value: object, layer: Layer): void {
  const { codes, commands, texts } = layer;
  // `execSync` names its command only in the message
  const command = layer.isProcess ? undefined : /^Command failed: ([^\n]+)/.exec(texts[0] ?? '')?.[1];
  if (command !== undefined) {
    layer.isProcess = true;
    commands.push(command);
    addMark('exitCode', read(value, 'status'), layer);
  }
  if (codes.some(({ field }) => field === 'exitCode')) layer.isProcess = true;
  if (!layer.isProcess) return void commands.splice(0);
  if (layer.isKilled) codes.push({ field: 'killed', value: 'ETIMEDOUT' });
  layer.program = commands.length === 0 ? layer.texts.map(programOfWords).find((name) => name !== undefined) : programOf(commands[0] ?? '');
  layer.isSigned = layer.program === undefined && layer.texts.some((text) => isSigned(commands[0] ?? '', text));
  // What a remote command said is not what `ssh` said.
  if (layer.program === 'ssh' && codes.some(({ value }) => typeof value === 'number' && value !== 255)) layer.program = undefined;
  // `git merge` and `zip` say it where others print what they were asked for.
  const output = read(value, 'stdout');
  if (typeof output !== 'string' || read(value, 'stderr') !== '' || /diff|cmp|grep/.test(layer.program ?? '')) return;
  // of an unknown one from the first line on that is about a failure
  addText((layer.program === undefined ? failed.exec(output)?.[0] : output) ?? '', layer);
}

const failed = /^.*\b(?:error|exception|fail|no such)[^]*/im;

/** The words of a program, without the command line. */
export function readWords({ texts, commands }: Layer): void {
  const words = texts.splice(0).map((text) => withoutCommand(text, commands));
  texts.push(...new Set(words.filter((text) => text !== '')));
}

/** `{ seconds, nanos }`, as in Google's services. */
export function addDuration(field: string, duration: object, layer: Layer): void {
  const seconds = numeric(read(duration, 'seconds'));
  const nanos = numeric(read(duration, 'nanos')) ?? 0;
  // The sum of fractions may have more digits than any duration.
  if (seconds !== undefined) layer.waits.push({ field, value: `${(seconds + nanos / 1e9).toFixed(9)}s` });
}

/** `{ throttling }`, as in the AWS clients. */
export function addOpinion(opinion: object, layer: Layer): void {
  layer.retryable ??= true;
  if (read(opinion, 'throttling') === true) layer.codes.push({ field: 'retryable', value: 'Throttling' });
}

/** Steps at which no connection existed yet. */
const connecting = /^(?:connect|getaddrinfo|lookup|secureConnect|CONNECTION_TIMEOUT|GREETING_TIMEOUT|UPGRADE_TIMEOUT|true|spawn .*)$/;

/** How a program ended, as flags say. */
const ends: Readonly<Record<string, string>> = {
  timedOut: 'ETIMEDOUT',
  isCanceled: 'ABORT_ERR',
  isMaxBuffer: 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER',
};

export function addMark(key: string, field: unknown, layer: Layer): void {
  const isText = typeof field === 'string';
  if (key === 'killed') layer.isKilled = field === true;
  else if (key in ends) {
    if (field === true) layer.codes.push({ field: key, value: ends[key] ?? '' });
  } else if (key === 'spawnargs' || key === 'cmd') {
    layer.isProcess = true;
    layer.commands.unshift(isObject(field) && isList(field) ? firstOf(field, 64).map(String).join(' ') : String(field));
  } else if (key === 'command' || key === 'escapedCommand') {
    if (isText) layer.commands.push(field);
  } else if (key === 'exitCode') {
    if (typeof field === 'number') layer.codes.push({ field: key, value: field });
  } else if (key.startsWith('signal')) {
    if (isText && /^SIG[A-Z\d]{2,6}$/.test(field)) layer.codes.push({ field: 'signal', value: field });
  } else if (key === 'ambiguous') layer.ambiguous ??= typeof field === 'boolean' ? field : undefined;
  else if (key === '$fault' || key === '$metadata') layer.isService = true;
  else if (key === 'details') layer.isGrpc ||= isText;
  else if (key === 'metadata') layer.isGrpc ||= isObject(field);
  else if (key === 'isJoi' || key === 'issues' || key === 'schemaPath') layer.hasIssues ||= isText || field === true || isObject(field);
  else if (isText || field === true) layer.unsent ||= connecting.test(String(field));
}
