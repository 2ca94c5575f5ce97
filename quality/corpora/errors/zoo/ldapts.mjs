import * as ldapts from 'ldapts';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['ldapts'];

const bind = (port) => { const client = new ldapts.Client({ url: `ldap://127.0.0.1:${port}`, timeout: 2000, connectTimeout: 2000 }); return client.bind('cn=a', 'b'); };
const made = (id, name, wanted) => c(id, `${name}, as the client makes it from its result code`, async () => { throw new ldapts[name](); }, { label: wanted });

export const cases = [
  c('refused', 'nobody listens', (w) => bind(w.refusedPort), { label: label('transient', 'network', false) }),
  c('closed', 'closed after the request', (w) => bind(w.port('close-request')), { label: label('transient', 'network', true) }),
  c('timeout', 'no answer', (w) => bind(w.port('silent')), { label: label('transient', 'timeout', true) }),
  made('invalid-credentials', 'InvalidCredentialsError', label('permanent', 'auth', false)),
  made('no-such-object', 'NoSuchObjectError', label('permanent', 'not_found', false)),
  made('exists', 'AlreadyExistsError', label('permanent', 'conflict', false)),
  made('busy', 'BusyError', label('transient', 'unavailable', false, { also: ['conflict', 'resource', 'rate_limit'] })),
  made('unavailable', 'UnavailableError', label('transient', 'unavailable', false, { unscored: ['ambiguous'] })),
  made('rights', 'InsufficientAccessError', label('permanent', 'permission', false)),
  made('syntax', 'InvalidDNSyntaxError', label('permanent', 'invalid_input', false)),
  made('unwilling', 'UnwillingToPerformError', label('permanent', 'unsupported', false, { also: ['permission', 'invalid_input'], unscored: ['classification', 'category'] })),
];
