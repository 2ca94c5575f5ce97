/** `holdfast circuit`: controls a circuit of a running gateway. */
import type { CircuitCommand, ToolCircuit } from '@holdfast/gateway/contract';
import type { Action } from '../action.ts';
import { type GlobalOptions, loadConfig } from '../config.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { listenUrl } from '../listen-url.ts';
import { controlCircuit, gatewayAddress } from '../run/gateway-client.ts';
import type { Console } from '../terminal/console.ts';

export interface CircuitArgument {
  readonly tool: string;
  readonly command: CircuitCommand;
}

interface CircuitOptions extends GlobalOptions {
  readonly client?: string;
  readonly gateway?: string;
  readonly tokenEnv?: string;
  readonly output: 'auto' | 'json';
}

const operatorVariable = 'HOLDFAST_OPERATOR_TOKEN';

export const execute: Action<CircuitArgument, CircuitOptions> = async ({ tool, command }, options, console) => {
  const tokenEnv = options.tokenEnv ?? (process.env[operatorVariable] ? operatorVariable : undefined);
  const gateway = gatewayAddress(options.gateway ?? (await listenAddress(options, console)), tokenEnv);
  const circuit = await controlCircuit(gateway, tool, { command, client: options.client });
  console.out.writeLine(options.output === 'json' ? JSON.stringify(circuit) : sentenceOf(circuit));
  return exitCodes.ok;
};

async function listenAddress(options: GlobalOptions, console: Console): Promise<string> {
  const { listen } = (await loadConfig(options, console)).gateway;
  if (listen.path !== undefined || listen.port === 0) throw new UsageError('give the address of the gateway with --gateway.');
  return listenUrl(listen);
}

const modes = { auto: '', forced_open: ', forced open', disabled: ', disabled', shadow: ', in shadow mode' } as const;

function sentenceOf({ name, client, health: { circuit, mode, clients = [] } }: ToolCircuit): string {
  const whose = client === undefined ? '' : ` for ${client}`;
  const others = clients.map((other) => `${other.client} (${wordsOf(other.circuit)}${modes[other.mode]})`);
  return `The circuit of ${name}${whose} is ${wordsOf(circuit)}${modes[mode]}${others.length === 0 ? '' : `; clients: ${others.join(', ')}`}.`;
}

const wordsOf = (circuit: ToolCircuit['health']['circuit']): string => (circuit ?? 'none').replace('_', ' ');
