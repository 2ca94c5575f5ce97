import { readFileSync } from 'node:fs';
import { reportOf } from './report.ts';
for (const f of process.argv.slice(2)) console.log(reportOf(JSON.parse(readFileSync(f, 'utf8')), 3));
