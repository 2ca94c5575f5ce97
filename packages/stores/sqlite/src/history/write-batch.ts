/** Owns writing a batch in small pieces, so that the event loop is not blocked. Does not own the transaction around it (`writer.ts`). */
import type { HistoryWrite } from '@holdfast/core/history';
import { addCell } from './cells.ts';
import type { HistoryConnection } from './history-connection.ts';
import { addToCluster, saveChange, saveCircuitChange, saveFailure, saveSlowCall, trimFailures } from './records.ts';
import { saveTurn } from './turns.ts';

/** Yields after each piece. */
export function* writeBatch(connection: HistoryConnection, batch: HistoryWrite): Generator<undefined> {
  yield* each(batch.cells, ({ toolName: tool, at, cell }) => addCell(connection, tool, at, cell));
  yield* each(batch.turns, (turn) => saveTurn(connection, turn));
  yield* each(batch.circuitChanges, ({ toolName: tool, change }) => saveCircuitChange(connection, tool, change));
  yield* each(batch.clusters, (cluster) => addToCluster(connection, cluster));
  yield* each(batch.failures, ({ toolName: tool, failure }) => saveFailure(connection, tool, failure));
  yield* each(new Set(batch.failures.map(({ toolName: tool }) => tool)), (tool) => trimFailures(connection, tool));
  yield* each(batch.slowCalls, ({ toolName: tool, call }) => saveSlowCall(connection, tool, call));
  yield* each(batch.changes, (change) => saveChange(connection, change));
}

function* each<Piece>(pieces: Iterable<Piece>, write: (piece: Piece) => void): Generator<undefined> {
  for (const piece of pieces) {
    write(piece);
    yield undefined;
  }
}
