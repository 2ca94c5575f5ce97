/** Owns random limits of attempts, and how failures without evidence are handled. Drawn separately, over the other settings. */
import type { ProfileName, ToolPolicy } from '@holdfast/core';
import { profiles } from '@holdfast/core';
import { createDraw, drawnOnly } from './draw.ts';
import type { FuzzScene } from './scene.ts';

type Limited = Pick<FuzzScene, 'tools' | 'turns'>;

/** In half of all scenes, tools have limits without progress, or none, and effects that are assumed. */
export function withLimits<Drawn extends Limited>(seed: string, profile: ProfileName, drawn: Drawn): Drawn {
  const draw = createDraw(`${seed} limits`);
  if (!draw.chance(0.5)) return withEnd(profile, drawn);
  const tools = drawn.tools.map((tool) => {
    const limits: ToolPolicy = drawnOnly({
      timeoutMs: draw.maybe(0.2, () => Number.POSITIVE_INFINITY),
      idleTimeoutMs: draw.maybe(0.4, () => draw.one([60, 300, 1_200]) + 0.125),
      assumedEffect: draw.maybe(0.3, () => draw.one(['read', 'idempotent', 'unsafe'])),
      unknownFailures: draw.maybe(0.4, () => draw.one(['retry', 'report'])),
    });
    return { ...tool, policy: { ...tool.policy, ...limits } };
  });
  return withEnd(profile, { ...drawn, tools });
}

const lastResortMs = 2_500.25;

/** A tool that never answers needs a limit, its own or that of the turn. */
function withEnd<Drawn extends Limited>(profile: ProfileName, drawn: Drawn): Drawn {
  const { tool, turn } = profiles[profile];
  const isEndless = drawn.turns.some(({ settings }) => (settings.timeoutMs === undefined ? turn.timeoutMs : settings.timeoutMs) === null);
  if (!isEndless) return drawn;
  const tools = drawn.tools.map((each) => {
    const { timeoutMs = tool.timeoutMs, idleTimeoutMs } = each.policy;
    const hasLimit = Number.isFinite(timeoutMs) || idleTimeoutMs !== undefined;
    return hasLimit ? each : { ...each, policy: { ...each.policy, timeoutMs: lastResortMs } };
  });
  return { ...drawn, tools };
}
