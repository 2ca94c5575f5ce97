/** A program: prints how many errors 1,000 refusals create. Error constructors are replaced by counting ones before any library is loaded. */
import type { Contender } from '../contenders/contender.ts';
import type { ErrorCount } from './error-count.ts';

let built = 0;

const counting = <Constructor extends new (...given: never[]) => object>(constructor: Constructor): Constructor =>
  new Proxy(constructor, {
    construct(target, given, newTarget) {
      built += 1;
      return Reflect.construct(target, given, newTarget) as object;
    },
    apply(target, self, given) {
      built += 1;
      return Reflect.apply(target as unknown as (...values: unknown[]) => unknown, self, given);
    },
  });

for (const name of [
  'Error',
  'TypeError',
  'RangeError',
  'SyntaxError',
  'ReferenceError',
  'EvalError',
  'URIError',
  'AggregateError',
  'DOMException',
]) {
  const constructor = Reflect.get(globalThis, name) as new (...given: never[]) => object;
  Object.defineProperty(globalThis, name, { value: counting(constructor), writable: true, configurable: true });
}

async function refusals(contender: Contender): Promise<number> {
  const job = await contender.open?.();
  if (!job) throw new Error(`${contender.name} has no circuit breaker.`);
  const before = built;
  for (let call = 0; call < 1_000; call += 1) await job.call().catch(() => undefined);
  const during = built - before;
  await job.close?.();
  return during;
}

const { holdfast } = await import('../contenders/holdfast.ts');
const { opossum } = await import('../contenders/opossum.ts');
const count: ErrorCount = { holdfast: await refusals(holdfast), opossum: await refusals(opossum) };
console.log(JSON.stringify(count));
process.exit(0);
