/** `holdfast login` and `holdfast logout`: logins at MCP servers with `auth: oauth`. */
import { type Command, Option } from 'commander';
import type { Program } from '../action.ts';

const principal = (): Option =>
  new Option('--principal <name>', 'the client that logs in, for a server that keeps its clients apart (default: the gateway itself)');

export function addLogin(parent: Command, program: Program): void {
  parent
    .command('login')
    .summary('log in to a server')
    .description(
      'Prints the address for the login to an MCP server with auth: oauth, and waits until the login is complete. The gateway uses it from then on, and renews it. Works without a browser on this machine: paste the address that the browser is sent to afterwards.',
    )
    .argument('<server>', 'the name of the server in the manifest')
    .addOption(principal())
    .option('--device', 'log in on another device, with a code: for machines that no browser can reach')
    .addHelpText(
      'after',
      `
Environment
  HOLDFAST_CREDENTIALS_KEY       the key that logins are encrypted with, such as the output of openssl rand -base64 32
  HOLDFAST_CREDENTIALS_KEY_FILE  a file with the key (default: ~/.config/holdfast/credentials.key, created if there is none)

Exit codes
  0  logged in    1  the login has failed    2  the manifest or the server cannot be used

Examples
  holdfast login linear
  holdfast login linear --device`,
    )
    .action((server: string, _own: unknown, command: Command) => program.runAction(command, () => import('../actions/login.ts'), server));
}

export function addLogout(parent: Command, program: Program): void {
  parent
    .command('logout')
    .summary('forget the login to a server')
    .description('Forgets the login to an MCP server, and revokes its tokens if the authorization server supports it.')
    .argument('<server>', 'the name of the server in the manifest')
    .addOption(principal())
    .action((server: string, _own: unknown, command: Command) => program.runAction(command, () => import('../actions/logout.ts'), server));
}
