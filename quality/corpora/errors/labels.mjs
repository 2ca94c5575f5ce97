// Writes the labels that the cases carry themselves into labels.json; all others stay as they are.
//   node labels.mjs
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const file = path.join(here, 'labels.json');
const labels = JSON.parse(fs.readFileSync(file, 'utf8'));
for (const name of fs.readdirSync(path.join(here, 'zoo'))) {
  const client = name.replace(/\.mjs$/, '');
  const { cases } = await import(`./zoo/${name}`);
  for (const { id, label } of cases) if (label) labels[`${client}/${id}`] = label;
}
const rows = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
fs.writeFileSync(file, `{\n${rows.map(([id, label]) => `${JSON.stringify(id)}: ${JSON.stringify(label)}`).join(',\n')}\n}\n`);
console.log(`${rows.length} labels`);
process.exit(0);
