/** Owns reading one entry of an `Accept…` header: what is named, and how much it is liked. */

export interface Weighted {
  readonly name: string;
  /** 1 where nothing is said, 0 for what is not taken. */
  readonly weight: number;
}

export function readWeighted(text: string): Weighted {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return { name, weight: Number.isFinite(weight) ? weight : 0 };
}
