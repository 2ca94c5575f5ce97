/** `node --conditions=@holdfast/source apps/dashboard/test/e2e/gateway/serve.ts` serves the test gateway with its turns until Ctrl+C. */
import { operatorToken, startGateway } from '../support/gateway.ts';
import { longTurn, runTurns, turns } from './traffic.ts';

const gateway = await startGateway();
await runTurns(gateway.url, process.argv.includes('--long') ? [...turns, longTurn] : turns);
console.log(`${gateway.url}/#token=${operatorToken}`);
process.once('SIGINT', () => void gateway.close());
process.once('SIGTERM', () => void gateway.close());
