/** `node --conditions=@holdfast/source apps/dashboard/test/e2e/world/play.ts`: the world with its turns, to look at in a browser until ctrl-C. */
import { operatorToken, startWorld } from '../support/world.ts';
import { longTurn, runTurns, turns } from './traffic.ts';

const world = await startWorld();
await runTurns(world.url, process.argv.includes('--long') ? [...turns, longTurn] : turns);
console.log(`${world.url}/#token=${operatorToken}`);
process.once('SIGINT', () => void world.close());
process.once('SIGTERM', () => void world.close());
