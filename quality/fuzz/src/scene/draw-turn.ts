/** Owns random plans: dependent, optional and critical calls, defaults, settings per call; and batches, without dependencies. */
import type { PlannedCall, ToolPolicy, TurnSettings } from '@holdfast/core';
import { ref } from '@holdfast/core';
import type { Draw } from './draw.ts';
import { drawnOnly } from './draw.ts';
import { drawCallPolicy } from './draw-policy.ts';
import type { FuzzTurn } from './scene.ts';
import { secretArguments } from './secrets.ts';

export function drawTurn(draw: Draw, index: number, tools: readonly string[], atMs: number): FuzzTurn {
  const turnId = `turn-${index + 1}`;
  const isBatch = draw.chance(0.25);
  const count = draw.one([1, 1, 2, 3, 4, 6, 9]);
  const calls = Array.from({ length: count }, (_, number) => drawCall(draw, number, tools, isBatch));
  const cancelAtMs = draw.maybe(0.15, () => draw.one([0, 20, 150, 900]) + draw.share());
  return { turnId, atMs, settings: drawTurnSettings(draw), calls, ...(cancelAtMs === undefined ? {} : { cancelAtMs }) };
}

export function drawTurnSettings(draw: Draw): Partial<TurnSettings> {
  return drawnOnly({
    timeoutMs: draw.maybe(0.7, () => (draw.chance(0.1) ? null : draw.one([60, 400, 3_000, 30_000]) + draw.share())),
    concurrency: draw.maybe(0.4, () => draw.one([1, 2, 4])),
    onDeadline: draw.maybe(0.5, () => draw.one(['detach', 'abort'])),
    maxRetries: draw.maybe(0.3, () => draw.one([null, 0, 1, 3, 8])),
  });
}

function drawCall(draw: Draw, number: number, tools: readonly string[], isBatch: boolean): PlannedCall & { readonly callId: string } {
  const drawn =
    isBatch || number === 0 ? [] : [...new Set(Array.from({ length: draw.whole(0, 2) }, () => `c${draw.whole(0, number - 1)}`))];
  const refers = draw.chance(0.2) && drawn.length > 0;
  const dependsOn = refers ? drawn.slice(0, 1) : drawn;
  const policy: ToolPolicy | undefined = draw.maybe(0.12, () => drawCallPolicy(draw, tools));
  return drawnOnly({
    callId: `c${number}`,
    toolName: draw.chance(0.02) ? 'nowhere' : draw.one(tools),
    arguments: { ...secretArguments, number, ...(refers ? { given: ref(dependsOn[0] as string) } : {}) },
    dependsOn: dependsOn.length > 0 && !refers ? dependsOn : undefined,
    optional: draw.maybe(0.2, () => true),
    critical: draw.maybe(0.15, () => true),
    defaults: draw.maybe(0.3, () => Object.fromEntries(dependsOn.filter(() => draw.chance(0.7)).map((name) => [name, { default: true }]))),
    policy,
  });
}
