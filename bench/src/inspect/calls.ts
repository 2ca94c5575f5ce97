import type { Case } from '../cases/case.ts';
import type { ProtectedJob } from '../contenders/contender.ts';
import { callLoop, type CallLoop } from '../timing/loop.ts';

/** Holdfast's part of a case, warm. */
export async function warmCalls({ name, holdfast }: Case): Promise<CallLoop> {
  if (!holdfast) throw new Error(`The case '${name}' has no single call that could be looked into.`);
  const { call }: ProtectedJob = await holdfast();
  const loop = callLoop(call, false);
  const until = performance.now() + 1_000;
  while (performance.now() < until) await loop(10, 64);
  return loop;
}
