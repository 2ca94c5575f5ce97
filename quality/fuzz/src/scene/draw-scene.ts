/** Owns random scenes. */
import type { RecoveryRule, ProfileName } from '@holdfast/core';
import type { Draw } from './draw.ts';
import { createDraw } from './draw.ts';
import { withLimits } from './draw-limits.ts';
import { drawPolicy, drawRecovery } from './draw-policy.ts';
import { drawTurn, drawTurnSettings } from './draw-turn.ts';
import { failureModes } from './failure-mode.ts';
import type { FuzzHooks, FuzzScene, FuzzTool, Hook } from './scene.ts';
import type { TurnTemplate } from './template.ts';

export interface DrawSceneOptions {
  /** @default drawn */
  readonly profile?: ProfileName | undefined;
  /** A written turn in place of random ones: only its faults are drawn. */
  readonly template?: TurnTemplate | undefined;
}

export function drawScene(seed: string, { profile, template }: DrawSceneOptions = {}): FuzzScene {
  const draw = createDraw(seed);
  const drawn = draw.one(['spec', 'service', 'adaptive', 'adaptive'] as const);
  const common = {
    seed,
    profile: profile ?? template?.profile ?? drawn,
    capture: draw.one(['none', 'arguments', 'all'] as const),
    ties: draw.chance(0.25),
    hooks: drawHooks(seed, draw),
    journaled: draw.chance(0.4),
    wallSteps: Array.from({ length: draw.one([0, 0, 1, 3]) }, () => ({
      atMs: draw.whole(0, 2_000),
      byMs: draw.one([-86_400_000, -3_000, 40, 7_200_000]),
    })),
    sleeps: drawSleeps(seed),
    rules: draw.chance(0.15) ? [drawRule(draw)] : [],
  };
  const parts = template ? templateScene(seed, draw, template) : withRecovery(seed, randomScene(draw));
  return { ...common, ...withLimits(seed, common.profile, parts) };
}

type Drawn = Pick<FuzzScene, 'tools' | 'turns' | 'commands' | 'killAtMs'>;

function randomScene(draw: Draw): Drawn {
  const names = ['alpha', 'beta', 'gamma'].slice(0, draw.whole(1, 3));
  const isPlain = draw.chance(0.2);
  const tools = names.map((name): FuzzTool => {
    const policy = isPlain
      ? {}
      : drawPolicy(
          draw,
          names.filter((other) => other !== name),
        );
    return { name, policy, failureMode: draw.one(failureModes), outages: drawOutages(draw, 3_000) };
  });
  let atMs = 0;
  const turns = Array.from({ length: draw.one([1, 1, 2, 4, 8]) }, (_, index) => {
    atMs += draw.one([0, 0, 35, 400, 2_000]) * draw.share();
    return drawTurn(draw, index, names, atMs);
  });
  const commands = draw.chance(0.1)
    ? [{ atMs: draw.whole(0, 1_500), toolName: draw.one(names), command: draw.one(['reset', 'forced_open', 'disabled', 'shadow', 'auto']) }]
    : [];
  const killAtMs = draw.maybe(0.12, () => draw.whole(10, 3_000));
  return { tools, turns, commands, ...(killAtMs === undefined ? {} : { killAtMs }) };
}

/** In a third of all scenes, tools wait for recovery with settings of their own. */
function withRecovery(seed: string, drawn: Drawn): Drawn {
  const draw = createDraw(`${seed} recovery`);
  if (!draw.chance(0.33)) return drawn;
  return {
    ...drawn,
    tools: drawn.tools.map((tool) => {
      const policy = drawRecovery(draw, tool.policy);
      return draw.chance(0.3) ? { ...tool, failureMode: 'slow', policy: { ...policy, ...drawProbed(draw, policy) } } : { ...tool, policy };
    }),
  };
}

/** Probes that take longer than the time to the next one, with many waiting calls. */
function drawProbed(draw: Draw, { breaker }: FuzzTool['policy']): FuzzTool['policy'] {
  return {
    timeoutMs: 600.25,
    alternatives: [],
    concurrency: false,
    waitForRecovery: { maxWaitMs: draw.one([3_000, 60_000]) },
    breaker: { ...breaker, failureThreshold: 1, openMs: 30 },
  };
}

/** The turn, once or several times, its tools in any failure mode. */
function templateScene(seed: string, draw: Draw, { name, tools, turn }: TurnTemplate): Drawn {
  const settings = draw.chance(0.5) ? turn.settings : { ...turn.settings, ...drawTurnSettings(draw) };
  const maxMs = Math.max(...tools.map(({ policy }) => Math.min(policy.timeoutMs ?? 30_000, 600_000)));
  const cancelAtMs = draw.maybe(0.15, () => draw.share() * draw.one([20, 1_000, maxMs * 2]));
  const cancel = cancelAtMs === undefined ? {} : { cancelAtMs };
  const deaths = createDraw(`${seed} death in ${name}`);
  const killAtMs = deaths.maybe(0.15, () => deaths.share() * deaths.one([50, 1_000, maxMs * 2]));
  let atMs = 0;
  const turns = Array.from({ length: draw.one([1, 1, 2, 4]) }, (_, index) => {
    atMs += draw.one([0, 50, 2_000, 40_000]) * draw.share();
    return { turnId: `turn-${index + 1}`, atMs, settings, calls: turn.calls, ...cancel };
  });
  return {
    tools: tools.map((tool) => ({ ...tool, failureMode: draw.one(failureModes), outages: drawOutages(draw, 2 * maxMs) })),
    turns,
    commands: [],
    ...(killAtMs === undefined ? {} : { killAtMs }),
  };
}

function drawOutages(draw: Draw, withinMs: number): FuzzTool['outages'] {
  if (draw.chance(0.6)) return [];
  const fromMs = draw.share() * withinMs;
  return [[fromMs, fromMs + draw.share() * withinMs]];
}

function drawHooks(seed: string, draw: Draw): FuzzHooks {
  const hook = (): Hook => draw.one(['none', 'none', 'good', 'throws', 'rejects', 'stalls']);
  const hooks = { listener: hook(), store: hook(), advisor: draw.chance(0.6) ? ('none' as const) : hook() };
  return hooks.advisor === 'good' && createDraw(`${seed} advisor`).chance(0.6) ? { ...hooks, advisor: 'slow' } : hooks;
}

/** In an eighth of all scenes: for less than a limit, for more than most, for longer than any turn. */
function drawSleeps(seed: string): FuzzScene['sleeps'] {
  const draw = createDraw(`${seed} sleeps`);
  if (!draw.chance(0.125)) return [];
  let awakeAt = 0;
  return Array.from({ length: draw.whole(1, 2) }, () => {
    const atMs = awakeAt + draw.share() * draw.one([100, 1_000, 4_000]);
    const forMs = draw.one([70, 900, 8_000, 400_000]);
    awakeAt = atMs + forMs;
    return { atMs, forMs };
  });
}

function drawRule(draw: Draw): RecoveryRule {
  const strategy = draw.one(['retry', 'use_alternative', 'use_default', 'accept_partial'] as const);
  return draw.one([
    { name: 'never', deny: [strategy] },
    { name: 'rather', prefer: strategy },
    { name: 'when transient', when: { classification: ['transient'] }, deny: [strategy] },
  ]);
}
