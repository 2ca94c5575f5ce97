/** Owns decoding a message in parts, as its bytes arrive: to decode a large one at its end would take long. */
import { StringDecoder } from 'node:string_decoder';

export class TextParts {
  readonly #decoder = new StringDecoder('utf8');
  readonly #parts: string[] = [];

  add(bytes: Buffer): void {
    this.#parts.push(this.#decoder.write(bytes));
  }

  /** The first characters, at most as many as given. */
  start(chars: number): string {
    let text = '';
    for (const part of this.#parts) {
      if (text.length >= chars) break;
      text += part.slice(0, chars);
    }
    return text.slice(0, chars);
  }

  /** The whole text, after the last bytes. */
  end(): string {
    this.#parts.push(this.#decoder.end());
    return this.#parts.join('');
  }
}
