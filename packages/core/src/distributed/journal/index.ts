/** The exports of `@holdfast/core/journal`: runs a turn on a journal, for durable engines. */
export { runJournaledTurn } from './run-journaled-turn.ts';
export type { JournaledTurn } from './run-journaled-turn.ts';
export type { JournalEntry, TurnJournal } from './turn-journal.ts';
