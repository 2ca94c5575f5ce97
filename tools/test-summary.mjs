/** Ends a CI run: prints what failed, and one line that counts the tests of the last run. */
import { existsSync, readFileSync } from 'node:fs';

const file = 'reports/tests.json';
if (!existsSync(file)) {
  console.log('0 passed, 1 failed');
  process.exit(1);
}
const { testResults, numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(file, 'utf8'));
const failedTests = testResults.flatMap(({ name, assertionResults, status, message }) => {
  const failed = assertionResults.filter((result) => result.status === 'failed');
  if (status === 'failed' && failed.length === 0) return [`${name}: ${message}`];
  return failed.map((result) => `${name}: ${result.fullName}`);
});
for (const line of failedTests) console.log(`failed: ${line}`);
const failedCount = Math.max(numFailedTests, failedTests.length);
const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
console.log(`${numPassedTests} passed, ${failedCount} failed${skipped}`);
process.exit(failedCount === 0 && numPassedTests > 0 ? 0 : 1);
