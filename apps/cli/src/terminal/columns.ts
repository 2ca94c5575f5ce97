/** Owns how wide a line may be: the terminal's width, else `COLUMNS`. */
export function columnsOf(terminal: number | undefined, variable: string | undefined): number | undefined {
  if (terminal !== undefined && terminal > 0) return terminal;
  const told = Number(variable);
  return Number.isSafeInteger(told) && told > 0 ? told : undefined;
}
