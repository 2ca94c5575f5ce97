/** Owns the script of one attempt, drawn from the seed. Does not own how it is played. */
import { drawAt } from '@holdfast/core/internal';
import type { FailureMode } from './failure-mode.ts';
import type { FuzzScene, FuzzTool } from './scene.ts';

type AttemptKind = 'ok' | 'huge' | 'not_json' | '503' | '429' | '400' | 'refused' | 'reset' | 'text' | 'nothing' | 'secret' | 'never';

/** The form in which a server sends Retry-After. */
type RetryAfterForm = 'seconds' | 'date' | 'past_date' | 'zero' | 'milliseconds' | 'garbage' | 'negative';

export interface AttemptScript {
  readonly kind: AttemptKind;
  /** When it ends; `Infinity`: never. */
  readonly afterMs: number;
  readonly retryAfter?: { readonly form: RetryAfterForm; readonly milliseconds: number };
  /** How long the work continues after it was aborted; `Infinity`: it ignores the abort. */
  readonly stopsAfterMs: number;
  readonly partialsAfterMs: readonly number[];
}

type Weights = readonly (readonly [AttemptKind, number])[];

const weights: Readonly<Record<FailureMode, Weights>> = {
  healthy: [
    ['ok', 95],
    ['503', 5],
  ],
  flaky: [
    ['ok', 50],
    ['503', 25],
    ['reset', 10],
    ['429', 5],
    ['refused', 5],
    ['text', 3],
    ['nothing', 2],
  ],
  dead: [
    ['503', 50],
    ['refused', 20],
    ['never', 20],
    ['reset', 10],
  ],
  limited: [
    ['429', 60],
    ['ok', 40],
  ],
  slow: [
    ['ok', 60],
    ['never', 25],
    ['503', 15],
  ],
  wrong: [
    ['400', 70],
    ['ok', 20],
    ['503', 10],
  ],
  anything: [
    ['ok', 30],
    ['503', 12],
    ['429', 10],
    ['400', 8],
    ['reset', 8],
    ['refused', 5],
    ['text', 5],
    ['nothing', 4],
    ['secret', 4],
    ['huge', 3],
    ['not_json', 3],
    ['never', 8],
  ],
};

const forms: readonly RetryAfterForm[] = [
  'seconds',
  'seconds',
  'date',
  'past_date',
  'zero',
  'milliseconds',
  'milliseconds',
  'garbage',
  'negative',
];

export interface AttemptName {
  readonly turnId: string;
  readonly callId: string;
  readonly attempt: number;
}

/** @param timeoutMs of the attempt: slow work is slow relative to it */
export function drawScript(
  scene: Pick<FuzzScene, 'seed' | 'ties'>,
  tool: FuzzTool,
  name: AttemptName,
  nowMs: number,
  timeoutMs: number,
): AttemptScript {
  // Known seeds depend on the keys of the draws.
  const draw = (what: string): number => drawAt(scene.seed, 'fate', tool.name, name.turnId, name.callId, String(name.attempt), what);
  const isDown = tool.outages.some(([fromMs, untilMs]) => nowMs >= fromMs && nowMs < untilMs);
  const kind = pick(isDown ? weights.dead : weights[tool.failureMode], draw('kind'));
  const limit = Math.min(timeoutMs, 60_000);
  const isSlow = draw('pace') < (tool.failureMode === 'slow' ? 0.5 : 0.12);
  const exact = isSlow ? limit * (0.4 + 1.3 * draw('slow')) : 1 + Math.min(limit / 3, 90) * draw('quick');
  const ends = timeOf(scene, exact);
  const stops = draw('stops');
  return {
    kind,
    afterMs: kind === 'never' ? Number.POSITIVE_INFINITY : ends,
    stopsAfterMs:
      stops < 0.4
        ? timeOf(scene, 0.1 + 3 * draw('stopping'))
        : stops < 0.7
          ? Number.POSITIVE_INFINITY
          : timeOf(scene, 200 * draw('stopping')),
    partialsAfterMs: draw('partial') < 0.3 ? [timeOf(scene, limit * 0.3 * draw('first')), timeOf(scene, limit * draw('second'))] : [],
    ...(kind === '429' || (kind === '503' && draw('says when') < 0.2) ? { retryAfter: retryAfterOf(draw) } : {}),
  };
}

function retryAfterOf(draw: (what: string) => number): NonNullable<AttemptScript['retryAfter']> {
  const form = forms[Math.floor(draw('form') * forms.length)] as RetryAfterForm;
  const size = draw('size');
  const milliseconds = size < 0.6 ? 20 + 500 * draw('wait') : size < 0.9 ? 1_000 + 4_000 * draw('wait') : 86_400_000;
  return { form, milliseconds };
}

/** With ties: on a coarse grid, 0 included. Else a moment that nothing else falls on. */
function timeOf({ ties }: Pick<FuzzScene, 'ties'>, exact: number): number {
  return ties ? Math.round(exact / 20) * 20 : exact;
}

function pick(table: Weights, share: number): AttemptKind {
  const total = table.reduce((sum, [, weight]) => sum + weight, 0);
  let left = share * total;
  for (const [kind, weight] of table) {
    left -= weight;
    if (left < 0) return kind;
  }
  return 'ok';
}
