/** Installs what the tests need besides `npm ci`, run by `npm test` first: programs, client libraries, the dashboard. Does nothing if nothing is missing. */
import { ensureDashboard } from '../dashboard.mjs';
import { installClients } from './clients.mjs';
import { chromiumPath, installPrograms } from './programs.mjs';

const wantedMajor = '24';
if (process.versions.node.split('.')[0] !== wantedMajor) {
  console.error(
    `Tests run on Node ${wantedMajor}, this is ${process.version}. Run them with "npm test": npm puts the Node of this repository first.`,
  );
  process.exit(1);
}

// They wait for different resources: the network, the disk, the processor.
const done = await Promise.allSettled([installPrograms(), installClients(), ensureDashboard()]);
const problems = done.filter(({ status }) => status === 'rejected').map(({ reason }) => reason.message);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
console.log(`Node ${process.version}, Chromium at ${chromiumPath}`);
