// Writes batches of a history without pause: write-history.ts <path> <round>. After each it prints how many there are.
import { createCell } from '@holdfast/core/internal';
import { sqliteHistory } from '../../src/history/index.ts';
import { nothing, start, turnOf } from '../history/batch-data.ts';

const [path = '', round = ''] = process.argv.slice(2);
const history = sqliteHistory({ path, now: () => start });
for (let batch = 0; batch < 7_000; batch += 1) {
  const cell = createCell();
  cell.counts.first_try = 10;
  const turns = Array.from({ length: 10 }, (_, index) => turnOf(`round-${round}-${batch}-${index}`, start + batch));
  history.write({ ...nothing, cells: [{ toolName: `round-${round}`, at: start + batch * 1_000, cell }], turns });
  history.flush();
  process.stdout.write(`${batch + 1}\n`);
}
