/** The width of a line: the terminal's width, else `COLUMNS`. */
export function columnsOf(terminal: number | undefined, variable: string | undefined): number | undefined {
  if (terminal !== undefined && terminal > 0) return terminal;
  const columns = Number(variable);
  return Number.isSafeInteger(columns) && columns > 0 ? columns : undefined;
}
