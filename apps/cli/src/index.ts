/** The command line as a function. */
export { runCommandLine } from './program.ts';
export type { Console } from './terminal/console.ts';
export type { OutputStream } from './terminal/output-stream.ts';
export type { GlyphSet, Surface } from './view/text/cell.ts';
export type { Terminal } from './view/terminal/detect.ts';
