import ssh2 from 'ssh2';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['ssh2'];

const { utils } = ssh2;
const connect = (port, options) => new Promise((resolve, reject) => { const client = new ssh2.Client(); client.on('ready', () => resolve(client)).on('error', reject).connect({ host: '127.0.0.1', port, username: 'u', password: 'p', readyTimeout: 2000, ...options }); });
const server = (w, allow, behave = () => {}) => new Promise((resolve) => {
  const { private: key } = utils.generateKeyPairSync('ed25519');
  const made = new ssh2.Server({ hostKeys: [key] }, (client) => { client.on('error', () => {}).on('authentication', (ctx) => (allow ? ctx.accept() : ctx.reject())).on('ready', () => behave(client)); });
  made.listen(0, '127.0.0.1', () => resolve(made.address().port));
  w.onClose(() => made.close());
});
const exec = (client) => new Promise((resolve, reject) => client.exec('pay', (error, stream) => (error ? reject(error) : stream.on('close', (code) => resolve(code)).resume())));

export const cases = [
  c('refused', 'nobody listens', (w) => connect(w.refusedPort), { label: label('transient', 'network', false) }),
  c('no-handshake', 'no answer to the handshake', (w) => connect(w.port('silent')), { label: label('transient', 'timeout', false) }),
  c('not-ssh', 'the server does not speak SSH', (w) => connect(w.port('garbage')), { label: label('permanent', 'contract', false, { also: ['network', 'invalid_input', 'unsupported', 'unknown'], unscored: ['classification', 'ambiguous'] }) }),
  c('password', 'the password is wrong', async (w) => connect(await server(w, false)), { label: label('permanent', 'auth', false) }),
  c('exec-refused', 'the server refuses the command', async (w) => exec(await connect(await server(w, true, (client) => client.on('session', (accept) => accept().on('exec', (_a, reject) => reject()))))), { label: label('permanent', 'permission', false, { also: ['unsupported', 'unknown', 'invalid_input'], unscored: ['classification', 'category', 'ambiguous'] }) }),
  c('bad-key', 'a private key that is none', (w) => connect(w.port('silent'), { privateKey: 'nonsense' }), { label: label('permanent', 'invalid_input', false, { also: ['auth', 'bug', 'unsupported'] }) }),
];
