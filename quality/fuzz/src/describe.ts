/** Owns how scenes and their events are printed. */
import type { Play } from './play/observation.ts';
import type { FuzzScene } from './scene/scene.ts';

/** A scene, one line per part. */
export function describeScene(scene: FuzzScene): readonly string[] {
  const { profile, capture, ties, hooks, tools, turns, wallSteps, sleeps, commands, rules, killAtMs } = scene;
  return [
    `profile ${profile}, capture ${capture}, hooks ${show(hooks)}${ties ? ', simultaneous events' : ''}`,
    ...tools.map(
      ({ name, failureMode, outages, policy }) =>
        `tool ${name} (${failureMode}${outages.length > 0 ? `, down ${show(outages)}` : ''}): ${show(policy)}`,
    ),
    ...turns.flatMap(({ turnId, atMs, settings, cancelAtMs, calls }) => [
      `${turnId} at ${atMs.toFixed(3)} ms${cancelAtMs === undefined ? '' : `, cancelled after ${cancelAtMs.toFixed(3)} ms`}: ${show(settings)}`,
      ...calls.map(({ callId, toolName, arguments: _arguments, ...rest }) => `  ${callId} ${toolName} ${show(rest)}`),
    ]),
    ...wallSteps.map(({ atMs, byMs }) => `wall clock steps by ${byMs} ms at ${atMs} ms`),
    ...sleeps.map(({ atMs, forMs }) => `the machine sleeps for ${forMs} ms at ${atMs.toFixed(3)} ms`),
    ...commands.map(({ atMs, toolName, command }) => `circuit of ${toolName}: ${command} at ${atMs} ms`),
    ...(rules.length > 0 ? [`rules ${show(rules)}`] : []),
    ...(killAtMs === undefined ? [] : [`killed at ${killAtMs} ms, and started again`]),
  ];
}

/** What its tools saw and what the trace records, in order. */
export function describePlay({ driver, works, events }: Play): readonly string[] {
  const seen = works.map(({ order, beganAt, toolName, turnId, callId, attempt, script, endedAt, abortedAt }) => ({
    order,
    text: `${time(beganAt)}   > ${toolName} for ${turnId}/${callId} attempt ${attempt}: ${script.kind}, ends at ${time(endedAt)}${abortedAt < Number.POSITIVE_INFINITY ? `, aborted at ${time(abortedAt)}` : ''}`,
  }));
  const recorded = events.map(
    ({ order, at, event: { event_type, turn_id, seq, timestamp: _timestamp, elapsed_ms: _elapsed, ...rest } }) => ({
      order,
      text: `${time(at)} ${event_type} ${turn_id} #${seq} ${show(rest)}`,
    }),
  );
  return [`played ${driver.replace('_', ' ')}:`, ...[...seen, ...recorded].toSorted((a, b) => a.order - b.order).map(({ text }) => text)];
}

function time(at: number): string {
  return Number.isFinite(at) ? at.toFixed(3) : 'never';
}

function show(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (key === 'guards' || key === 'tools' || key === 'base' || key === 'circuits') return undefined;
    if (typeof part === 'bigint') return String(part);
    return part === Number.POSITIVE_INFINITY ? 'Infinity' : part;
  });
}
