import Typesense from 'typesense';
import { httpCases } from '../world/matrix.mjs';

export const packages = ['typesense'];

const call = (base) => {
  const url = new URL(base);
  const nodes = [{ host: url.hostname, port: Number(url.port), protocol: 'http', path: url.pathname === '/' ? '' : url.pathname }];
  return new Typesense.Client({ nodes, apiKey: 'k', connectionTimeoutSeconds: 2, numRetries: 0, logLevel: 'silent' }).collections('orders').documents().create({ id: '1' });
};

export const cases = httpCases(call, { hint: false });
