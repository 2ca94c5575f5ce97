/** Owns how an argument is shown in a command that the user may copy. */
export function quotedArgument(argument: string): string {
  if (/^[\w@%+=:,./-]+$/.test(argument)) return argument;
  return process.platform === 'win32' ? `"${argument}"` : `'${argument.replaceAll("'", String.raw`'\''`)}'`;
}
