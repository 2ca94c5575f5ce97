import Replicate from 'replicate';
import { httpCases } from '../world/matrix.mjs';

export const packages = ['replicate'];

const call = (base) => new Replicate({ auth: 'r8_x', baseUrl: base, fetch: (url, init) => fetch(url, { ...init, signal: init?.signal ?? undefined }) }).predictions.create({ version: 'v', input: {} });

export const cases = httpCases(call, { skip: ['timeout', '503', '504', '429'] });
