import type { Case } from '../cases/case.ts';
import { callLoop } from '../timing/loop.ts';

export interface WarmCalls {
  /** Makes about that many calls, and returns how many. */
  readonly make: (atLeast: number) => Promise<number>;
  readonly close: () => Promise<void>;
}

/** Holdfast's part of a case, warm. */
export async function warmCalls({ name, holdfast }: Case): Promise<WarmCalls> {
  if (!holdfast) throw new Error(`The case '${name}' has no calls to inspect.`);
  const { call, callsInOne = 1, close } = await holdfast();
  const make = repeat(call, callsInOne);
  const until = performance.now() + 1_500;
  while (performance.now() < until) await make(100);
  return {
    make,
    async close() {
      await close?.();
    },
  };
}

export function repeat(call: () => unknown, callsInOne: number): WarmCalls['make'] {
  const loop = callLoop(call, false);
  const perTurn = callsInOne === 1 ? 64 : 1;
  return async (atLeast) => {
    const turns = Math.ceil(atLeast / callsInOne / perTurn);
    await loop(turns, perTurn);
    return turns * perTurn * callsInOne;
  };
}
