/** How the user calls this program, for commands to copy. */
export const programName = (): string => (process.env['npm_command'] === undefined ? 'holdfast' : 'npx holdfast');
