/** The table of contents of `@holdfast/core/journal`: a turn as a function of a journal, for engines that keep one. */
export { runJournaledTurn } from './run-journaled-turn.ts';
export type { JournaledTurn } from './run-journaled-turn.ts';
export type { JournalEntry, TurnJournal } from './turn-journal.ts';
