/** Owns the turns of a run: their plans, a client that sends each until it is accepted, and what the gateway says of them. */
import { setTimeout as wait } from 'node:timers/promises';
import { between } from './random.ts';
import type { Arguments } from './tools.ts';

interface PlannedCall {
  readonly call_id: string;
  readonly tool_id: string;
  readonly arguments: Arguments;
  readonly depends_on: readonly string[];
}

export interface Plan {
  readonly turn_id: string;
  readonly timeout_ms: number;
  readonly calls: readonly PlannedCall[];
}

const callsPerTurn = 10;

/** Ten calls one after the other; half of the turns have two calls that must not run twice. */
export function planOf(number: number, random: () => number): Plan {
  const pays = number % 2 === 0 ? [3, 7] : [];
  const calls = Array.from({ length: callsPerTurn }, (_, index): PlannedCall => ({
    call_id: `c${index}`,
    tool_id: pays.includes(index) ? 'pay' : random() < 0.5 ? 'look' : 'save',
    arguments: { turn: `turn-${number}`, call: `c${index}`, wait_ms: Math.round(between(random, 10, 250)) },
    depends_on: index === 0 ? [] : [`c${index - 1}`],
  }));
  return { turn_id: `turn-${number}`, timeout_ms: 300_000, calls };
}

interface Call {
  readonly call_id: string;
  readonly tool_id: string;
  readonly status: string;
  readonly output?: unknown;
  readonly attempts?: number;
  readonly error?: { readonly code: string };
}

export interface TurnDetail {
  readonly state: string;
  readonly report?: { readonly from_trace?: boolean; readonly results: readonly Call[] };
  readonly events: readonly { readonly seq: number; readonly event_type: string; readonly repeated?: readonly string[] }[];
}

const requestMs = 5_000;

export class TurnClient {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Sends a turn until a gateway has accepted it: under its id it runs only once. */
  async submit(plan: Plan): Promise<void> {
    for (;;) {
      const status = await this.#request('POST', '/v1/turns?wait=false', plan);
      if (status !== undefined && (status.status === 200 || status.status === 202)) return;
      if (status !== undefined && status.status < 500 && status.status !== 429)
        throw new Error(`Turn ${plan.turn_id} was refused: ${status.status} ${JSON.stringify(status.body)}`);
      await wait(300);
    }
  }

  /** `undefined` when the gateway does not answer. */
  async detail(turnId: string): Promise<TurnDetail | undefined> {
    const answer = await this.#request('GET', `/v1/turns/${turnId}?limit=10000`);
    return answer?.status === 200 ? (answer.body as TurnDetail) : undefined;
  }

  /** The states of all turns, by id, as a list shows them. `filter`: with it, the list comes from the facts of the dashboard. */
  async list(filter = ''): Promise<ReadonlyMap<string, string>> {
    const states = new Map<string, string>();
    let cursor: string | undefined;
    do {
      const query = `limit=100${filter}${cursor === undefined ? '' : `&cursor=${cursor}`}`;
      const answer = await this.#request('GET', `/v1/turns?${query}`);
      if (answer?.status !== 200) return new Map();
      const page = answer.body as {
        readonly turns: readonly { readonly turn_id: string; readonly state: string }[];
        readonly next_cursor?: string;
      };
      for (const { turn_id: turnId, state } of page.turns) states.set(turnId, state);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    return states;
  }

  async #request(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown } | undefined> {
    try {
      const response = await fetch(this.#url + path, {
        method,
        headers: { 'content-type': 'application/json' },
        signal: AbortSignal.timeout(requestMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    } catch {
      return undefined;
    }
  }
}
