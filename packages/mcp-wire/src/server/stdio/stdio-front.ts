import type { ServerFace } from '../face.ts';
import type { StdioFront, StdioFrontOptions } from './options.ts';

export function stdioFront(_face: ServerFace, _options: StdioFrontOptions): StdioFront {
  throw new Error('Not there yet');
}
