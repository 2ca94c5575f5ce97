import type { ServerFace } from '../face.ts';
import type { HttpFront, HttpFrontOptions } from './options.ts';

export function httpFront(_face: ServerFace, _options: HttpFrontOptions = {}): HttpFront {
  throw new Error('Not there yet');
}
