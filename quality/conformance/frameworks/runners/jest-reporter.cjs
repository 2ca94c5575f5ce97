/** Reports each test of the checkout's Jest when it ends. */
'use strict';
const { appendFileSync, readFileSync } = require('node:fs');
const { relative } = require('node:path');

const plan = JSON.parse(readFileSync(process.env.HOLDFAST_FRAMEWORK_PLAN, 'utf8'));
const write = (event) => appendFileSync(plan.events, `${JSON.stringify(event)}\n`);
const fileOf = (test) => relative(plan.root, test.path);
const states = { passed: 'passed', failed: 'failed' };

module.exports = class EventsReporter {
  onTestFileStart(test) {
    write({ kind: 'start', file: fileOf(test) });
  }

  onTestCaseResult(test, { fullName, status, failureMessages = [] }) {
    // Without the colours of a terminal.
    // oxlint-disable-next-line no-control-regex
    const error = failureMessages[0]?.replaceAll(/\u001B\[\d+m/g, '');
    write({ kind: 'test', file: fileOf(test), test: fullName, state: states[status] ?? 'skipped', error });
  }

  onTestFileResult(test, { testExecError }) {
    write({ kind: 'end', file: fileOf(test), error: testExecError?.message });
  }
};
