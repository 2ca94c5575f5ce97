import { readFileSync } from 'node:fs';
import { checkRequest } from '@holdfast/provider-double/rules';
import { repair } from '@holdfast/wire';
import { test } from 'vitest';
test('x', () => {
  const all = JSON.parse(readFileSync('/tmp/provider-rules.json', 'utf8'));
  for (const c of all) {
    const options = { format: c.format, profile: c.profile };
    const r = repair(c.request, options);
    const refused = checkRequest({ ...options, request: r.request });
    const v = c.valid === undefined ? undefined : repair(c.valid, options);
    if ((refused.length > 0 && r.problems.length === 0) || (v && v.request !== c.valid)) console.log(c.id, c.format, c.profile, c.title, '| expect', c.expect, '| refused:', refused.map((x: any) => x.rule + ' ' + x.path), r.problems.map((p) => p.rule), v && v.request !== c.valid ? JSON.stringify(v.changes).slice(0, 300) : '');
  }
});
