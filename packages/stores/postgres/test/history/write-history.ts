// Writes batches of a history without pause: write-history.ts <url> <schema> <name>. After each that is written it prints how many there are.
import { postgresHistory } from '../../src/history/index.ts';
import { cellsAt, start, turnOf } from './batch-data.ts';

const [url = '', schema = '', name = ''] = process.argv.slice(2);
const history = postgresHistory({ url, schema });
for (let batch = 0; batch < 7_000; batch += 1) {
  const turns = Array.from({ length: 10 }, (_, index) => turnOf(`${name}-${String(batch)}-${String(index)}`, start + batch));
  history.write({ ...cellsAt('work', start + batch * 1_000, 10), turns });
  await history.lastIds();
  if (history.status().ok) process.stdout.write(`${String(batch + 1)}\n`);
}
