/** Owns shrinking a scene with a finding: everything that can be removed without losing the finding is removed. */
import type { PlannedCall } from '@holdfast/core';
import { runScene } from './run-scene.ts';
import type { FuzzScene, FuzzTool, FuzzTurn } from './scene/scene.ts';

/** Maximum number of runs per finding. */
const MAX_RUNS = 250;

export interface Shrunk {
  readonly scene: FuzzScene;
  readonly found: readonly string[];
}

export async function shrink(scene: FuzzScene, found: readonly string[]): Promise<Shrunk> {
  const wanted = kindOf(found[0] ?? '');
  let smallest: Shrunk = { scene, found };
  let runs = 0;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const candidate of smallerScenes(smallest.scene)) {
      if (runs++ >= MAX_RUNS) return smallest;
      const { found: still } = await runScene(candidate);
      const same = still.filter((what) => kindOf(what) === wanted);
      if (same.length === 0) continue;
      smallest = { scene: candidate, found: same };
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

/** The kind of a finding, without the ids and times in it. */
function kindOf(what: string): string {
  return what.replaceAll(/[\w-]*\d[\w.]*(?:\/\w+)?/g, '#').slice(0, 60);
}

function* smallerScenes(scene: FuzzScene): Generator<FuzzScene> {
  for (const index of scene.turns.keys()) yield { ...scene, turns: removeAt(scene.turns, index) };
  for (const [index, turn] of scene.turns.entries())
    for (const smaller of smallerTurns(turn)) yield { ...scene, turns: scene.turns.with(index, smaller) };
  for (const name of ['listener', 'store', 'advisor'] as const)
    if (scene.hooks[name] !== 'none') yield { ...scene, hooks: { ...scene.hooks, [name]: 'none' } };
  for (const name of ['wallSteps', 'sleeps', 'commands', 'rules'] as const) if (scene[name].length > 0) yield { ...scene, [name]: [] };
  if (scene.journaled) yield { ...scene, journaled: false };
  if (scene.killAtMs !== undefined) yield withoutField(scene, 'killAtMs');
  const used = new Set(scene.turns.flatMap(({ calls }) => calls.map(({ toolName }) => toolName)));
  for (const [index, tool] of scene.tools.entries()) {
    if (!used.has(tool.name)) yield { ...scene, tools: removeAt(scene.tools, index) };
    for (const smaller of smallerTools(tool)) yield { ...scene, tools: scene.tools.with(index, smaller) };
  }
}

function* smallerTurns(turn: FuzzTurn): Generator<FuzzTurn> {
  for (const { callId } of turn.calls) if (turn.calls.length > 1) yield { ...turn, calls: withoutCall(turn.calls, callId) };
  if (turn.cancelAtMs !== undefined) yield withoutField(turn, 'cancelAtMs');
  for (const name of Object.keys(turn.settings))
    yield { ...turn, settings: withoutField(turn.settings, name as keyof typeof turn.settings) };
  for (const [index, call] of turn.calls.entries())
    for (const name of ['policy', 'optional', 'critical', 'defaults'] as const)
      if (call[name] !== undefined) yield { ...turn, calls: turn.calls.with(index, withoutField(call, name)) };
}

function* smallerTools(tool: FuzzTool): Generator<FuzzTool> {
  if (tool.outages.length > 0) yield { ...tool, outages: [] };
  for (const name of Object.keys(tool.policy)) yield { ...tool, policy: withoutField(tool.policy, name as keyof typeof tool.policy) };
}

function removeAt<Item>(items: readonly Item[], index: number): readonly Item[] {
  return items.filter((_, at) => at !== index);
}

function withoutField<Whole extends object>(whole: Whole, name: keyof Whole): Whole {
  const { [name]: _left, ...rest } = whole;
  return rest as Whole;
}

/** No call depends on it any more. */
function withoutCall<Call extends PlannedCall>(calls: readonly Call[], callId: string): readonly Call[] {
  return calls
    .filter((call) => call.callId !== callId)
    .map((call) => {
      const { dependsOn, defaults, arguments: given, ...rest } = call;
      const isReferred = JSON.stringify(given ?? {}).includes(`"${callId}"`);
      return {
        ...rest,
        arguments: isReferred ? {} : given,
        ...(dependsOn ? { dependsOn: dependsOn.filter((name) => name !== callId) } : {}),
        ...(defaults ? { defaults: Object.fromEntries(Object.entries(defaults).filter(([name]) => name !== callId)) } : {}),
      } as unknown as Call;
    });
}
