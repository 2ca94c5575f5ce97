/** A program: the client that the suite starts. It asks the host at the port of its first argument to play the scenario, and ends when the host has. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { ended, type Question } from './question.ts';

const {
  MCP_CONFORMANCE_SCENARIO: scenario = '',
  MCP_CONFORMANCE_PROTOCOL_VERSION: revision,
  MCP_CONFORMANCE_CONTEXT: context = '{}',
} = process.env;
const question: Question = {
  url: process.argv.at(-1) ?? '',
  scenario,
  protocol: revision === '2026-07-28' ? 'modern' : 'legacy',
  context: JSON.parse(context) as Question['context'],
};
const socket = connect(Number(process.argv[2]), '127.0.0.1');
socket.end(JSON.stringify(question));
const answer = await text(socket);
process.stderr.write(answer);
if (!answer.endsWith(`${ended}\n`)) process.exitCode = 1;
