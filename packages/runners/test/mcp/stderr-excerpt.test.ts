import { expect, test } from 'vitest';
import { stderrExcerpt } from '../../src/mcp/stderr-excerpt.ts';

test.each([
  ['nothing', '', ''],
  ['the last lines', 'one\ntwo\nthree\nfour\n', 'two | three | four'],
  [
    'a crash of Node.js without its frames',
    'file:///srv/index.mjs:3\nthrow new Error("no token");\n      ^\n\nError: no token\n    at file:///srv/index.mjs:3:7\n    at ModuleJob.run (node:internal:1:1)\n\nNode.js v24.0.0\n',
    'file:///srv/index.mjs:3 | throw new Error("no token"); | Error: no token',
  ],
  [
    'a module that was not found, whose error has further fields',
    "node:internal/modules/cjs/loader:1\n  throw err;\n  ^\n\nError: Cannot find module '/srv/x.js'\n    at a (b:1:1) {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v24.0.0\n",
    "Error: Cannot find module '/srv/x.js' | code: 'MODULE_NOT_FOUND', | requireStack: []",
  ],
  [
    'a failure of Python',
    'Traceback (most recent call last):\n  File "/srv/x.py", line 1, in <module>\n    import foo\nModuleNotFoundError: No module named \'foo\'\n',
    "import foo | ModuleNotFoundError: No module named 'foo'",
  ],
  [
    'a package that npm does not find',
    'npm notice New version\nnpm error code E404\nnpm error 404 Not Found - GET https://registry.example/nothing\nnpm error 404\nnpm error 404 The requested resource could not be found.\nnpm error A complete log of this run can be found in: /root/.npm/_logs/x.log\n',
    'npm error code E404 | npm error 404 | npm error 404 The requested resource could not be found.',
  ],
])('shows %s', (_what, stderr, expected) => {
  expect(stderrExcerpt(stderr)).toBe(expected);
});

test('is bounded', () => {
  const text = stderrExcerpt(`${'x'.repeat(5_000)}\n`.repeat(10));
  expect(text.length).toBeLessThanOrEqual(302);
  expect(text.endsWith(' …')).toBe(true);
});
