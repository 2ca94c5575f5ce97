/** The terminal view of turns: pure functions that render a turn view, and a thin writer for live updates. */
export { renderLive } from './live/frame.ts';
export { renderPlain } from './plain/plain.ts';
export { renderSummary } from './summary/summary.ts';
export { renderTrace } from './summary/trace.ts';
export { renderExplain } from './explain/explain.ts';
export { createLiveWriter, type LiveWriterOptions } from './terminal/live-writer.ts';
export { detectTerminal, type Terminal } from './terminal/detect.ts';
export type { ProcessLike } from './terminal/restore-on-exit.ts';
export { clean } from './text/clean.ts';
export type { GlyphSet, Surface } from './text/cell.ts';
