/** Reading and repairing the arguments of calls, as models write them. */
export { argumentReader, readArguments } from './read-arguments.ts';
export type { ArgumentReaderOptions } from './read-arguments.ts';
export { unwrapCalls } from './unwrap-calls.ts';
