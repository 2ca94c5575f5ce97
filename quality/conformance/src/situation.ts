/** Owns the situations that behaviours start from: a dependency that fails, work that hangs, a circuit that is half-open. */
import type { Answer, BreakerPart, Contender, ContenderNotes, Feature, Guarded, Observation, Part } from './port.ts';

/** A failure of the dependency, which a breaker counts. */
export class DependencyDown extends Error {
  override readonly name = 'DependencyDown';
  readonly status = 503;
}

/** The caller's mistake: the dependency answered. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
  readonly status = 400;
}

export const rejectAsDown = async (): Promise<never> => Promise.reject(new DependencyDown('dependency down'));
export const succeed = async (): Promise<string> => Promise.resolve('fine');
export const hang = (): Promise<never> => new Promise(() => undefined);

/** Hangs until it is aborted. */
export const hangUntilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });

export interface Gate<Value> {
  readonly promise: Promise<Value>;
  open(value: Value): void;
  fail(error: Error): void;
}

export function gate<Value>(): Gate<Value> {
  let open: Gate<Value>['open'] = () => undefined;
  let fail: Gate<Value>['fail'] = () => undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open: (value) => open(value), fail: (error) => fail(error) };
}

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The settled result of a promise, or nothing if it has not settled by then. */
export async function settledWithin<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)));
  const first = await Promise.race([promise, late]);
  clearTimeout(timer);
  return first;
}

/** A control: if it does not hold, the observation proves nothing, because of a mistake of the suite or of an adapter. */
export function control(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`Control does not hold: ${what}`);
}

export const openMs = 150;
const opened: BreakerPart = { part: 'breaker', openMs };

/** A circuit that lets the next call through as its probe. */
export async function halfOpen(contender: Contender, parts: readonly Part[] = [opened]): Promise<Guarded> {
  const guarded = await contender.build(parts);
  await guarded.call(rejectAsDown);
  control(guarded.circuit() !== 'closed', 'a failure opens the circuit');
  await wait(openMs + 250);
  return guarded;
}

export interface SetUp {
  readonly how: string;
  readonly parts: readonly Part[];
}

/** The first set-up that passes counts for the library; when none does, all of them are described. */
export async function best(
  notes: ContenderNotes,
  setUps: readonly SetUp[],
  observe: (parts: readonly Part[]) => Promise<Observation>,
): Promise<Observation> {
  const failed: SetUpSeen[] = [];
  for (const { how, parts } of setUps) {
    if (parts.length !== partsOf(notes, parts).length) continue;
    const { ok, seen } = await observe(parts);
    if (ok) return { ok, seen: failed.length === 0 ? seen : `${how}: ${seen}. Otherwise ${describeFailures(failed)}` };
    failed.push({ how, seen });
  }
  return { ok: false, seen: describeFailures(failed) };
}

interface SetUpSeen {
  readonly how: string;
  readonly seen: string;
}

/** The set-up is left out when it makes no difference. */
function describeFailures(failed: readonly SetUpSeen[]): string {
  const [first, ...others] = failed;
  if (first !== undefined && others.length > 0 && others.every(({ seen }) => seen === first.seen)) return first.seen;
  return failed.map(({ how, seen }) => `${how}: ${seen}`).join('; ');
}

export const has = (notes: ContenderNotes, feature: Feature): boolean => notes.lacks[feature] === undefined;

/** The parts that the library has. */
export const partsOf = (notes: ContenderNotes, parts: readonly Part[]): readonly Part[] => parts.filter(({ part }) => has(notes, part));

export function describeAnswer(answer: Answer | undefined): string {
  if (answer === undefined) return 'no answer';
  return answer.kind === 'value' ? `the value ${String(answer.value)}` : `${answer.kind} ("${answer.message}")`;
}
