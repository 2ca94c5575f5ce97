/** Owns talking to a running gateway: its Turn API, as far as a turn needs it. */
import { setTimeout as wait } from 'node:timers/promises';
import type { TraceEvent } from '@holdfast/core';
import { turnEndOf } from '@holdfast/core/trace';
import { UsageError } from '../exit-codes.ts';

export interface GatewayAddress {
  readonly url: string;
  /** The value of the token, where the gateway wants one. */
  readonly token: string | undefined;
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

/** Starts the turn; resolves with its id. @throws UsageError when the gateway does not take it, or is not there. */
export async function startTurn(gateway: GatewayAddress, source: string, { turnId, timeoutMs }: TurnOverrides): Promise<string> {
  const query = new URLSearchParams({ wait: 'false' });
  if (turnId !== undefined) query.set('turn_id', turnId);
  if (timeoutMs !== undefined) query.set('timeout_ms', String(timeoutMs));
  const response = await ask(gateway, `/v1/turns?${query.toString()}`, {
    method: 'POST',
    headers: { 'content-type': 'application/yaml' },
    body: source,
  });
  return ((await response.json()) as { readonly turn_id: string }).turn_id;
}

/** Before a stream is taken up again that broke off; each time twice as long, unless it brought something. */
const pauses = { leastMs: 100, mostMs: 5_000 } as const;

/**
 * Every event of the turn from its beginning, as it happens; returns when the turn has ended, or never will: its gateway has gone without an end. A stream that
 * breaks off is taken up again.
 */
export async function* turnEvents(gateway: GatewayAddress, turnId: string): AsyncGenerator<TraceEvent> {
  let after = '';
  let pauseMs: number = pauses.leastMs;
  for (;;) {
    for await (const event of streamOf(gateway, turnId, after)) {
      after = String(event.seq);
      pauseMs = pauses.leastMs;
      yield event;
      if (turnEndOf(event) !== undefined) return;
    }
    if ((await turnState(gateway, turnId)) === 'interrupted') return;
    await wait(pauseMs);
    pauseMs = Math.min(pauseMs * 2, pauses.mostMs);
  }
}

/** One stream, until it ends or breaks off. */
async function* streamOf(gateway: GatewayAddress, turnId: string, after: string): AsyncGenerator<TraceEvent> {
  const headers = { accept: 'application/x-ndjson', ...(after === '' ? {} : { 'last-event-id': after }) };
  const response = await ask(gateway, `/v1/turns/${encodeURIComponent(turnId)}/events`, { headers });
  const events = jsonLines(response);
  for (;;) {
    const next = await events.next().catch(() => brokenOff);
    if (next.done === true) return;
    yield next.value;
  }
}

const brokenOff = { done: true, value: undefined } as const;

async function turnState(gateway: GatewayAddress, turnId: string): Promise<string | undefined> {
  const response = await ask(gateway, `/v1/turns/${encodeURIComponent(turnId)}?limit=0`, {});
  return ((await response.json()) as { readonly state?: string }).state;
}

/** `undefined`: the turn was interrupted, and has none. */
export async function turnReport(gateway: GatewayAddress, turnId: string): Promise<GatewayReport | undefined> {
  const response = await ask(gateway, `/v1/turns/${encodeURIComponent(turnId)}`, {});
  const { report, state } = (await response.json()) as { readonly report?: GatewayReport; readonly state?: string };
  if (!report && state !== 'interrupted') throw new UsageError(`the gateway says that the turn ${turnId} still runs.`);
  return report;
}

export async function cancelTurn(gateway: GatewayAddress, turnId: string): Promise<void> {
  await ask(gateway, `/v1/turns/${encodeURIComponent(turnId)}/cancel`, { method: 'POST' });
}

interface GatewayRequest {
  readonly method?: 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function ask({ url, token }: GatewayAddress, path: string, request: GatewayRequest): Promise<Response> {
  const headers = { ...request.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  let response: Response;
  try {
    response = await fetch(new URL(path, url), { ...request, headers });
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    throw new UsageError(`there is no gateway at ${url} (${cause?.code ?? String(error)}).\nStart one with: holdfast serve`);
  }
  if (response.ok) return response;
  throw new UsageError(`the gateway at ${url} refused: ${problemOf(await response.text(), response.status)}`);
}

function problemOf(body: string, status: number): string {
  try {
    const { detail, error } = JSON.parse(body) as { readonly detail?: string; readonly error?: { readonly hint?: string } };
    return [detail ?? `status ${status}`, error?.hint].filter((part) => part !== undefined).join(' ');
  } catch {
    return `status ${status}`;
  }
}

async function* jsonLines({ body }: Response): AsyncGenerator<TraceEvent> {
  let rest = '';
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as TraceEvent;
  }
}
