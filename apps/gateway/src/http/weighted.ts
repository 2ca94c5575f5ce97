/** Owns parsing one entry of an `Accept…` header: its name and its weight. */

export interface Weighted {
  readonly name: string;
  /** 1 by default; 0 means not acceptable. */
  readonly weight: number;
}

export function readWeighted(text: string): Weighted {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return { name, weight: Number.isFinite(weight) ? weight : 0 };
}
