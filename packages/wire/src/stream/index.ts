/** Assembling streamed answers. */
export type { AssembledAnswer, AssembledCall, Ending } from './assembled-calls.ts';
export { assembleStream } from './assemble-stream.ts';
export type { StreamAssembly, StreamFormat } from './assemble-stream.ts';
