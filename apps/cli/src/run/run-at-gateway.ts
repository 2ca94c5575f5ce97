/** Runs a turn on a running gateway, with the same display and exit codes as a run in this process. */
import { randomUUID } from 'node:crypto';
import { exitCodes } from '../exit-codes.ts';
import { type DisplayedResult, printResults } from '../results.ts';
import { watchSignals } from '../signals.ts';
import type { Console } from '../terminal/console.ts';
import { createDisplay } from './display.ts';
import { exitCodeOf } from './exit-code.ts';
import { cancelTurn, gatewayAddress, type GatewayReport, startTurn, turnEvents, turnReport } from './gateway-client.ts';
import type { RunOptions } from './run-turn.ts';

/** `source` is the text of the turn file, `fileId` the id that it gives the turn. */
export async function runTurnAtGateway(source: string, fileId: string | undefined, options: RunOptions, console: Console): Promise<number> {
  const gateway = gatewayAddress(options.gateway ?? '', options.tokenEnv);
  const turnId = await startTurn(gateway, source, { turnId: options.turnId ?? uniqueId(fileId), timeoutMs: options.timeout });
  const display = createDisplay(options.output, console);
  const watch = watchSignals((name) => {
    display.note(`${name}: cancelling the turn; press Ctrl-C again to quit at once.`);
    cancelTurn(gateway, turnId).catch((error: unknown) => display.note(String(error)));
  });
  try {
    for await (const event of turnEvents(gateway, turnId)) display.event(event);
    watch.disarm();
    display.close();
    const report = await turnReport(gateway, turnId);
    if (report === undefined) {
      console.error(`turn ${turnId} was interrupted: its process ended before the turn did.`);
      return watch.exitCode() ?? exitCodes.failed;
    }
    printResults(report, report.results.map(toDisplayedResult), options.output, console);
    return watch.exitCode() ?? exitCodeOf(report.outcome);
  } finally {
    display.close();
    watch.stop();
  }
}

/** A gateway runs a turn id only once. A unique suffix lets the same file run again. */
const uniqueId = (id = 'turn'): string => `${id}-${randomUUID().slice(0, 8)}`;

const toDisplayedResult = ({ call_id, tool, served_by, output }: GatewayReport['results'][number]): DisplayedResult => ({
  callId: call_id,
  toolName: tool,
  servedBy: served_by,
  output,
});
