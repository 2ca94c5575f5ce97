/** A client of a running gateway: the part of its API that commands need. */
import { setTimeout as wait } from 'node:timers/promises';
import type { TraceEvent } from '@holdfast/core';
import type { CircuitCommand, ToolCircuit } from '@holdfast/gateway/contract';
import { turnEndOf } from '@holdfast/core/trace';
import { UsageError } from '../exit-codes.ts';

export interface GatewayAddress {
  readonly url: string;
  /** The token's value, if the gateway requires one. */
  readonly token: string | undefined;
}

/** @throws UsageError when the URL is invalid or the token is not set. */
export function gatewayAddress(url: string, tokenEnv: string | undefined): GatewayAddress {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(`--gateway: '${url}' is not a URL. Give one such as http://127.0.0.1:7340`);
  if (tokenEnv === undefined) return { url, token: undefined };
  const token = process.env[tokenEnv];
  if (token === undefined || token === '') throw new UsageError(`--token-env: the environment variable ${tokenEnv} is not set.`);
  return { url, token };
}

export interface GatewayReport {
  readonly turn_id: string;
  readonly outcome: 'success' | 'partial' | 'failed' | 'deadline' | 'cancelled';
  readonly results: readonly { readonly call_id: string; readonly tool: string; readonly served_by: string; readonly output?: unknown }[];
}

export interface TurnOverrides {
  readonly turnId?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Starts the turn; resolves with its id. @throws UsageError when the gateway rejects it or cannot be reached. */
export async function startTurn(gateway: GatewayAddress, source: string, { turnId, timeoutMs }: TurnOverrides): Promise<string> {
  const query = new URLSearchParams({ wait: 'false' });
  if (turnId !== undefined) query.set('turn_id', turnId);
  if (timeoutMs !== undefined) query.set('timeout_ms', String(timeoutMs));
  const response = await request(gateway, `/v1/turns?${query.toString()}`, {
    method: 'POST',
    headers: { 'content-type': 'application/yaml' },
    body: source,
  });
  return ((await response.json()) as { readonly turn_id: string }).turn_id;
}

/** The wait before a broken stream is reconnected. Doubles each time, and resets when events arrive. */
const reconnectDelay = { minMs: 100, maxMs: 5_000 } as const;

/**
 * Every event of the turn from the start, as it happens. Returns when the turn has ended or was interrupted. Reconnects a stream that breaks.
 */
export async function* turnEvents(gateway: GatewayAddress, turnId: string): AsyncGenerator<TraceEvent> {
  let after = '';
  let delayMs: number = reconnectDelay.minMs;
  for (;;) {
    for await (const event of readStream(gateway, turnId, after)) {
      after = String(event.seq);
      delayMs = reconnectDelay.minMs;
      yield event;
      if (turnEndOf(event) !== undefined) return;
    }
    if ((await turnState(gateway, turnId)) === 'interrupted') return;
    await wait(delayMs);
    delayMs = Math.min(delayMs * 2, reconnectDelay.maxMs);
  }
}

/** One stream, until it ends or breaks. */
async function* readStream(gateway: GatewayAddress, turnId: string, after: string): AsyncGenerator<TraceEvent> {
  const headers = { accept: 'application/x-ndjson', ...(after === '' ? {} : { 'last-event-id': after }) };
  const response = await request(gateway, `/v1/turns/${encodeURIComponent(turnId)}/events`, { headers });
  const events = parseLines(response);
  for (;;) {
    const next = await events.next().catch(() => streamBroken);
    if (next.done === true) return;
    yield next.value;
  }
}

const streamBroken = { done: true, value: undefined } as const;

async function turnState(gateway: GatewayAddress, turnId: string): Promise<string | undefined> {
  const response = await request(gateway, `/v1/turns/${encodeURIComponent(turnId)}?limit=0`, {});
  return ((await response.json()) as { readonly state?: string }).state;
}

/** `undefined` if the turn was interrupted: then there is no report. */
export async function turnReport(gateway: GatewayAddress, turnId: string): Promise<GatewayReport | undefined> {
  const response = await request(gateway, `/v1/turns/${encodeURIComponent(turnId)}`, {});
  const { report, state } = (await response.json()) as { readonly report?: GatewayReport; readonly state?: string };
  if (!report && state !== 'interrupted') throw new UsageError(`turn ${turnId} is still running, according to the gateway.`);
  return report;
}

export async function cancelTurn(gateway: GatewayAddress, turnId: string): Promise<void> {
  await request(gateway, `/v1/turns/${encodeURIComponent(turnId)}/cancel`, { method: 'POST' });
}

/** `client`: only its circuit. */
export async function controlCircuit(
  gateway: GatewayAddress,
  tool: string,
  body: { readonly command: CircuitCommand; readonly client?: string | undefined },
): Promise<ToolCircuit> {
  const response = await request(gateway, `/v1/tools/${encodeURIComponent(tool)}/circuit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as ToolCircuit;
}

interface GatewayRequest {
  readonly method?: 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function request({ url, token }: GatewayAddress, path: string, init: GatewayRequest): Promise<Response> {
  const headers = { ...init.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  let response: Response;
  try {
    response = await fetch(new URL(path, url), { ...init, headers });
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    throw new UsageError(`there is no gateway at ${url} (${cause?.code ?? String(error)}).\nStart one with: holdfast serve`);
  }
  if (response.ok) return response;
  throw new UsageError(`the gateway at ${url} rejected the request: ${problemOf(await response.text(), response.status)}`);
}

function problemOf(body: string, status: number): string {
  try {
    const { detail, error } = JSON.parse(body) as {
      readonly detail?: string;
      readonly error?: { readonly hint?: string; readonly suggestion?: string };
    };
    const meant = error?.suggestion === undefined ? undefined : `Did you mean ${error.suggestion}?`;
    return [detail === undefined ? `status ${status}` : detail.replace(/(?<=\w|'|")$/, '.'), meant, error?.hint]
      .filter((part) => part !== undefined)
      .join(' ');
  } catch {
    return `status ${status}`;
  }
}

async function* parseLines({ body }: Response): AsyncGenerator<TraceEvent> {
  let rest = '';
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as TraceEvent;
  }
}
