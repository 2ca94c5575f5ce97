import net from 'node:net';
import { ImapFlow } from 'imapflow';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['imapflow'];

const client = (port, options) => { const made = new ImapFlow({ host: '127.0.0.1', port, secure: false, logger: false, auth: { user: 'u', pass: 'p' }, connectionTimeout: 2000, greetingTimeout: 2000, doSTARTTLS: false, ...options }); made.on('error', () => {}); return made; };
const connect = (port, options) => client(port, options).connect();
/** An IMAP server that answers each command with one line. */
const server = (w, answers) => w.listen(w.track(net.createServer((socket) => {
  socket.write('* OK ready\r\n');
  socket.on('data', (data) => { for (const line of String(data).split('\r\n')) { const [tag, name] = line.split(' '); if (name) socket.write(answers(tag, name.toUpperCase())); } });
})));
const caps = (tag, name) => (name === 'CAPABILITY' ? `* CAPABILITY IMAP4rev1\r\n${tag} OK done\r\n` : undefined);

export const cases = [
  c('refused', 'nobody listens', (w) => connect(w.refusedPort), { label: label('transient', 'network', false) }),
  c('no-greeting', 'no greeting', (w) => connect(w.port('silent')), { label: label('transient', 'timeout', false) }),
  c('closed', 'closed at once', (w) => connect(w.port('close-accept')), { label: label('transient', 'network', true, { unscored: ['ambiguous'] }) }),
  c('login', 'NO [AUTHENTICATIONFAILED]', async (w) => connect(await server(w, (tag, name) => caps(tag, name) ?? `${tag} NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)\r\n`)), { label: label('permanent', 'auth', false) }),
];
