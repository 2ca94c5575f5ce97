/**
 * Owns reading the output and exit of a program: an output, or an error with the reason.
 */
import type { AttemptContext, Progress } from '@holdfast/core';
import { isRecord, parseJsonOrUndefined, truncate } from '@holdfast/core/internal/plain';
import { secretRedactor } from '../options/secret.ts';
import { runnerError } from '../runner-error.ts';
import type { ProcessSettings } from './options.ts';
import type { PrintedOutput } from './output.ts';

export interface Exit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The output of a program that has exited. Throws the rejection of the call. */
export function resultOf(settings: ProcessSettings, exit: Exit, printed: PrintedOutput): unknown {
  const { exitCode } = exit;
  if (exitCode === null || !settings.successExitCodes.includes(exitCode)) throw exitError(settings, exit, printed);
  const stdout = printed.stdout();
  if (settings.output === 'text') return stdout;
  const json = settings.output === 'json' ? stdout : lastResultLine(stdout);
  const value = parseJsonOrUndefined(json);
  if (value !== undefined) return value;
  throw runnerError('INVALID_RESPONSE', `${settings.command} did not print JSON: ${excerpt(json)}; for plain text set output: text`, {
    exitCode,
    stderr: secretRedactor(settings.env)(printed.stderrTail()),
  });
}

/** Reports a progress or partial line; other lines are left for the result. */
export function reportLine(line: string, context: AttemptContext): void {
  const report = reportOf(line);
  if (report === undefined) return;
  if ('partial' in report) context.reportPartial(report['partial']);
  else context.reportProgress(progressOf(report['progress']));
}

function reportOf(line: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJsonOrUndefined(line);
  if (!isRecord(value)) return undefined;
  const [field, ...others] = Object.keys(value);
  return others.length === 0 && (field === 'progress' || field === 'partial') ? value : undefined;
}

function progressOf(value: unknown): Progress {
  if (typeof value === 'number') return { progress: value };
  if (!isRecord(value)) return { message: String(value) };
  const { progress, total, message } = value;
  return {
    ...(typeof progress === 'number' ? { progress } : {}),
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  };
}

function lastResultLine(stdout: string): string {
  return stdout.split('\n').findLast((line) => line.trim() !== '' && reportOf(line) === undefined) ?? '';
}

function exitError(settings: ProcessSettings, { exitCode, signal }: Exit, printed: PrintedOutput): Error {
  const evidence = readError(printed.stdout()) ?? readError(printed.stderrTail()) ?? {};
  const stderr = secretRedactor(settings.env)(printed.stderrTail());
  const how = signal === null ? `exited with code ${exitCode}` : `was ended by ${signal}`;
  const why = lastLine(stderr);
  const error = runnerError('PROCESS_EXITED', `${settings.command} ${how}${why === '' ? '' : `: ${excerpt(why)}`}`, {
    exitCode: exitCode ?? undefined,
    signal: signal ?? undefined,
    stderr,
  });
  return Object.assign(error, evidence);
}

/** `{ "error": { message, code, status, retryAfterMs } }`, as the complete text or its last line. */
function readError(printed: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJsonOrUndefined(printed) ?? parseJsonOrUndefined(lastLine(printed));
  const error = isRecord(value) ? value['error'] : undefined;
  if (typeof error === 'string') return { message: error };
  if (!isRecord(error)) return undefined;
  const { message, code, status, retryAfterMs } = error;
  return {
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof retryAfterMs === 'number' && retryAfterMs >= 0 ? { retryAfterMs } : {}),
  };
}

function lastLine(printed: string): string {
  return printed.split('\n').findLast((line) => line.trim() !== '') ?? '';
}

function excerpt(printed: string): string {
  const line = printed.trim();
  if (line === '') return '(nothing)';
  return truncate(line, 200);
}
