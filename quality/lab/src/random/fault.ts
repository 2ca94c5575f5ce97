/** Owns the faults of a generated world. */
import type { ErrorAnswer, FaultSpan, RetryAfter, Service, WorldFault, WorldFaultKind } from '@holdfast/simulate';
import type { Draw } from './draw.ts';

export interface FaultScene {
  readonly durationMs: number;
  /** Calls per second. */
  readonly rate: number;
  readonly service: Service;
}

export function drawFault(draw: Draw, scene: FaultScene): WorldFault {
  const always = draw.chance(0.2);
  const { durationMs } = scene;
  const kind = drawKind(draw, always, scene);
  if (always) return { service: 'service', fromMs: 0, forMs: durationMs * 20, ...kind };
  return {
    service: 'service',
    fromMs: Math.round(durationMs * draw.uniform(0.1, 0.5)),
    forMs: Math.round(durationMs * draw.logUniform(0.01, 0.35)),
    ...drawAftermath(draw, scene),
    ...kind,
  };
}

function drawAftermath(draw: Draw, { rate }: FaultScene): Pick<FaultSpan, 'recoverOverMs' | 'recoverSteps' | 'coldCache'> {
  return draw.weighted<() => Pick<FaultSpan, 'recoverOverMs' | 'recoverSteps' | 'coldCache'>>(
    [6, () => ({})],
    [1, () => ({ recoverOverMs: Math.round(draw.uniform(5_000, 60_000)) })],
    [1, () => ({ recoverOverMs: Math.round(draw.uniform(10_000, 60_000)), recoverSteps: draw.pick([1, 2, 3, 4]) })],
    [1, () => ({ coldCache: { factor: draw.uniform(1.5, 8), requests: Math.ceil(rate * draw.logUniform(1, 60)) } })],
  )();
}

function drawKind(draw: Draw, always: boolean, scene: FaultScene): WorldFaultKind {
  const kinds: [number, () => WorldFaultKind][] = [
    [2, () => ({ kind: 'random_failures', share: draw.logUniform(0.02, 0.95), ...drawAnswer(draw) })],
    // A healthy service that says once in a while that it wants to be left alone.
    [1, () => ({ kind: 'random_failures', share: draw.logUniform(0.0003, 0.01), ...drawAnswer(draw), retryAfterS: drawHint(draw) })],
    [1, () => ({ kind: 'lost_answers', share: draw.logUniform(0.02, 0.5) })],
    [1, () => ({ kind: 'slow', factor: draw.logUniform(1.5, 20), ...(draw.chance(0.5) && { grows: true }) })],
    [1, () => ({ kind: 'slow', factor: draw.logUniform(10, 150), share: draw.logUniform(0.002, 0.05) })],
    [1, () => ({ kind: 'slow', factor: draw.logUniform(2, 20), periodMs: Math.round(draw.logUniform(2_000, 60_000)) })],
    [2, () => ({ kind: 'brownout', capacity: draw.uniform(0.05, 0.8) })],
    [1, () => ({ kind: 'permanent', share: draw.logUniform(0.005, 0.5), status: draw.pick([400, 500]) })],
    [1, () => drawWindow(draw, scene)],
    [1, () => drawBucket(draw, scene)],
    [2, () => ({ kind: 'flapping', downMs: drawRange(draw), upMs: drawRange(draw), ...drawAnswer(draw) })],
  ];
  if ((scene.service.replicas ?? 1) > 1)
    kinds.push([4, () => ({ kind: 'bad_replica', replica: 0, how: draw.pick(['errors', 'black_hole', 'slow', 'gone'] as const) })]);
  if (!always) kinds.push([4, () => ({ kind: 'outage', ...drawAnswer(draw) })], [3, () => ({ kind: 'black_hole' })]);
  return draw.weighted(...kinds)();
}

function drawAnswer(draw: Draw): ErrorAnswer {
  const retryAfterS = draw.chance(0.3) ? drawHint(draw) : 'none';
  return {
    status: draw.weighted([3, 503], [1, 500], [1, 502]),
    answerMs: Math.round(draw.logUniform(5, 2_000)),
    ...(retryAfterS !== 'none' && { retryAfterS }),
  };
}

/** Right by chance only. */
function drawHint(draw: Draw): RetryAfter {
  return draw.weighted([2, Math.round(draw.logUniform(1, 30))], [1, 0], [1, Math.round(draw.logUniform(30, 600))], [2, 3_600]);
}

/** What a limit says: the truth, something wrong, or nothing. */
function drawRefusal(draw: Draw): { readonly retryAfterS?: RetryAfter } {
  return draw.weighted([4, {}], [1, { retryAfterS: drawHint(draw) }], [1, { retryAfterS: 'none' }]);
}

function drawWindow(draw: Draw, { rate }: FaultScene): WorldFaultKind {
  const windowMs = draw.pick([1_000, 10_000, 60_000]);
  const limit = Math.max(1, Math.round((rate * draw.uniform(0.6, 1.3) * windowMs) / 1_000));
  return { kind: 'rate_limit', limit, windowMs, ...drawRefusal(draw) };
}

function drawBucket(draw: Draw, { rate }: FaultScene): WorldFaultKind {
  const ratePerSecond = rate * draw.uniform(0.6, 1.3);
  return {
    kind: 'token_bucket',
    ratePerSecond,
    burst: Math.max(1, Math.round(ratePerSecond * draw.logUniform(0.1, 20))),
    ...drawRefusal(draw),
  };
}

function drawRange(draw: Draw): readonly [number, number] {
  const low = Math.round(draw.logUniform(500, 20_000));
  return [low, Math.round(low * draw.uniform(1, 3))];
}
