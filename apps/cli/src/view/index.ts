/** The terminal view of turns: a fold over trace events, pure pictures of its result, and a thin live writer. */
export { renderLive } from './live/frame.ts';
export { renderPlain } from './plain/plain.ts';
export { renderSummary } from './summary/summary.ts';
export { renderTrace } from './summary/trace.ts';
export { renderExplain } from './explain/explain.ts';
export { createLiveWriter, type LiveWriterOptions } from './terminal/live-writer.ts';
export { detectTerminal, type Terminal } from './terminal/detect.ts';
export type { EndingProcess } from './terminal/restore.ts';
export { clean } from './text/clean.ts';
export type { GlyphSet, Surface } from './text/cell.ts';
